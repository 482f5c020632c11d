import { Page } from "../../parts/Page.tsx"

export const Webhook = () => <Page title="Webhook">{null}</Page>
