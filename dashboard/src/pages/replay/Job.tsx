import { Page } from "../../parts/Page.tsx"

export const Job = () => <Page title="Job">{null}</Page>
