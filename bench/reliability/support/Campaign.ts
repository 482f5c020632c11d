/**
 * Rounds of faults on one cluster under load. After each fault the load must reach every healthy receiver again; after
 * the rounds of a fault the verdict is taken. Duplicates and losses are those since the verdict before.
 */
import { Clock, Effect, type Scope } from "effect"
import { makeSeededRandom } from "../../../src/features/simulator/SeededRandom.ts"
import { type Cluster, type Store, startCluster } from "./Cluster.ts"
import { failovers } from "./Failovers.ts"
import { type Fault, faults } from "./Faults.ts"
import { countLog, type LogCount } from "./LogCount.ts"
import { healthyKinds, type KindName } from "./Receivers.ts"
import { repeatedMost, type Totals, verdictOf } from "./Verdict.ts"

export interface FaultResult {
  readonly store: Store
  readonly fault: string
  readonly rounds: number
  /** Why the fault was left out; undefined if it was not. */
  readonly leftOut?: string
  readonly deliveries: number
  readonly lost: ReadonlyArray<string>
  readonly failedWrongly: ReadonlyArray<string>
  readonly duplicates: number
  readonly duplicatesMost: number
  readonly outOfOrder: number
  /** Deliveries that were accepted, and whose record the database lost. */
  readonly forgotten: number
  /** From each fault's end until an event of a later ledger had arrived anywhere; null: never. */
  readonly firstSeconds: ReadonlyArray<number | null>
  /** From each fault's end until events of a later ledger had arrived at every healthy receiver; null: never. */
  readonly recoverySeconds: ReadonlyArray<number | null>
  readonly log: LogCount
}

export interface CampaignOptions {
  readonly store: Store
  readonly seed: number
  readonly rounds: number
  /** Names of `everyFault`. */
  readonly faults: ReadonlyArray<string>
  /** With a PostgreSQL that fails over. */
  readonly failover?: boolean
  readonly clockLibrary: string | undefined
  readonly progress: (line: string) => void
}

export const everyFault: Readonly<Record<string, Fault>> = { ...faults, ...failovers }

const LEDGER_EVERY_MS = 2_000
const TRANSACTIONS_PER_LEDGER = 4
/** The fault hits at any moment of the chain's pace. */
const BEFORE_MS = 2_500
const RECOVERY_MS = 300_000
const LOOK_MS = 50

/** Seconds until the load reaches one, and every healthy receiver, and which one was the last; null if it does not. */
export const recovery = Effect.fnUntraced(function* ({ load, receivers }: Cluster) {
  const from = yield* Clock.currentTimeMillis
  const ledger = load.lastLedger()
  let waiting: ReadonlyArray<KindName> = healthyKinds
  let last = waiting[0]
  let first: number | null = null
  const elapsed = Effect.map(Clock.currentTimeMillis, (nowMs) => (nowMs - from) / 1_000)
  while (waiting.length > 0) {
    if ((yield* Clock.currentTimeMillis) > from + RECOVERY_MS)
      return { first, seconds: null, last: waiting.join() }
    yield* Effect.sleep(LOOK_MS)
    last = waiting[0]
    waiting = waiting.filter((name) => receivers.ledgerOf(name) <= ledger)
    if (waiting.length < healthyKinds.length) first ??= yield* elapsed
  }
  return { first, seconds: yield* elapsed, last }
})

export const recovered = ({ seconds, last }: Effect.Success<ReturnType<typeof recovery>>): string =>
  seconds === null ? `NOT RECOVERED: ${last}` : `recovered in ${seconds.toFixed(1)} s, last ${last}`

const outputsOf = ({ members }: Cluster) => members.map(({ output }) => output())

const nothing: Totals = {
  deliveries: 0,
  lost: [],
  forgotten: 0,
  duplicates: 0,
  failedWrongly: [],
  outOfOrder: 0
}

/** One list of sentences less another that it begins with, in any order. */
const since = (now: ReadonlyArray<string>, before: ReadonlyArray<string>) =>
  now.filter((sentence) => !before.includes(sentence))

const runFault = Effect.fnUntraced(function* (
  cluster: Cluster,
  options: CampaignOptions,
  fault: string,
  before: Totals
) {
  // A key of the table.
  const { missing, strike } = everyFault[fault] as Fault
  const leftOut = missing?.(cluster)
  const outputsBefore = outputsOf(cluster)
  const firstSeconds: Array<number | null> = []
  const recoverySeconds: Array<number | null> = []
  let deliverers = 0
  let unknown = 0
  for (let round = 1; leftOut === undefined && round <= options.rounds; round++) {
    yield* Effect.sleep(cluster.random.int(0, BEFORE_MS))
    const struck = yield* strike(cluster)
    deliverers += struck.deliverers
    unknown += struck.unknown ?? 0
    const took = yield* recovery(cluster)
    firstSeconds.push(took.first)
    recoverySeconds.push(took.seconds)
    options.progress(
      `${options.store} ${fault} ${round}/${options.rounds}: ${struck.what}, ${recovered(took)}`
    )
  }
  const totals = yield* verdictOf(cluster)
  const result: FaultResult = {
    store: options.store,
    fault,
    rounds: recoverySeconds.length,
    ...(leftOut === undefined ? {} : { leftOut }),
    deliveries: totals.deliveries - before.deliveries,
    lost: since(totals.lost, before.lost),
    forgotten: totals.forgotten - before.forgotten,
    failedWrongly: since(totals.failedWrongly, before.failedWrongly),
    duplicates: totals.duplicates - before.duplicates,
    duplicatesMost: deliverers * repeatedMost + unknown,
    outOfOrder: totals.outOfOrder - before.outOfOrder,
    firstSeconds,
    recoverySeconds,
    log: countLog(
      outputsOf(cluster)
        .map((output, i) => output.slice(outputsBefore[i]!.length))
        .join("\n")
    )
  }
  return { totals, result }
})

/** Reports each fault's result when it is known. */
export const runCampaign = Effect.fnUntraced(function* (
  options: CampaignOptions,
  report: (result: FaultResult) => void
): Effect.fn.Return<void, Error, Scope.Scope> {
  const { store, seed, clockLibrary, failover = false, progress } = options
  const cluster = yield* startCluster({
    store,
    seed,
    failover,
    random: makeSeededRandom(seed),
    clockLibrary: options.faults.includes("clock") ? clockLibrary : undefined,
    everyMs: LEDGER_EVERY_MS,
    transactionsPerLedger: TRANSACTIONS_PER_LEDGER
  })
  cluster.load.flowing = true
  const first = yield* recovery(cluster)
  if (first.seconds === null) {
    return yield* Effect.fail(new Error(`nothing arrives without a fault:\n${outputsOf(cluster).join("\n")}`))
  }
  progress(`${store}: without a fault events arrive within ${first.seconds.toFixed(1)} s`)
  let before = nothing
  for (const fault of options.faults) {
    const { totals, result } = yield* runFault(cluster, options, fault, before)
    before = totals
    report(result)
  }
})
