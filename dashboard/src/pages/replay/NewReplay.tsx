import { Page } from "../../parts/Page.tsx"

export const NewReplay = () => <Page title="NewReplay">{null}</Page>
