/** Per network: which ledgers the service has taken, the gaps between them, and how far it is behind. */
import { useMay } from "../../api/account.ts"
import { useCoverage } from "../../api/coverage.ts"
import { Loading } from "../../parts/Loading.tsx"
import { Empty, FailureNotice } from "../../parts/Notices.tsx"
import { Page, Section } from "../../parts/Page.tsx"
import { CoveredNetwork } from "./CoveredNetwork.tsx"

const Networks = () => {
  const coverage = useCoverage()
  if (coverage.isError) return <FailureNotice failure={coverage.error} onRetry={() => coverage.refetch()} />
  if (coverage.data === undefined) return <Loading />
  const shown = coverage.data.data.filter(({ watched, ranges }) => watched || ranges.length > 0)
  if (shown.length === 0) {
    return (
      <Empty title="The service does not watch a network that this key sees">
        A live key sees mainnet. A test key sees testnet and devnet.
      </Empty>
    )
  }
  return shown.map((network) => <CoveredNetwork key={network.network} {...network} />)
}

export const Coverage = () => (
  <Page title="Ledger coverage">
    {useMay("events:read") ? (
      <Networks />
    ) : (
      <Section>This key may not see ledgers (scope events:read).</Section>
    )}
  </Page>
)
