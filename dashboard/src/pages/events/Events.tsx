import { Page } from "../../parts/Page.tsx"

export const Events = () => <Page title="Events">{null}</Page>
