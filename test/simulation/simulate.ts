/**
 * One run of the whole chain by seed: ledgers become deliveries in several processes while faults happen and customers
 * act. Then a quiet phase in which everything must settle, and the checks (checks.ts).
 */

import { Effect, Layer, Logger } from "effect"
import { SqlClient, type SqlConnection } from "effect/sql"
import { SHARED_MS } from "../../src/features/progress/UnfinishedWork.ts"
import { asLedger } from "../../src/features/simulator/Chain.ts"
import { makeSeededRandom, type SeededRandom } from "../../src/features/simulator/SeededRandom.ts"
import { detectLedger } from "../../src/spine/detect/Detect.ts"
import { isoTime } from "../../src/spine/event/Ledger.ts"
import { check } from "./checks.ts"
import { makeDisableWatch } from "./disableWatch.ts"
import type { Evidence } from "./evidence.ts"
import { type Faults, makeFaults } from "./faults.ts"
import { leftToDo } from "./leftToDo.ts"
import { makeProgressWatch } from "./progressWatch.ts"
import { occurringIn } from "./wishes.ts"
import { makeFailovers } from "./world/failovers.ts"
import { makeLedgers, type TimedLedger } from "./world/ledgerServers.ts"
import { allStages } from "./world/limits.ts"
import { embeddedLog, sharedLog } from "./world/logs.ts"
import { BEGAN_MS, webhookId } from "./world/machinery.ts"
import { ACCOUNT } from "./world/node.ts"
import {
  act,
  activateAll,
  beginHold,
  createWebhook,
  endHold,
  noteDisabled,
  type OperatorParts,
  operatorLayer
} from "./world/operator.ts"
import { makeProcesses } from "./world/processes.ts"
import { kinds, makeReceivers } from "./world/receivers.ts"
import { makeStore } from "./world/store.ts"
import { makeTimeline, type Process } from "./world/timeline.ts"

const LEDGERS = 6
/** Ledgers that close after the faults have ended. */
const QUIET_LEDGERS = 2
const QUIET_LEDGER_MS = 1_000
/** A ledger that closes so long after a moment is later than it by every process's clock. */
const SURELY_LATER_MS = 3_000
/** Faults and customers continue for this long after the last ledger before the quiet ones. */
const AFTERMATH_MS = 6_000
/** Simulated time in which everything must settle once it is quiet: less than any step of a clock. */
const SETTLED_MS = 90_000
/** How often that is checked, and how long it must last: progress is late by two reads that are shared. */
const LOOK_MS = 500
const SETTLED_STAYS_MS = 1_000 + 2 * SHARED_MS
const LIMIT_MS = 24 * 3_600_000
const PARTITIONS = 2
const NEVER = 1_000_000
/** Consecutive failed deliveries after which a webhook is disabled: soon in half of the runs. */
const DISABLE_AFTER = [1, 2, NEVER, NEVER]
/** In these runs, failing receivers fail for this long after the faults have ended. */
const FAILING_MS = 5_000
/** How many of the runs suspend the account and use up its quota. */
const HOLDS = 0.3
/** How many of the runs set clocks, and how often at each step of the run. */
const CLOCKS_SET = 0.4
const CLOCK_IS_SET = 0.1
const CLOCK_SEEDS = 1_000_000
const ASKED_SEEDS = 2_000_000
const FAILOVER_SEEDS = 3_000_000
const CLOCK_STEPS_MS = [-3_600_000, -100_000, 100_000, 3_600_000]
/** How many of the runs have history servers, and replays of ledgers before the service's first one. */
const HISTORY = 0.4

const limits = {
  ...allStages,
  partitionDeliveries: 12,
  partitionReplays: 8,
  takeBatchRecords: 10,
  // Three to five webhooks: an event that most of them want is routed in parts.
  routeBatchDeliveries: 2,
  routePartDeliveries: 1,
  routeDeferredMost: 20,
  routeAheadRecords: 20,
  lanePageRows: 4,
  unrecordedMost: 4,
  delayBatchRecords: 5,
  commitEveryMs: 500,
  progressRecords: 5,
  earlyWorkMs: 1_000
}

const recordsAttempts = (sql: string) => sql.includes("INTO attempts")
/** Of rows before their first outcome. */
const writesWaiting = (sql: string) => sql.includes("INTO deliveries") || sql.includes("SET parked = true")

const eventsOf = ({ closed }: TimedLedger) => detectLedger(asLedger(closed)).events

const timedEventsOf = (ledger: TimedLedger) => {
  const timestamp = isoTime(ledger.closed.header.close_time)
  return eventsOf(ledger).map((event) => ({ ...event, timestamp }))
}

const indexOf = ({ closed }: TimedLedger) => closed.header.ledger_index

export interface SimulateOptions {
  readonly tell?: ((line: string) => void) | undefined
  readonly failsOver?: boolean
}

/**
 * `failsOver`: one process with the embedded log, in a database that loses its newest transactions at times. Customers
 * do nothing that would be lost.
 */
export const simulate = Effect.fnUntraced(function* (
  seed: number,
  real: SqlConnection.Connection,
  { failsOver = false, tell = () => undefined }: SimulateOptions = {}
) {
  const chance = makeSeededRandom(seed)
  const stream = (): SeededRandom => makeSeededRandom(chance.int(0, 2 ** 31))
  const timeline = makeTimeline(BEGAN_MS)
  const { nowMs } = timeline
  const trace = (who: string, what: string) =>
    tell(`${((nowMs() - BEGAN_MS) / 1_000).toFixed(3)} ${who}: ${what}`)
  const faults: Faults = makeFaults(stream(), nowMs)
  const disableAfter = failsOver ? NEVER : chance.pick(DISABLE_AFTER)
  const customers = timeline.process("customers")
  const watcher = timeline.process("watcher")
  /** Records of attempts that landed although the process got an error. */
  let recordsUnheard = 0
  const store = makeStore(real, timeline, {
    // Who asks for progress is no part of the run.
    delayMs: (process) => (process === watcher ? 0 : faults.store.delayMs(process)),
    fate: (process, sql) => {
      const fate = process === customers || process === watcher ? "lands" : faults.store.fate(process, sql)
      if (fate === "lands and fails" && recordsAttempts(sql)) recordsUnheard++
      return fate
    },
    isQuiet: () => faults.quiet,
    dies: (process, sql) => {
      const write = recordsAttempts(sql) ? "attempts" : writesWaiting(sql) ? "waiting" : "other"
      const dies = process !== customers && process !== watcher && faults.diesAfterWrite(write)
      if (dies) trace(process.name, "dies after a write to the database")
      return dies
    }
  })
  const logs = failsOver ? yield* embeddedLog(store.clientOf(customers)) : sharedLog(chance)
  const { log } = logs
  const receivers = makeReceivers(timeline, stream())
  const { past, own: ledgers } = makeLedgers(seed, stream(), BEGAN_MS + 2_000, LEDGERS + QUIET_LEDGERS)
  /** When the last ledgers close, after the faults have ended. */
  const quietClosesMs: Array<number> = []
  const timed = ledgers.map((ledger, i) => ({
    ...ledger,
    get closedMs() {
      return i < LEDGERS ? ledger.closedMs : (quietClosesMs[i - LEDGERS] ?? Number.POSITIVE_INFINITY)
    }
  }))
  const hasHistory = chance.flip(HISTORY)
  const detected = ledgers.flatMap(eventsOf)
  const evidence: Evidence = {
    limits,
    ledgers: ledgers.map(({ closed }) => closed),
    past: past.map(({ closed }) => closed),
    historyFails: faults.servers.lying() + faults.servers.lacks() > 0,
    webhooks: [],
    replays: [],
    holds: [],
    routed: [],
    defects: [],
    moves: [],
    disableAfter,
    notDisabled: [],
    progress: [],
    settledProgress: [],
    appended: new Map(),
    clocksDifferMs: 2_000,
    leasesLost: 0,
    failovers: 0,
    unknownRequests: new Map(),
    kills: 0,
    suspensions: 0,
    zombies: 0
  }
  const operator: OperatorParts = {
    chance: stream(),
    nowMs,
    webhooks: evidence.webhooks,
    replays: evidence.replays,
    holds: evidence.holds,
    mayHold: !failsOver && chance.flip(HOLDS),
    occurring: occurringIn(detected),
    past: hasHistory ? past.flatMap(timedEventsOf) : []
  }
  const processes = makeProcesses({
    chance,
    stream,
    timeline,
    store,
    logs,
    receivers,
    ledgers: timed,
    history: hasHistory ? [...past, ...timed] : undefined,
    faults,
    limits,
    evidence,
    trace
  })

  const world = Effect.gen(function* () {
    yield* makeAccount
    for (let i = 0, count = chance.int(3, 5); i < count; i++) {
      const id = webhookId(`W${i}`, i % PARTITIONS)
      const kind = i === 0 ? "fast" : chance.pick(kinds)
      const strict = chance.flip(0.4)
      yield* createWebhook(operator, {
        id,
        receiver: receivers.add(`/${id}`, kind),
        strict,
        maxInFlight: strict ? 1 : chance.pick([1, 1, 2, 4]),
        maxPerSecond: chance.flip(0.2) ? chance.pick([2, 5]) : null,
        batch: chance.flip(0.3) ? { max_events: chance.pick([2, 5]), max_wait_ms: 200 } : null
      })
      trace("customer", `creates ${id} (${kind})`)
    }
    const progressOf = yield* makeProgressWatch(evidence, asked).pipe(Effect.provide(layersOf(watcher)))
    yield* processes.startAll(failsOver ? 1 : chance.int(2, 3))

    let untilMs = ledgers[LEDGERS - 1]!.closedMs + AFTERMATH_MS
    for (let n = 1; nowMs() < untilMs; n++) {
      yield* Effect.sleep(chance.int(1, 8) * 100)
      yield* look
      if (failsOver) yield* failovers.step
      if (!failovers.isBehind() && chance.flip(0.35)) trace("customer", yield* act(operator, n))
      yield* processes.step(n)
      if (chance.flip(faults.processes)) {
        const group = chance.pick(["deliver", "route", "events", "delay"])
        trace("cluster", `rebalances ${group}`)
        logs.rebalance(group, (members) => chance.shuffle(members))
      }
      if (chance.flip(0.03)) {
        const ms = chance.int(5, 60) * 100
        const isStore = chance.flip(0.5)
        trace(isStore ? "database" : "log", `is down for ${ms} ms`)
        if (isStore) faults.storeDownUntilMs = nowMs() + ms
        else faults.logDownUntilMs = nowMs() + ms
      }
      if (setsClocks && clocks.flip(CLOCK_IS_SET)) setClock()
      if (chance.flip(0.01)) {
        const minutes = chance.int(1, 60)
        trace("machine", `is suspended for ${minutes} min`)
        timeline.jump(minutes * 60_000)
        evidence.leasesLost++
        evidence.suspensions++
        // The faults last for as long as without the jump.
        untilMs += minutes * 60_000
      }
    }
    yield* failovers.end
    yield* processes.allUp
    // A restart would hide what waits for too long.
    if (setsClocks) setClock()

    trace("world", "is quiet")
    faults.quiet = true
    const quietFromMs = nowMs()
    if (disableAfter < NEVER) {
      receivers.recover(false)
      while (nowMs() < quietFromMs + FAILING_MS) yield* Effect.andThen(Effect.sleep(LOOK_MS), look)
    }
    // A success after failures must reset a webhook's counter.
    receivers.recover(true)
    if (operator.mayHold) yield* holdThroughLedger
    else quietClosesMs.push(nowMs() + QUIET_LEDGER_MS, nowMs() + 2 * QUIET_LEDGER_MS)
    let waiting = "all"
    while (waiting !== "" && nowMs() < quietFromMs + SETTLED_MS) {
      // What failed before may still disable a webhook.
      yield* look
      yield* activateAll(operator)
      yield* Effect.sleep(LOOK_MS)
      waiting = yield* left.open
    }
    if (waiting !== "") return [{ check: "settles", what: `after ${SETTLED_MS} ms: ${waiting}` }]
    trace("world", "has settled")
    // What should not happen any more would happen now.
    yield* Effect.sleep(SETTLED_STAYS_MS)
    for (const { id } of evidence.webhooks) evidence.settledProgress.push(yield* progressOf(id))
    return yield* check(evidence)
  })

  // A source of its own, so that runs without this fault do not depend on it.
  const clocks = makeSeededRandom(seed + CLOCK_SEEDS)
  const asked = makeSeededRandom(seed + ASKED_SEEDS)
  const left = leftToDo(log, indexOf(ledgers.at(-1)!))
  const failovers = makeFailovers({
    chance: makeSeededRandom(seed + FAILOVER_SEEDS),
    store,
    nowMs,
    evidence,
    downUntil: (ms) => {
      faults.storeDownUntilMs = ms
    },
    trace
  })
  const setsClocks = clocks.flip(CLOCKS_SET)
  /** Sets the clock of a process, of the database, or of the machine on which all of them run. */
  const setClock = () => {
    const ms = clocks.pick(CLOCK_STEPS_MS)
    const whose = clocks.pick(["process", "process", "database", "machine"] as const)
    evidence.clocksDifferMs += Math.abs(ms)
    if (whose === "process") return processes.stepClock(clocks.int(0, 2), ms)
    trace(whose, `its clock is set by ${ms / 1_000} s`)
    if (whose === "machine") timeline.step(ms)
    else store.step(ms)
    // Leases are by the clock of the database.
    evidence.leasesLost++
  }

  const makeAccount = Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      INSERT INTO accounts (id, name, email, plan, created_at)
      VALUES (${ACCOUNT}, 'Simulated', NULL, 'enterprise', clock_timestamp())`
  )

  let lookedMs = nowMs()
  const watchDisabled = makeDisableWatch(disableAfter)
  const look = Effect.gen(function* () {
    const sinceMs = lookedMs
    lookedMs = nowMs()
    const failures = yield* noteDisabled(operator, sinceMs)
    const disturbed = evidence.kills + evidence.moves.length + recordsUnheard
    evidence.notDisabled.push(...watchDisabled(failures, disturbed))
  })

  const until = <E, R>(isTrue: Effect.Effect<boolean, E, R>) =>
    Effect.andThen(Effect.sleep(LOOK_MS), isTrue).pipe(
      Effect.repeat({ until: (so) => so }),
      Effect.timeout(SETTLED_MS)
    )
  const allKnow = (isHeld: boolean) => Effect.sync(() => processes.allKnow(isHeld))
  /** The deliveries of the account wait while a ledger is routed, and resume before the next one. */
  const holdThroughLedger = Effect.gen(function* () {
    yield* activateAll(operator)
    const hold = yield* beginHold(operator, 0)
    yield* until(allKnow(true))
    hold.knownMs = nowMs()
    quietClosesMs.push(nowMs() + SURELY_LATER_MS)
    yield* until(Effect.map(left.unrouted(indexOf(ledgers.at(-QUIET_LEDGERS)!)), (behind) => behind === ""))
    yield* endHold(operator)
    yield* until(allKnow(false))
    for (const one of operator.holds) one.endKnownMs = nowMs()
    quietClosesMs.push(nowMs() + SURELY_LATER_MS)
  })

  const layersOf = (process: Process) =>
    operatorLayer(store.clientOf(process), log, { disableAfter, hasHistory }).pipe(
      Layer.provide(Logger.layer([]))
    )
  const run = timeline.run(world.pipe(Effect.scoped, Effect.provide(layersOf(customers))), LIMIT_MS)
  return yield* Effect.ensuring(run, store.close)
})
