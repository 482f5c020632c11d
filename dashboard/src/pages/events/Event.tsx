import { Page } from "../../parts/Page.tsx"

export const Event = () => <Page title="Event">{null}</Page>
