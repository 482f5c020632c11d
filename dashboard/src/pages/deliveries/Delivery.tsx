import { Page } from "../../parts/Page.tsx"

export const Delivery = () => <Page title="Delivery">{null}</Page>
