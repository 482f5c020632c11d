import { Page } from "../../parts/Page.tsx"

export const Keys = () => <Page title="Keys">{null}</Page>
