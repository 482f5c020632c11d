import { Page } from "../../parts/Page.tsx"

export const NewWebhook = () => <Page title="NewWebhook">{null}</Page>
