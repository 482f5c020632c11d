/**
 * One run of the whole chain by seed: ledgers become deliveries in several processes while faults happen and customers
 * act. Then a quiet phase in which everything must settle, and the checks (checks.ts).
 */
import { Cause, Clock, Effect, Fiber, Layer, Logger } from "effect"
import { SqlClient, type SqlConnection } from "effect/sql"
import { stageLimits } from "../../src/config/StageLimits.ts"
import { detectLedger } from "../../src/detect/Detect.ts"
import type { EventType } from "../../src/domain/EventType.ts"
import {
  EVENT_LOG_GROUP,
  eventsTopic,
  type LedgerMarker,
  ledgersTopic
} from "../../src/domain/LedgerEvent.ts"
import { EventLogError, type Transaction } from "../../src/log/EventLog.ts"
import { type LogClient, makeSharedLog } from "../../src/log/memory/SharedEventLog.ts"
import { asLedger } from "../../src/simulator/Chain.ts"
import { makeSeededRandom, type SeededRandom } from "../../src/simulator/SeededRandom.ts"
import { OUTBOX_POSITION } from "../../src/storage/outbox/Outbox.ts"
import { testSettings } from "../support/settings.ts"
import { check, type Evidence } from "./checks.ts"
import { type Faults, makeFaults } from "./faults.ts"
import { ledgerServers, makeLedgers } from "./ledgerServers.ts"
import { makeLogClient } from "./logClient.ts"
import { BEGAN_MS, webhookId } from "./machinery.ts"
import { NETWORK, node } from "./node.ts"
import {
  ACCOUNT,
  act,
  activateAll,
  createWebhook,
  noteDisabled,
  type OperatorParts,
  operatorLayer
} from "./operator.ts"
import { kinds, makeReceivers } from "./receivers.ts"
import { makeStore } from "./store.ts"
import { makeTimeline, type Process } from "./timeline.ts"

const LEDGERS = 6
/** Ledgers that close after the faults have ended. */
const QUIET_LEDGERS = 2
const QUIET_LEDGER_MS = 1_000
/** Faults and customers go on for this long after the last ledger before the quiet ones. */
const AFTERMATH_MS = 4_000
/** Kafka gives up a member that is silent for this long. */
const SILENT_MS = 10_000
/** Simulated time in which everything must settle once it is quiet. */
const SETTLED_MS = 180_000
/** How often that is looked at, and how long it must last. */
const LOOK_MS = 500
const SETTLED_STAYS_MS = 1_000
const LIMIT_MS = 24 * 3_600_000
const PARTITIONS = 2
/** Consecutive failed deliveries after which a webhook is disabled, in half of the runs. */
const DISABLE_AFTER = 3
const NEVER = 1_000_000
/** Number of the first process that is started after the steps. */
const REVIVED = 1_000

const limits = {
  ...stageLimits,
  partitionDeliveries: 12,
  partitionReplays: 8,
  takeBatchRecords: 10,
  replayTakeRecords: 5,
  // Three to five webhooks: an event that most of them want is routed in parts.
  routeBatchDeliveries: 2,
  routePartDeliveries: 1,
  routeDeferredMost: 20,
  routeAheadRecords: 20,
  lanePageRows: 4,
  unrecordedMost: 4,
  repeatedMost: 0,
  recorderBatch: 10,
  delayBatchRecords: 5,
  commitEveryMs: 500,
  earlyWorkMs: 1_000
}

interface Running {
  readonly process: Process
  readonly client: LogClient
  readonly fiber: Fiber.Fiber<unknown, unknown>
}

export const simulate = Effect.fnUntraced(function* (
  seed: number,
  real: SqlConnection.Connection,
  tell: (line: string) => void = () => undefined
) {
  const chance = makeSeededRandom(seed)
  const stream = (): SeededRandom => makeSeededRandom(chance.int(0, 2 ** 31))
  const timeline = makeTimeline(BEGAN_MS)
  const { nowMs } = timeline
  const trace = (who: string, what: string) =>
    tell(`${((nowMs() - BEGAN_MS) / 1_000).toFixed(3)} ${who}: ${what}`)
  const faults: Faults = makeFaults(stream(), nowMs)
  const disableAfter = chance.pick([DISABLE_AFTER, NEVER])
  const customers = timeline.process("customers")
  const store = makeStore(real, timeline, {
    delayMs: faults.store.delayMs,
    fate: (process) => {
      const fate = process === customers ? "lands" : faults.store.fate(process)
      if (fate === "lands and fails") evidence.answersLost++
      return fate
    },
    dies: (process, sql) => {
      const dies = process !== customers && faults.diesAfterWrite(sql.includes("INTO attempts"))
      if (dies) trace(process.name, "dies after a write to the database")
      return dies
    }
  })
  const shared = makeSharedLog(testSettings())
  const receivers = makeReceivers(timeline, stream())
  const ledgers = makeLedgers(seed, stream(), BEGAN_MS + 2_000, LEDGERS + QUIET_LEDGERS)
  // The last ledgers close when the faults have ended.
  let quietFromMs = Number.POSITIVE_INFINITY
  const timed = ledgers.map((ledger, i) => ({
    ...ledger,
    get closedMs() {
      return i < LEDGERS ? ledger.closedMs : quietFromMs + (i - LEDGERS + 1) * QUIET_LEDGER_MS
    }
  }))
  const detected = ledgers.flatMap(({ closed }) => detectLedger(asLedger(closed)).events)
  const evidence: Evidence = {
    limits,
    ledgers: ledgers.map(({ closed }) => closed),
    webhooks: [],
    replays: [],
    routed: [],
    defects: [],
    moves: [],
    disableAfter,
    mostFailures: 0,
    answersLost: 0,
    kills: 0,
    zombies: 0
  }
  const operator: OperatorParts = {
    chance: stream(),
    nowMs,
    webhooks: evidence.webhooks,
    replays: evidence.replays,
    accounts: [...new Set(detected.flatMap(({ accounts }) => accounts))].sort(),
    types: [...new Set(detected.map(({ event_type }): EventType => event_type))].sort()
  }
  const seeds = stream()
  const landed = (process: Process, { append, commit }: Transaction) => {
    if (append.length > 0 && faults.diesAfterWrite(commit?.group === "delay")) {
      trace(process.name, `dies after an append to ${append[0]!.topic}`)
      process.kill()
    }
    if (commit?.group !== "route") return
    for (const { offset } of commit.positions) evidence.routed.push({ offset, atMs: nowMs() })
    trace(process.name, `route has committed ${commit.positions.map(({ offset }) => offset).join(" ")}`)
  }
  const clientOf = (process: Process) => shared.connect(process.turn)
  const moved = () => evidence.moves.push(nowMs())

  const start = Effect.fnUntraced(function* (name: string) {
    const process = timeline.process(name, seeds.int(-1_000, 1_000))
    const client = clientOf(process)
    // At once: the world itself may wait for the database.
    yield* Effect.forkScoped(Effect.andThen(process.death, store.ended(process)))
    moved()
    trace(name, "starts")
    const running = node({
      process,
      store,
      log: makeLogClient(client.log, process, { ...faults.log, landed }),
      sender: receivers.senderOf(name),
      source: ledgerServers(timed, nowMs, stream(), faults.servers),
      limits,
      disableAfter,
      seed: seeds.int(0, 2 ** 31),
      failed: (part, cause) => {
        trace(name, `${part} failed: ${String(Cause.squash(cause))}`)
        if (part === "deliver") moved()
        const defect = Cause.squash(cause)
        if (Cause.hasDies(cause) && !(defect instanceof EventLogError))
          evidence.defects.push(`${name} ${part}: ${Cause.pretty(cause)}`)
      }
    })
    const fiber = yield* Effect.forkDetach(Effect.provideService(running, Clock.Clock, process.clock))
    return { process, client, fiber } satisfies Running
  })

  const expel = (client: LogClient) =>
    Effect.andThen(
      Effect.sleep(SILENT_MS),
      Effect.sync(() => {
        moved()
        client.expel()
      })
    )

  const kill = Effect.fnUntraced(function* ({ process, client }: Running) {
    trace(process.name, "is killed")
    process.kill()
    receivers.cut(process.name)
    evidence.kills++
    yield* Effect.forkScoped(expel(client))
  })
  const stop = Effect.fnUntraced(function* (running: Running) {
    const { process, fiber } = running
    trace(process.name, "is stopped")
    moved()
    yield* Effect.raceFirst(Fiber.interrupt(fiber), process.death)
    if (!process.isAlive()) return yield* kill(running)
    process.kill()
    trace(process.name, "has stopped")
  })
  const freeze = Effect.fnUntraced(function* ({ process, client }: Running, ms: number) {
    trace(process.name, `is frozen for ${ms} ms`)
    process.freeze()
    if (ms >= SILENT_MS) {
      evidence.zombies++
      evidence.kills++
      yield* Effect.forkScoped(expel(client))
    }
    yield* Effect.sleep(ms)
    process.thaw()
    moved()
    trace(process.name, "is thawed")
  })

  const world = Effect.gen(function* () {
    yield* makeAccount
    for (let i = 0, count = chance.int(3, 5); i < count; i++) {
      const id = webhookId(`W${i}`, i % PARTITIONS)
      const kind = i === 0 ? "fast" : chance.pick(kinds)
      yield* createWebhook(operator, {
        id,
        receiver: receivers.add(`/${id}`, kind),
        maxInFlight: chance.pick([1, 1, 2, 4]),
        maxPerSecond: chance.flip(0.2) ? chance.pick([2, 5]) : null,
        batch: chance.flip(0.3) ? { max_events: chance.pick([2, 5]), max_wait_ms: 200 } : null
      })
      trace("customer", `creates ${id} (${kind})`)
    }
    const slots: Array<{ running: Running; busy: boolean }> = []
    for (let i = 0, count = chance.int(2, 3); i < count; i++)
      slots.push({ running: yield* start(`P${i + 1}`), busy: false })

    /** Faults of one process, in the background. The caller sets `busy`: the fiber begins later. */
    const disturb = Effect.fnUntraced(function* (slot: (typeof slots)[number], n: number) {
      const kind = chance.pick(["kill", "kill", "stop", "freeze"])
      if (kind === "freeze" && slot.running.process.isAlive())
        yield* freeze(slot.running, chance.pick([1_000, 5_000, 12_000]))
      else {
        yield* kind === "stop" && slot.running.process.isAlive() ? stop(slot.running) : kill(slot.running)
        yield* Effect.sleep(chance.int(0, 8) * 500)
        slot.running = yield* start(`${slot.running.process.name.split(".")[0]}.${n}`)
      }
      slot.busy = false
    })

    /** Starts again what has died by itself. */
    const revive = Effect.fnUntraced(function* (n: number) {
      for (const slot of slots)
        if (!slot.busy && !slot.running.process.isAlive()) {
          slot.busy = true
          yield* Effect.forkScoped(disturb(slot, n))
        }
    })

    const untilMs = ledgers[LEDGERS - 1]!.closedMs + AFTERMATH_MS
    for (let n = 1; nowMs() < untilMs; n++) {
      yield* Effect.sleep(chance.int(1, 8) * 100)
      yield* look
      if (chance.flip(0.25)) trace("customer", yield* act(operator, n))
      const slot = chance.pick(slots)
      yield* revive(n)
      if (!slot.busy && chance.flip(faults.processes)) {
        slot.busy = true
        yield* Effect.forkScoped(disturb(slot, n))
      }
      if (chance.flip(faults.processes)) {
        const group = chance.pick(["deliver", "route", "events", "delay"])
        trace("cluster", `rebalances ${group}`)
        moved()
        shared.rebalance(group, (members) => chance.shuffle(members))
      }
      if (chance.flip(0.03)) {
        const ms = chance.int(5, 60) * 100
        const isStore = chance.flip(0.5)
        trace(isStore ? "database" : "log", `is down for ${ms} ms`)
        if (isStore) faults.storeDownUntilMs = nowMs() + ms
        else faults.logDownUntilMs = nowMs() + ms
      }
      if (chance.flip(0.01)) {
        const minutes = chance.int(1, 60)
        trace("clock", `jumps ${minutes} min`)
        timeline.jump(minutes * 60_000)
      }
    }
    for (let n = REVIVED; slots.some(({ busy, running }) => busy || !running.process.isAlive()); n++) {
      yield* revive(n)
      yield* Effect.sleep(500)
    }

    trace("world", "is quiet")
    faults.quiet = true
    // A success after failures must reset a webhook's counter.
    receivers.recover(true)
    quietFromMs = nowMs()
    let waiting = "all"
    while (waiting !== "" && nowMs() < quietFromMs + SETTLED_MS) {
      // What failed before may still disable a webhook.
      yield* look
      yield* activateAll(operator)
      yield* Effect.sleep(LOOK_MS)
      waiting = yield* open
    }
    if (waiting !== "") return [{ check: "settles", what: `after ${SETTLED_MS} ms: ${waiting}` }]
    trace("world", "has settled")
    // What should not happen any more would happen now.
    yield* Effect.sleep(SETTLED_STAYS_MS)
    return yield* check(evidence)
  })

  const makeAccount = Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      INSERT INTO accounts (id, name, email, plan, created_at)
      VALUES (${ACCOUNT}, 'Simulated', NULL, 'enterprise', clock_timestamp())`
  )

  let lookedMs = nowMs()
  const look = Effect.gen(function* () {
    const sinceMs = lookedMs
    lookedMs = nowMs()
    evidence.mostFailures = Math.max(evidence.mostFailures, yield* noteDisabled(operator, sinceMs))
  })

  const { log } = shared.connect()
  /** What is still open; empty when all has settled. */
  const open = Effect.gen(function* () {
    const marker = yield* log.last({ topic: ledgersTopic(NETWORK), partition: 0 })
    const taken = marker === undefined ? 0 : (JSON.parse(marker.value!) as LedgerMarker).ledger_index
    if (taken < ledgers.at(-1)!.closed.header.ledger_index) return `ledgers after ${taken}`
    const sql = yield* SqlClient.SqlClient
    const partition = { topic: eventsTopic(NETWORK), partition: 0 }
    const { end } = yield* log.offsets(partition)
    for (const group of ["route", EVENT_LOG_GROUP]) {
      const committed = yield* log.committed(group, partition)
      if (committed < end) return `${group} at ${committed} of ${end}`
    }
    // A published row may stay until the next one is published.
    const [newest] = yield* sql<{
      readonly id: number
    }>`SELECT coalesce(max(id), 0)::float8 AS id FROM outbox`
    if ((yield* log.committed(OUTBOX_POSITION.group, OUTBOX_POSITION)) <= newest!.id) return "outbox"
    const rows = yield* sql<{ readonly open: string }>`
      SELECT id || ' ' || status || ' ' || attempts || CASE WHEN parked THEN ' parked' ELSE '' END AS open
      FROM deliveries WHERE status IN ('pending', 'retrying') OR parked
      UNION ALL SELECT id || ' ' || status FROM replay_jobs WHERE status IN ('queued', 'running')`
    return rows.map((row) => row.open).join(", ")
  })

  const layers = operatorLayer(store.clientOf(customers), log, disableAfter).pipe(
    Layer.provide(Logger.layer([]))
  )
  const run = timeline.run(world.pipe(Effect.scoped, Effect.provide(layers)), LIMIT_MS)
  return yield* Effect.ensuring(run, store.close)
})
