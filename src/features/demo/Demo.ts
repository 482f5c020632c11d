/**
 * `ledgerhook demo`: runs the whole service without network or settings. A simulated ledger closes every second. Five
 * receivers get the events: one answers slowly, one accepts only the third attempt. With `--ledgers N` the demo ends
 * after N ledgers, and exits 0 only if each event that the simulator caused (not: that was detected) arrived at each
 * receiver that wants it with a valid signature. A signal ends it with a summary and exit code 0, or 130 with `--ledgers`.
 */

import { Clock, Effect, Option, References, Schedule } from "effect"
import { Command, Flag } from "effect/cli"
import { typeOfEventId } from "../../spine/event/EventId.ts"
import { expandPatterns } from "../../spine/event/EventPatterns.ts"
import type { WebhookId } from "../../spine/words/Ids.ts"
import { FailureReported } from "../../terminal/Failure.ts"
import { optional, wholeNumber } from "../../terminal/Flags.ts"
import { about } from "../../terminal/Help.ts"
import { Invocation, stdoutColour } from "../../terminal/Invocation.ts"
import { print, terminalRows } from "../../terminal/Output.ts"
import { REFRESH_MS } from "../../terminal/ProgressLine.ts"
import { Signals } from "../../terminal/Signals.ts"
import type { ClosedLedger } from "../simulator/Chain.ts"
import { bySample, FAILURES, type Sample, SLOW_MS, samples, sampleWebhooks } from "./DemoReceiver.ts"
import type { DemoParts } from "./DemoService.ts"
import { type DemoSnapshot, ledgerLine, panel, summary } from "./DemoView.ts"
import { judge } from "./Verdict.ts"

/**
 * How long the demo waits after the last ledger: twice the first delays of the schedule, plus reserve for slow
 * machines.
 */
const SETTLE_MS = 60_000

const CLOSE_EVERY_MS = 1_000
const MOST_LEDGERS = 1_000_000

/** Counts the deliveries of each receiver by status, from the database. */
const statuses = Effect.fnUntraced(function* ({ sql, webhookIds }: DemoParts) {
  const rows = yield* sql<{
    readonly webhook_id: WebhookId
    readonly status: string
    readonly count: number
  }>`
    SELECT webhook_id, status, count(*)::int AS count FROM deliveries GROUP BY webhook_id, status`
  return (sample: Sample, status: string) =>
    rows.find((row) => webhookIds.get(row.webhook_id) === sample && row.status === status)?.count ?? 0
})

const tally = (types: Iterable<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1)
  return counts
}

const introduction = ({ apiUrl, key, signInUrl }: DemoParts) =>
  [
    "",
    "A simulated ledger closes every second. Its events are delivered to five receivers:",
    `healthy answers at once, slow after ${SLOW_MS} ms, failing refuses the first ${FAILURES} attempts of each delivery;`,
    "payments and trades want only some of the events.",
    "Meanwhile, open the dashboard in a browser. This link signs in once, within 10 minutes:",
    "",
    `  ${signInUrl}`,
    "",
    `Later, sign in at ${apiUrl}/ with the key ${key}`,
    "",
    "Or try the API:",
    "",
    `  curl -H 'X-Service-Key: ${key}' ${apiUrl}/v1/deliveries`
  ].join("\n")

const runDemo = Effect.fnUntraced(function* (ledgerLimit: number | undefined) {
  // Imported here, so that other commands start faster.
  const { startDemo } = yield* Effect.promise(() => import("./DemoService.ts"))
  const { expectedEventIds } = yield* Effect.promise(() => import("../simulator/Chain.ts"))
  const invocation = yield* Invocation
  const live = invocation.stdoutTerminal
  const colour = stdoutColour(invocation)
  const { untilStopped } = yield* Signals
  /** With `--ledgers`, an interrupted run has no result, so it exits 130. */
  const interrupted = ledgerLimit === undefined ? Effect.void : Effect.interrupt
  const started = yield* untilStopped(startDemo)
  if (Option.isNone(started)) return yield* interrupted
  const parts = started.value
  yield* print(introduction(parts))

  const startedAt = yield* Clock.currentTimeMillis
  const wanted = bySample((sample) => new Set<string>(expandPatterns(sampleWebhooks[sample].event_types)))
  const expected = bySample(() => new Set<string>())
  const closed: Array<ClosedLedger["header"] & { readonly transactions: number }> = []
  const { counts } = parts.receiver

  const snapshot = Effect.gen(function* () {
    const statusOf = yield* statuses(parts)
    const last = closed.at(-1)
    const view: DemoSnapshot = {
      elapsedMs: (yield* Clock.currentTimeMillis) - startedAt,
      ledgers: closed.length,
      ledgerLimit,
      lastLedger: last && {
        index: last.ledger_index,
        hash: last.ledger_hash,
        transactions: last.transactions
      },
      events: tally(counts.healthy.accepted.values()),
      samples: samples.map((sample) => ({
        sample,
        attempts: counts[sample].attempts,
        delivered: counts[sample].accepted.size,
        refused: counts[sample].refused,
        retrying: statusOf(sample, "retrying"),
        pending: statusOf(sample, "pending")
      }))
    }
    return view
  })

  let drawnLines = 0
  /** Moves the cursor to the panel's first line and clears everything below. */
  const erased = () => (drawnLines === 0 ? "" : `\u001b[${drawnLines}A\u001b[J`)
  const draw = Effect.gen(function* () {
    const lines = panel(yield* snapshot, colour, terminalRows() - 1)
    const back = erased()
    drawnLines = lines.length
    yield* print(back + lines.join("\n"))
  })

  const closeOne = Effect.gen(function* () {
    const ledger = yield* parts.close
    for (const id of expectedEventIds(ledger)) {
      for (const sample of samples) if (wanted[sample].has(typeOfEventId(id))) expected[sample].add(id)
    }
    closed.push({ ...ledger.header, transactions: ledger.transactions.length })
    if (!live) yield* print(ledgerLine(yield* snapshot))
  })

  const verdict = Effect.map(statuses(parts), (statusOf) => judge(expected, parts.receiver.counts, statusOf))
  const settled = verdict.pipe(
    Effect.flatMap(({ ok }) => (ok ? Effect.void : Effect.fail("unsettled" as const))),
    Effect.retry(Schedule.spaced(REFRESH_MS)),
    Effect.timeoutOption(SETTLE_MS)
  )

  const job = Effect.gen(function* () {
    if (ledgerLimit === undefined) yield* Effect.repeat(closeOne, Schedule.fixed(CLOSE_EVERY_MS))
    else {
      yield* Effect.repeat(closeOne, { schedule: Schedule.fixed(CLOSE_EVERY_MS), times: ledgerLimit - 1 })
      yield* settled
    }
  })
  const drawing = Effect.forever(Effect.andThen(draw, Effect.sleep(REFRESH_MS)))
  const stopped = Option.isNone(yield* untilStopped(live ? Effect.raceFirst(job, drawing) : job))

  const outcome = yield* verdict
  yield* print(erased() + summary(yield* snapshot, outcome, stopped, colour))
  if (stopped) return yield* interrupted
  if (!outcome.ok) return yield* new FailureReported()
})

export const demo = Command.make(
  "demo",
  {
    ledgers: wholeNumber("ledgers", 1, MOST_LEDGERS, `a number from 1 to ${MOST_LEDGERS}`).pipe(
      Flag.withDescription(
        "End after this many ledgers, with a summary; exit 0 only if every event arrived everywhere"
      ),
      optional
    )
  },
  Effect.fnUntraced(function* ({ ledgers }) {
    const { environment } = yield* Invocation
    // Log messages would disturb the view.
    const quiet = (environment["LOG_LEVEL"] ?? "") === "" ? "Warn" : yield* References.MinimumLogLevel
    yield* runDemo(ledgers).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, quiet))
  })
).pipe(
  about(
    "Try the service without network or settings",
    "Run the whole service without network or settings: a simulated ledger that closes every second, five webhooks with a built-in receiver, and a view that updates itself.",
    {
      "ledgerhook demo": "Run until Ctrl-C, then print a summary",
      "ledgerhook demo --ledgers 20": "Run 20 ledgers and print a summary; exit 0 if nothing is missing"
    }
  )
)
