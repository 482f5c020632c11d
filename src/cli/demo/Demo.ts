/**
 * `ledgerhook demo`: the main job with no network and no configuration. A simulated ledger closes every second, three
 * receivers take the events, one at once, one slowly, one only at the third attempt. With `--ledgers N` it ends after N
 * ledgers, and its exit code says whether each event that the ledgers caused (known from their making, not from
 * detection) arrived at each receiver with a good signature.
 */
import { Clock, Effect, Option, Schedule } from "effect"
import { Command, Flag } from "effect/cli"
import { Limits } from "../../config/Limits.ts"
import { type ClosedLedger, expectedEventIds } from "../../ledger/simulated/SimulatedLedger.ts"
import { FailureReported } from "../Failure.ts"
import { Invocation, stdoutColour } from "../Invocation.ts"
import { print } from "../Output.ts"
import { Signals } from "../Signals.ts"
import { type DemoReceiver, FAILURES, type Sample, SLOW_MS, samples } from "./DemoReceiver.ts"
import { type DemoParts, startDemo } from "./DemoService.ts"
import { type DemoSnapshot, type DemoVerdict, ledgerLine, panel, summary } from "./DemoView.ts"

const CLOSE_EVERY_MS = 1_000

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

const difference = (from: Iterable<string>, other: { readonly has: (id: string) => boolean }) =>
  [...from].filter((id) => !other.has(id))

/** What each receiver lacks, has too much of, or got with a bad signature. */
const judge = (expected: ReadonlySet<string>, { counts }: DemoReceiver): DemoVerdict => {
  const faults = samples.flatMap((sample) => {
    const { accepted, wrongSignatures } = counts[sample]
    const missing = difference(expected, accepted)
    const surplus = difference(accepted.keys(), expected)
    return [
      ...(missing.length > 0
        ? [`${sample}: ${missing.length} events did not arrive, first ${missing[0]}`]
        : []),
      ...(surplus.length > 0
        ? [`${sample}: ${surplus.length} events nobody caused, first ${surplus[0]}`]
        : []),
      ...(wrongSignatures > 0 ? [`${sample}: ${wrongSignatures} wrong signatures`] : [])
    ]
  })
  return { ok: faults.length === 0 && expected.size > 0, expectedEvents: expected.size, faults }
}

const introduction = ({ apiUrl, key }: DemoParts) =>
  [
    `A simulated ledger closes every second; events go to three receivers: healthy, slow (${SLOW_MS} ms), and failing (refuses the first ${FAILURES} attempts).`,
    `Look around meanwhile:  curl -H 'X-Service-Key: ${key}' ${apiUrl}/v1/deliveries`
  ].join("\n")

const runDemo = Effect.fnUntraced(function* (ledgerLimit: number | undefined) {
  const invocation = yield* Invocation
  const live = invocation.stdoutTerminal
  const colour = stdoutColour(invocation)
  const parts = yield* startDemo
  yield* print(introduction(parts))

  const startedAt = yield* Clock.currentTimeMillis
  const expected = new Set<string>()
  const closed: Array<ClosedLedger["header"] & { readonly transactions: number }> = []
  const { counts } = parts.receiver

  const snapshot = Effect.gen(function* () {
    const statusOf = yield* statuses(parts)
    const last = closed.at(-1)
    const view: DemoSnapshot = {
      apiUrl: parts.apiUrl,
      ledgerUrl: parts.ledger.url,
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
  const draw = Effect.gen(function* () {
    const text = panel(yield* snapshot, colour)
    // Back to the panel's first line, and away with everything below.
    const back = drawnLines === 0 ? "" : `\u001b[${drawnLines}A\u001b[J`
    drawnLines = text.split("\n").length
    yield* print(`${back}${text}`)
  })

  const closeOne = Effect.gen(function* () {
    const ledger = yield* parts.ledger.close
    for (const id of expectedEventIds(ledger)) expected.add(id)
    closed.push({ ...ledger.header, transactions: ledger.transactions.length })
    if (!live) yield* print(ledgerLine(yield* snapshot))
  })

  const settled = Effect.suspend(() =>
    judge(expected, parts.receiver).ok ? Effect.void : Effect.fail("unsettled" as const)
  ).pipe(Effect.retry(Schedule.spaced(Limits.demoRefreshMs)), Effect.timeoutOption(Limits.demoSettleMs))

  const job = Effect.gen(function* () {
    if (ledgerLimit === undefined) yield* Effect.repeat(closeOne, Schedule.fixed(CLOSE_EVERY_MS))
    else {
      yield* Effect.repeat(closeOne, { schedule: Schedule.fixed(CLOSE_EVERY_MS), times: ledgerLimit - 1 })
      yield* settled
    }
  })
  const drawing = Effect.forever(Effect.andThen(draw, Effect.sleep(Limits.demoRefreshMs)))
  if (live) yield* Effect.raceFirst(job, drawing)
  else yield* job
  if (live) yield* draw

  const verdict = judge(expected, parts.receiver)
  yield* print(summary(yield* snapshot, verdict, colour))
  if (!verdict.ok) return yield* new FailureReported()
})

export const demo = Command.make(
  "demo",
  {
    ledgers: Flag.Int("ledgers").pipe(
      Flag.withDescription("End after this many ledgers, with a summary and a truthful exit code"),
      Flag.filter(
        (count) => count > 0,
        (count) => `--ledgers: ${count} is not valid; accepted: a number from 1 up.`
      ),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* ({ ledgers }) {
    const { untilStopped } = yield* Signals
    yield* untilStopped(runDemo(Option.getOrUndefined(ledgers)).pipe(Effect.scoped))
  })
).pipe(
  Command.withDescription(
    "The main job with no network and no configuration: a simulated ledger that closes every second, three webhooks with a built-in receiver, and a live view."
  ),
  Command.withShortDescription("See everything at work"),
  Command.withExamples([
    { command: "ledgerhook demo", description: "Until Ctrl-C" },
    {
      command: "ledgerhook demo --ledgers 20",
      description: "20 ledgers, a summary, and exit code 0 when nothing is missing"
    }
  ])
)
