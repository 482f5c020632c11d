import { Page } from "../../parts/Page.tsx"

export const Coverage = () => <Page title="Coverage">{null}</Page>
