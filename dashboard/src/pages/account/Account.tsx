import { Page } from "../../parts/Page.tsx"

export const Account = () => <Page title="Account">{null}</Page>
