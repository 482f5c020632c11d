/**
 * `ledgerhook demo`: the main job with no network and no configuration. A simulated ledger closes every second, three
 * receivers take the events, one at once, one slowly, one only at the third attempt. With `--ledgers N` it ends after N
 * ledgers, and its exit code says whether each event that the ledgers caused (known from their making, not from
 * detection) arrived at each receiver with a good signature. A signal ends it with a summary: exit code 0, or 130 with
 * `--ledgers`, whose question has no answer then.
 */
import { Clock, Effect, Option, References, Schedule } from "effect"
import { Command, Flag } from "effect/cli"
import { Limits } from "../../../config/Limits.ts"
import type { ClosedLedger } from "../../../simulator/Chain.ts"
import { FailureReported } from "../../terminal/Failure.ts"
import { wholeNumber } from "../../terminal/Flags.ts"
import { about } from "../../terminal/Help.ts"
import { Invocation, stdoutColour } from "../../terminal/Invocation.ts"
import { print, terminalRows } from "../../terminal/Output.ts"
import { Signals } from "../../terminal/Signals.ts"
import { FAILURES, type Sample, SLOW_MS, samples } from "./DemoReceiver.ts"
import type { DemoParts } from "./DemoService.ts"
import { type DemoSnapshot, ledgerLine, panel, summary } from "./DemoView.ts"
import { judge } from "./Verdict.ts"

const CLOSE_EVERY_MS = 1_000
/** More than eleven days. */
const MOST_LEDGERS = 1_000_000

/** How many deliveries of each sample have which status, as the rows say. */
const statuses = Effect.fnUntraced(function* ({ sql, webhookIds }: DemoParts) {
  const rows = yield* sql<{ readonly webhook_id: string; readonly status: string; readonly count: number }>`
    SELECT webhook_id, status, count(*)::int AS count FROM deliveries GROUP BY webhook_id, status`
  return (sample: Sample, status: string) =>
    rows.find((row) => webhookIds.get(row.webhook_id) === sample && row.status === status)?.count ?? 0
})

const tally = (types: Iterable<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1)
  return counts
}

const introduction = ({ apiUrl, key }: DemoParts) =>
  [
    "",
    "A simulated ledger closes every second. Its events go to three receivers:",
    `healthy answers at once, slow after ${SLOW_MS} ms, failing refuses the first ${FAILURES} attempts of each delivery.`,
    "Look around meanwhile:",
    "",
    `  curl -H 'X-Service-Key: ${key}' ${apiUrl}/v1/deliveries`
  ].join("\n")

const runDemo = Effect.fnUntraced(function* (ledgerLimit: number | undefined) {
  // Imported here, so that the small commands do not load the whole service.
  const { startDemo } = yield* Effect.promise(() => import("./DemoService.ts"))
  const { expectedEventIds } = yield* Effect.promise(() => import("../../../simulator/Chain.ts"))
  const invocation = yield* Invocation
  const live = invocation.stdoutTerminal
  const colour = stdoutColour(invocation)
  const { untilStopped } = yield* Signals
  /** With `--ledgers`, the exit code answers a question; an interrupted run has no answer. */
  const interrupted = ledgerLimit === undefined ? Effect.void : Effect.interrupt
  const started = yield* untilStopped(startDemo)
  if (Option.isNone(started)) return yield* interrupted
  const parts = started.value
  yield* print(introduction(parts))

  const startedAt = yield* Clock.currentTimeMillis
  const expected = new Set<string>()
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
  /** Back to the panel's first line, and away with everything below. */
  const erased = () => (drawnLines === 0 ? "" : `\u001b[${drawnLines}A\u001b[J`)
  const draw = Effect.gen(function* () {
    const lines = panel(yield* snapshot, colour, terminalRows() - 1)
    const back = erased()
    drawnLines = lines.length
    yield* print(back + lines.join("\n"))
  })

  const closeOne = Effect.gen(function* () {
    const ledger = yield* parts.close
    for (const id of expectedEventIds(ledger)) expected.add(id)
    closed.push({ ...ledger.header, transactions: ledger.transactions.length })
    if (!live) yield* print(ledgerLine(yield* snapshot))
  })

  const verdict = Effect.map(statuses(parts), (statusOf) => judge(expected, parts.receiver.counts, statusOf))
  const settled = verdict.pipe(
    Effect.flatMap(({ ok }) => (ok ? Effect.void : Effect.fail("unsettled" as const))),
    Effect.retry(Schedule.spaced(Limits.demoRefreshMs)),
    Effect.timeoutOption(Limits.demoSettleMs)
  )

  const job = Effect.gen(function* () {
    if (ledgerLimit === undefined) yield* Effect.repeat(closeOne, Schedule.fixed(CLOSE_EVERY_MS))
    else {
      yield* Effect.repeat(closeOne, { schedule: Schedule.fixed(CLOSE_EVERY_MS), times: ledgerLimit - 1 })
      yield* settled
    }
  })
  const drawing = Effect.forever(Effect.andThen(draw, Effect.sleep(Limits.demoRefreshMs)))
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
      Flag.withDescription("End after this many ledgers, with a summary and a truthful exit code"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* ({ ledgers }) {
    const { environment } = yield* Invocation
    // The view says what happens; messages would only tear it.
    const quiet = (environment["LOG_LEVEL"] ?? "") === "" ? "Warn" : yield* References.MinimumLogLevel
    yield* runDemo(Option.getOrUndefined(ledgers)).pipe(
      Effect.scoped,
      Effect.provideService(References.MinimumLogLevel, quiet)
    )
  })
).pipe(
  about(
    "See everything at work",
    "The main job with no network and no configuration: a simulated ledger that closes every second, three webhooks with a built-in receiver, and a live view.",
    {
      "ledgerhook demo": "Until Ctrl-C, which prints a summary",
      "ledgerhook demo --ledgers 20": "20 ledgers, a summary, and exit code 0 when nothing is missing"
    }
  )
)
