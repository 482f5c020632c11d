import { Page } from "../../parts/Page.tsx"

export const EditWebhook = () => <Page title="EditWebhook">{null}</Page>
