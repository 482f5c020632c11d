/**
 * The processes of one run: each is started, and killed, stopped or frozen by the seed. A process that has died is
 * started again.
 */

import { Cause, Clock, Deferred, Effect, Fiber, Layer } from "effect"
import type { SeededRandom } from "../../../src/features/simulator/SeededRandom.ts"
import { historyEventsTopic } from "../../../src/spine/domain/Backfill.ts"
import { DELIVERIES_TOPIC, delayTopic } from "../../../src/spine/domain/Delivery.ts"
import { eventsTopic, parseLedgerEvent } from "../../../src/spine/event/LedgerEvent.ts"
import { Log, LogError, type Partition, type Transaction } from "../../../src/spine/log/Log.ts"
import { LogWentBack } from "../../../src/spine/log/StartAnew.ts"
import type { Evidence } from "../evidence.ts"
import type { Faults } from "../faults.ts"
import { ledgerServers, type TimedLedger } from "./ledgerServers.ts"
import type { AllStages } from "./limits.ts"
import { makeLogClient } from "./logClient.ts"
import type { LogClient, RunLog } from "./logs.ts"
import { NETWORK, type NodeParts, node, restart } from "./node.ts"
import type { Receivers } from "./receivers.ts"
import type { Store } from "./store.ts"
import type { Process, Timeline } from "./timeline.ts"

/**
 * The cluster gives up a member that is silent for this long. With Kafka's 10 s, the partitions of a dead process would
 * rest until the faults are over.
 */
const SILENT_MS = 3_000
/** The last is longer than a lease. */
const FREEZES_MS = [500, 2_000, 5_000, 12_000]
const delayTopics = new Set([2, 3, 4].map(delayTopic))
/** At the end: how often to check for processes that died after a write. */
const REVIVE_MS = 500
/** Number of the first process that is started after the faults. */
const REVIVED = 1_000

interface Running {
  readonly process: Process
  readonly client: LogClient
  readonly fiber: Fiber.Fiber<unknown, unknown>
  /** Whether it knows that the deliveries of the account wait. */
  readonly isHeld: () => boolean
}

const isUp = ({ process }: Running) => process.isAlive() && !process.isFrozen()

interface Slot {
  running: Running
  /** A fault is under way. */
  busy: boolean
}

/**
 * Whether a stage died of a defect. It also dies, and starts again, when the log refuses it, or when it finds that
 * another process wrote after its lease had expired.
 */
const isDefect = (cause: Cause.Cause<unknown>, { leasesLost }: Evidence): boolean => {
  const reason = Cause.squash(cause)
  if (!Cause.hasDies(cause) || reason instanceof LogError) return false
  return leasesLost === 0 || !String(reason).includes("another process wrote")
}

export interface ProcessesParts {
  readonly chance: SeededRandom
  /** A source of chance for each part of a process. */
  readonly stream: () => SeededRandom
  readonly timeline: Timeline
  readonly store: Store
  readonly logs: RunLog
  readonly receivers: Receivers
  readonly ledgers: ReadonlyArray<TimedLedger>
  /** The ledgers of the history servers; undefined: there are no such servers. */
  readonly history: ReadonlyArray<TimedLedger> | undefined
  readonly faults: Faults
  readonly limits: AllStages
  readonly evidence: Evidence
  readonly trace: (who: string, what: string) => void
}

export const makeProcesses = (parts: ProcessesParts) => {
  const { chance, evidence, faults, limits, logs, receivers, store, stream, timeline, trace } = parts
  const { nowMs } = timeline
  const seeds = stream()
  const slots: Array<Slot> = []

  const taken = ({ partition, topic }: Partition) => {
    if (topic === DELIVERIES_TOPIC) evidence.moves.push({ partition, atMs: nowMs() })
  }

  /** The time counts only if nobody knows that it has landed. */
  const sent = ({ append }: Transaction) => {
    for (const { topic, value } of append) {
      if (topic !== eventsTopic(NETWORK)) continue
      const { event_id } = parseLedgerEvent(value)!
      if (!evidence.appended.has(event_id)) evidence.appended.set(event_id, nowMs())
    }
  }

  const landed = (process: Process, { append, commit }: Transaction) => {
    for (const { topic, value } of append) {
      if (topic === eventsTopic(NETWORK)) evidence.appended.set(parseLedgerEvent(value)!.event_id, nowMs())
    }
    const isHistory = append[0]?.topic === historyEventsTopic(NETWORK)
    const isRetry = commit?.group === "delay" || delayTopics.has(append[0]?.topic ?? "")
    const kind = isHistory ? "history" : isRetry ? "retries" : "other"
    if (append.length > 0 && faults.diesAfterWrite(kind)) {
      trace(process.name, `dies after an append to ${append[0]!.topic}`)
      process.kill()
    }
    if (commit?.group !== "route") return
    for (const { offset } of commit.positions) evidence.routed.push({ offset, atMs: nowMs() })
    trace(process.name, `route has committed ${commit.positions.map(({ offset }) => offset).join(" ")}`)
  }

  const serversOf = (ledgers: ReadonlyArray<TimedLedger>) =>
    ledgerServers(ledgers, nowMs, stream(), faults.servers)

  const start = Effect.fnUntraced(function* (name: string) {
    const process = timeline.process(name, seeds.int(-1_000, 1_000))
    const client = logs.connect(process)
    // At once: the world itself may wait for the database.
    yield* Effect.forkScoped(Effect.andThen(process.death, store.ended(process)))
    trace(name, "starts")
    let isHeld = false
    const log = Layer.effect(
      Log,
      Effect.map(Log, (inner) => makeLogClient(inner, process, { ...faults.log, landed, sent, taken }))
    ).pipe(Layer.provide(client.layer))
    const nodeParts = {
      process,
      store,
      log,
      sender: receivers.senderOf(name),
      source: serversOf(parts.ledgers),
      historySource: parts.history === undefined ? undefined : serversOf(parts.history),
      limits,
      disableAfter: evidence.disableAfter,
      seed: seeds.int(0, 2 ** 31),
      failed: (part, cause) => {
        trace(name, `${part} failed: ${String(Cause.squash(cause))}`)
        if (isDefect(cause, evidence)) evidence.defects.push(`${name} ${part}: ${Cause.pretty(cause)}`)
      },
      held: (now) => {
        if (now !== isHeld) trace(name, now ? "deliveries wait" : "deliveries resume")
        isHeld = now
      }
    } satisfies Omit<NodeParts, "logIsBack" | "startAnew">
    /** As `launch` of the program: a start that fails is tried again, and if the log went back, all starts anew. */
    let logIsBack = false
    const running = Effect.gen(function* () {
      const anew = yield* Deferred.make<never, LogWentBack>()
      const startAnew = (because: LogWentBack) => Effect.asVoid(Deferred.fail(anew, because))
      return yield* Effect.raceFirst(node({ ...nodeParts, logIsBack, startAnew }), Deferred.await(anew))
    }).pipe(
      Effect.tapError((error) =>
        Effect.sync(() => {
          logIsBack ||= error instanceof LogWentBack
          trace(name, `starts anew: ${error}`)
        })
      ),
      Effect.retry(restart)
    )
    const fiber = yield* Effect.forkDetach(Effect.provideService(running, Clock.Clock, process.clock))
    return { process, client, fiber, isHeld: () => isHeld } satisfies Running
  })

  const expel = (client: LogClient) =>
    Effect.andThen(
      Effect.sleep(SILENT_MS),
      Effect.sync(() => client.expel())
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
      evidence.leasesLost++
      evidence.kills++
      yield* Effect.forkScoped(expel(client))
    }
    yield* Effect.sleep(ms)
    process.thaw()
    trace(process.name, "is thawed")
  })

  /** Longer than a lease. */
  const thawLater = Effect.fnUntraced(function* (slot: Slot) {
    yield* freeze(slot.running, Math.max(...FREEZES_MS))
    slot.busy = false
  })

  /** One fault of a process, in the background. The caller sets `busy`: the fiber begins later. */
  const disturb = Effect.fnUntraced(function* (slot: Slot, n: number) {
    const kind = chance.pick(["kill", "kill", "stop", "freeze"])
    if (kind === "freeze" && slot.running.process.isAlive())
      yield* freeze(slot.running, chance.pick(FREEZES_MS))
    else {
      yield* kind === "stop" && slot.running.process.isAlive() ? stop(slot.running) : kill(slot.running)
      yield* Effect.sleep(chance.int(0, 8) * 500)
      slot.running = yield* start(`${slot.running.process.name.split(".")[0]}.${n}`)
    }
    slot.busy = false
  })

  /** Restarts processes that died after a write, and ends the freeze of those that were frozen before one. */
  const revive = Effect.fnUntraced(function* (n: number) {
    for (const slot of slots) {
      if (slot.busy || isUp(slot.running)) continue
      slot.busy = true
      yield* Effect.forkScoped(slot.running.process.isAlive() ? thawLater(slot) : disturb(slot, n))
    }
  })

  return {
    startAll: Effect.fnUntraced(function* (count: number) {
      for (let i = 0; i < count; i++) slots.push({ running: yield* start(`P${i + 1}`), busy: false })
    }),
    /** A step of the run: what has died starts again, and a fault may befall a process. `n` differs for each step. */
    step: Effect.fnUntraced(function* (n: number) {
      const slot = chance.pick(slots)
      yield* revive(n)
      if (!slot.busy && chance.flip(faults.processes)) {
        slot.busy = true
        yield* Effect.forkScoped(disturb(slot, n))
      }
    }),
    /** Sets the clock of one process. */
    stepClock: (place: number, ms: number) => {
      const { process } = slots[place % slots.length]!.running
      trace(process.name, `its clock is set by ${ms / 1_000} s`)
      process.step(ms)
    },
    /** Waits until all processes run and no fault is under way. */
    allUp: Effect.gen(function* () {
      for (let n = REVIVED; slots.some(({ busy, running }) => busy || !isUp(running)); n++) {
        yield* revive(n)
        yield* Effect.sleep(REVIVE_MS)
      }
    }),
    /** Whether all processes know that the deliveries of the account wait, or that they do not. */
    allKnow: (isHeld: boolean) => slots.every(({ running }) => running.isHeld() === isHeld)
  }
}
