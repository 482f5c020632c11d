/** For each network: its newest ledger, the ledger's age, and whether the service has taken it. */
import { Link } from "@tanstack/react-router"
import { useCoverage } from "../../api/coverage.ts"
import type { NetworkCoverage } from "../../api/ledgerhook.ts"
import { Loading } from "../../ui/page/Loading.tsx"
import { FailureNotice } from "../../ui/page/Notices.tsx"
import { Section } from "../../ui/page/Page.tsx"
import { count, duration, plural } from "../../words/format.ts"
import { gapsOf, missingIn } from "../ledgers/coverage/gaps.ts"
import { ledgersPerMinute } from "../ledgers/coverage/pace.ts"

/** Servers that are further below the last ledger taken do not only lag: the network was reset. */
const FAR_BELOW = 1_000

const NetworkFacts = ({ network, head, ranges, catching_up, skipped = [] }: NetworkCoverage) => {
  const missing = missingIn(gapsOf({ ranges, skipped }))
  const newest = ranges.at(-1)
  const pace = newest && ledgersPerMinute(newest)
  const isBelow =
    newest !== undefined && head !== null && newest.last.ledger_index - head.ledger_index > FAR_BELOW
  return (
    <>
      <dt>
        {network}
        {newest?.simulated && " (simulated)"}
      </dt>
      <dd>
        {newest === undefined ? "no ledger taken yet" : `ledger ${count(newest.last.ledger_index)}`}
        {head !== null && `, announced ${duration(head.age_ms)} ago`}
        <div className="quiet">
          {head === null
            ? "no server has announced a ledger yet"
            : catching_up === null
              ? isBelow
                ? `the servers are at ledger ${count(head.ledger_index)}, far below this one`
                : "every known ledger is taken"
              : `${plural(catching_up.ledgers, "ledger")} still to take${
                  catching_up.ledgers_per_second === null
                    ? ""
                    : `, ${count(catching_up.ledgers_per_second * 60)} a minute`
                }`}
          {pace !== undefined && catching_up === null && `, ${count(pace)} a minute`}
          {missing > 0 && <b className="bad">, {plural(missing, "ledger")} missing</b>}
        </div>
      </dd>
    </>
  )
}

export const LedgerAges = () => {
  const coverage = useCoverage()
  if (coverage.isError) return <FailureNotice failure={coverage.error} onRetry={() => coverage.refetch()} />
  if (coverage.data === undefined) return <Loading />
  const watched = coverage.data.data.filter((network) => network.watched || network.ranges.length > 0)
  return (
    <Section title="Ledgers">
      {watched.length === 0 ? (
        <p>The service does not watch a network that this key sees.</p>
      ) : (
        <dl className="facts">
          {watched.map((network) => (
            <NetworkFacts key={network.network} {...network} />
          ))}
        </dl>
      )}
      <Link to="/coverage">Ledger coverage</Link>
    </Section>
  )
}
