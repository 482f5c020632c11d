/** One network's coverage: a strip of its ledgers, and the figures in words. */
import { Fragment } from "react"
import type { LedgerRange, NetworkCoverage } from "../../api/ledgerhook.ts"
import { Code } from "../../parts/Code.tsx"
import { count, duration, plural } from "../../parts/format.ts"
import { Section } from "../../parts/Page.tsx"
import { Status, type StatusName } from "../../parts/Status.tsx"
import { Time } from "../../parts/Time.tsx"
import classes from "./CoveredNetwork.module.css"
import { ledgersPerMinute } from "./pace.ts"
import { type Segment, segmentsOf } from "./segments.ts"

const words: Record<Segment["kind"], string> = { taken: "taken", gap: "missing", coming: "still to take" }

const ledgers = ({ first, last }: Pick<Segment, "first" | "last">): string =>
  first === last ? `ledger ${count(first)}` : `ledgers ${count(first)} to ${count(last)}`

const Strip = ({ segments }: { readonly segments: ReadonlyArray<Segment> }) => (
  <>
    <div
      className={classes["strip"]}
      role="img"
      aria-label={segments.map((one) => `${ledgers(one)} ${words[one.kind]}`).join("; ")}
    >
      {segments.map((segment) => (
        <div
          key={segment.first}
          data-kind={segment.kind}
          style={{ flexGrow: segment.percent }}
          title={`${ledgers(segment)}: ${words[segment.kind]}`}
        />
      ))}
    </div>
    <div className={classes["ends"]}>
      <span>{count(segments[0]!.first)}</span>
      <span>{count(segments.at(-1)!.last)}</span>
    </div>
  </>
)

const Proof = ({ network, range }: { readonly network: string; readonly range: LedgerRange }) => (
  <>
    <h3 className={classes["proof"]}>Prove it</h3>
    <p className="quiet">
      Each ledger holds the hash of the one before, so a missing ledger cannot be hidden. The operator can
      check every link with this command; with <code>--against</code> and a server's address, it compares with
      that server too.
    </p>
    <Code what="the command">
      {`npx ledgerhook ledger verify --network ${network} --from ${range.first.ledger_index} --to ${range.last.ledger_index}`}
    </Code>
  </>
)

const stateOf = (taken: number, gaps: number, behind: boolean): StatusName =>
  gaps > 0 ? "gaps" : taken === 0 ? "waiting" : behind ? "catching up" : "complete"

export const CoveredNetwork = ({ network, ranges, head, catching_up, skipped = [] }: NetworkCoverage) => {
  const segments = segmentsOf({ ranges, catching_up })
  const gaps = segments.filter(({ kind }) => kind === "gap")
  const oldest = ranges[0]
  const newest = ranges.at(-1)
  const taken = ranges.reduce((sum, range) => sum + range.ledgers, 0)
  const pace = newest && ledgersPerMinute(newest)
  return (
    <Section title={newest?.simulated ? `${network} (simulated ledger)` : network}>
      <div className="row" style={{ marginBottom: "0.9rem" }}>
        <Status of={stateOf(taken, gaps.length, catching_up !== null)} />
        <span>
          {taken === 0
            ? "No ledger has been taken yet. The service takes the next one that a server announces."
            : gaps.length === 0
              ? `${plural(taken, "ledger")} taken, ${skipped.length === 0 ? "none missing" : `${count(skipped.length)} skipped`}`
              : `${plural(taken, "ledger")} taken, ${plural(gaps.length, "gap")}`}
        </span>
      </div>
      {segments.length > 0 && <Strip segments={segments} />}
      {oldest && newest && (
        <dl className="facts" style={{ marginTop: "1rem" }}>
          <dt>Oldest kept ledger</dt>
          <dd>
            {count(oldest.first.ledger_index)}, closed <Time at={oldest.first.close_time} />
          </dd>
          <dt>Newest taken ledger</dt>
          <dd>
            {count(newest.last.ledger_index)}, closed <Time at={newest.last.close_time} />
            <div className="mono quiet">{newest.last.ledger_hash}</div>
          </dd>
          {head && (
            <>
              <dt>Newest announced</dt>
              <dd>
                {count(head.ledger_index)}, {duration(head.age_ms)} ago
              </dd>
            </>
          )}
          {pace !== undefined && (
            <>
              <dt>Pace of the network</dt>
              <dd>{count(pace)} ledgers a minute</dd>
            </>
          )}
          {catching_up && (
            <>
              <dt>Still to take</dt>
              <dd>
                {ledgers({ first: catching_up.from, last: catching_up.to })}
                {catching_up.seconds_left !== null &&
                  `, about ${duration(catching_up.seconds_left * 1_000)} left`}
                {catching_up.ledgers_per_second !== null &&
                  ` at ${count(Math.round(catching_up.ledgers_per_second * 60))} ledgers a minute`}
              </dd>
            </>
          )}
          {gaps.map((gap) => (
            <Fragment key={gap.first}>
              <dt>Missing</dt>
              <dd className={classes["missing"]}>
                {ledgers(gap)}: the service was started again at a later ledger, so the events of these are
                not known.
              </dd>
            </Fragment>
          ))}
          {skipped.map(({ ledger_index, reason, skipped_at }) => (
            <Fragment key={ledger_index}>
              <dt>Skipped</dt>
              <dd className={classes["missing"]}>
                ledger {count(ledger_index)}, <Time at={skipped_at} />: {reason}. Its events are not known.
              </dd>
            </Fragment>
          ))}
        </dl>
      )}
      {newest && <Proof network={network} range={newest} />}
    </Section>
  )
}
