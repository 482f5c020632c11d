import { Page } from "../../parts/Page.tsx"

export const Replay = () => <Page title="Replay">{null}</Page>
