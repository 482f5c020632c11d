import { Page } from "../../parts/Page.tsx"

export const Deliveries = () => <Page title="Deliveries">{null}</Page>
