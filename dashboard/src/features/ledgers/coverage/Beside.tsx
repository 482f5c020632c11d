/** Beside the map: what is missing and what to do, the chosen hour, how it goes now, and how to prove it. */
import { Button } from "@mantine/core"
import { IconAlertTriangle, IconHistory } from "@tabler/icons-react"
import { Link } from "@tanstack/react-router"
import { useMay } from "../../../api/account.ts"
import type { LedgerRange, NetworkCoverage } from "../../../api/ledgerhook.ts"
import { Section } from "../../../ui/page/Page.tsx"
import { Code } from "../../../ui/value/Code.tsx"
import { PlainText } from "../../../ui/value/PlainText.tsx"
import { Time } from "../../../ui/value/Time.tsx"
import { clockTime, count, cut, duration, localDay, plural } from "../../../words/format.ts"
import classes from "./Coverage.module.css"
import type { Gap } from "./gaps.ts"
import { hourName } from "./HourMap.tsx"
import { HOUR_MS, type HourCell, isWatched } from "./hours.ts"
import { ledgersPerMinute } from "./pace.ts"

const gapName = ({ began, last, skipped }: Gap): string =>
  skipped === undefined ? `Gap on ${localDay(began)}` : `Ledger ${count(last)} was skipped`

const timesOf = ({ began, ended }: Gap): string =>
  localDay(began) === localDay(ended)
    ? `between ${clockTime(began)} and ${clockTime(ended)}`
    : `between ${localDay(began)}, ${clockTime(began)} and ${localDay(ended)}, ${clockTime(ended)}`

interface GapFactsProps {
  readonly network: string
  readonly gap: Gap
  readonly others: ReadonlyArray<Gap>
  readonly onChoose: (gap: Gap) => void
}

const GapFacts = ({ network, gap, others, onChoose }: GapFactsProps) => (
  <section>
    <h2 className={classes["gap"]}>
      <IconAlertTriangle size={18} stroke={1.6} aria-hidden />
      {gapName(gap)}
    </h2>
    <p className="quiet">
      {gap.skipped === undefined ? (
        `The service took no ledger ${timesOf(gap)}: it was started again at a later one. Webhooks got none of their events.`
      ) : (
        <>
          The operator skipped it: <PlainText>{gap.skipped}</PlainText>. Webhooks got none of its events.
        </>
      )}
    </p>
    <dl className={`facts ${classes["values"]}`}>
      <dt>First</dt>
      <dd>{count(gap.first)}</dd>
      <dt>Last</dt>
      <dd>{count(gap.last)}</dd>
      <dt>Missing</dt>
      <dd>{plural(gap.missing, "ledger")}</dd>
      {gap.skipped === undefined && (
        <>
          <dt>Lasted</dt>
          <dd>{duration(gap.ended - gap.began, true)}</dd>
        </>
      )}
    </dl>
    <p className="quiet">
      {gap.skipped === undefined
        ? "A replay cannot fetch what lies between taken ledgers. The operator can save them from a server and see their events:"
        : "If a server has it by now, the operator can save it from there and see its events:"}
    </p>
    <Code what="the commands that show what is missing">
      {`npx ledgerhook ledger record \\
  --network ${network} \\
  --from ${gap.first} \\
  --to ${gap.last} \\
  --out gap
npx ledgerhook ledger detect \\
  gap/*.json`}
    </Code>
    {others.length > 0 && (
      <ul className={classes["others"]} aria-label="Also missing">
        {others.map((other) => (
          <li key={other.first}>
            <button type="button" onClick={() => onChoose(other)}>
              {gapName(other)}
            </button>
            <span>{count(other.missing)}</span>
          </li>
        ))}
      </ul>
    )}
  </section>
)

/** Bounds of filters are exclusive. */
const boundsOf = ({ at }: HourCell) => ({
  since: new Date(at - 1).toISOString(),
  until: new Date(at + HOUR_MS).toISOString()
})

const HourFacts = ({
  cell,
  network
}: {
  readonly cell: HourCell
  readonly network: NetworkCoverage["network"]
}) => {
  const mayReplay = useMay("deliveries:write")
  return (
    <Section title={hourName(cell)}>
      {isWatched(cell) ? (
        <>
          <dl className={`facts ${classes["values"]}`}>
            <dt>Ledgers taken</dt>
            <dd>{count(cell.ledgers)}</dd>
            <dt>Missing</dt>
            <dd>{count(cell.missing)}</dd>
            <dt>Events</dt>
            <dd>{count(cell.events)}</dd>
          </dl>
          <div className="row">
            <Button
              component={Link}
              to="/events"
              search={{ ...boundsOf(cell), network } as never}
              variant="default"
            >
              Show its events
            </Button>
            {mayReplay && (
              <Button
                component={Link}
                to="/replay/new"
                search={boundsOf(cell) as never}
                variant="default"
                leftSection={<IconHistory size={16} aria-hidden />}
              >
                Replay it
              </Button>
            )}
          </div>
        </>
      ) : (
        <p className="quiet">
          The service did not watch the network, or no longer keeps these ledgers. A replay can fetch ledgers
          from before the first one if the operator has set servers with history.
        </p>
      )}
    </Section>
  )
}

const Now = ({ catching_up, head, ranges }: NetworkCoverage) => {
  const [oldest, newest] = [ranges[0], ranges.at(-1)]
  const pace = newest && ledgersPerMinute(newest)
  return (
    <Section title="Now">
      <dl className={`facts ${classes["values"]}`}>
        {newest && (
          <>
            <dt>Newest taken</dt>
            <dd>{count(newest.last.ledger_index)}</dd>
            <dt>Its hash</dt>
            <dd className="mono" title={newest.last.ledger_hash}>
              {cut(newest.last.ledger_hash, 8)}
            </dd>
            <dt>Closed</dt>
            <dd>
              <Time at={newest.last.close_time} />
            </dd>
          </>
        )}
        {head && (
          <>
            <dt>Announced</dt>
            <dd>{duration(head.age_ms, true)} ago</dd>
          </>
        )}
        {catching_up && (
          <>
            <dt>Still to take</dt>
            <dd>
              {plural(catching_up.ledgers, "ledger")}
              {catching_up.seconds_left !== null &&
                `, about ${duration(catching_up.seconds_left * 1_000, true)}`}
            </dd>
          </>
        )}
        {pace !== undefined && (
          <>
            <dt>Pace</dt>
            <dd>{count(pace)} a minute</dd>
          </>
        )}
        {oldest && (
          <>
            <dt>Oldest kept</dt>
            <dd>{count(oldest.first.ledger_index)}</dd>
          </>
        )}
      </dl>
    </Section>
  )
}

const Proof = ({ network, range }: { readonly network: string; readonly range: LedgerRange }) => (
  <Section title="Prove it">
    <p className="quiet">
      Each ledger holds the hash of the one before. This command checks every link; with{" "}
      <code>--against</code> and a server's address, it compares with that server too.
    </p>
    <Code what="the command">
      {`npx ledgerhook ledger verify \\
  --network ${network} \\
  --from ${range.first.ledger_index} \\
  --to ${range.last.ledger_index}`}
    </Code>
  </Section>
)

interface BesideProps {
  readonly coverage: NetworkCoverage
  readonly gaps: ReadonlyArray<Gap>
  readonly gap: Gap | undefined
  readonly hour: HourCell | undefined
  readonly onChoose: (gap: Gap) => void
}

export const Beside = ({ coverage, gaps, gap, hour, onChoose }: BesideProps) => {
  const newest = coverage.ranges.at(-1)
  return (
    <div className={`stack ${classes["beside"]}`}>
      {gap ? (
        <GapFacts
          network={coverage.network}
          gap={gap}
          others={gaps.filter((other) => other !== gap)}
          onChoose={onChoose}
        />
      ) : (
        hour && <HourFacts cell={hour} network={coverage.network} />
      )}
      <Now {...coverage} />
      {newest && <Proof network={coverage.network} range={newest} />}
    </div>
  )
}
