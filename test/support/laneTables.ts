/** Rows of tests of Scheduler: events that are given, and the commands that the last one must cause. */
import { assert, describe, it } from "@effect/vitest"
import type { CurrentWebhook, LaneKind, Work } from "../../src/deliver/queue/Lane.ts"
import { attemptKey } from "../../src/deliver/queue/MemoryBudget.ts"
import type { ActorMessage, Command, WebhookMessage } from "../../src/deliver/queue/Messages.ts"
import { advance, makeScheduler } from "../../src/deliver/queue/Scheduler.ts"
import type { Share } from "../../src/deliver/send/ConnectionLimiter.ts"
import type { SendPermission } from "../../src/domain/Quota.ts"
import type { RegisteredWebhook } from "../../src/webhooks/WebhookRegistry.ts"

export const limits = {
  lanes: { laneShare: 0.5, laneLeast: 1 },
  partitionDeliveries: 8,
  partitionReplays: 4,
  lanePageRows: 4,
  laneWalkDeliveries: 1_000,
  lackPauseMs: 1_000,
  manyPerSecond: 50,
  beginMs: 100,
  queuedLeast: 32,
  queuedPart: 0.5,
  drainsWithinMs: 5_000,
  batchBodyBytes: 1_000,
  batchLeastWaitMs: 1
}

export type Event = WebhookMessage | ActorMessage

export const share = {} as Share

export const current = (
  permission: SendPermission = "all",
  max_in_flight = 2,
  max_per_second: number | null = null
): CurrentWebhook => ({
  // Only the fields that the machine reads.
  webhook: { config: { id: "wh_1", max_in_flight, max_per_second } } as RegisteredWebhook,
  permission
})

export const inBatchesOf = (max_events: number, max_wait_ms = 10): CurrentWebhook => ({
  webhook: {
    config: { id: "wh_1", max_in_flight: 2, max_per_second: null, batch: { max_events, max_wait_ms } }
  } as RegisteredWebhook,
  permission: "all"
})
export const inBatches = inBatchesOf(3)
export const inBatches0 = inBatchesOf(3, 0)

export const work = (deliveryId: string, fromLog: boolean): Work => ({
  key: attemptKey(deliveryId, 1),
  deliveryId,
  attempt: 1,
  seriesAttempt: 1,
  event: {} as Work["event"],
  kind: deliveryId.startsWith("r") ? "replays" : "live",
  acknowledge: fromLog ? () => undefined : undefined,
  queuedAt: 0,
  wasFree: false
})

/** Deliveries of replays are r1, r2, …. */
export const offer = (
  deliveryId: string,
  of: CurrentWebhook | undefined = current(),
  webhookId = "wh_1"
): Event => ({
  kind: "offered",
  webhookId,
  current: of,
  work: work(deliveryId, true)
})
/** The same delivery, from the log of replays. */
export const replayed = (deliveryId: string): Event =>
  to({ kind: "offered", current: current(), work: { ...work(deliveryId, true), kind: "replays" } } as const)
export const offers = (...ids: ReadonlyArray<string>) => ids.map((id) => offer(id))
export const to = <E extends object>(event: E) => ({ webhookId: "wh_1", ...event })
export const connected = to({ kind: "connected", share } as const)
export const ended = to({ kind: "attemptEnded", share } as const)
export const woken = to({ kind: "woken" } as const)
export const gathered = to({ kind: "gathered" } as const)
export const replayMayStart = to({ kind: "replayMayStart" } as const)
export const resumed = to({ kind: "resumed", current: current() } as const)
export const changed = (now: CurrentWebhook | undefined) => to({ kind: "changed", current: now } as const)
export const settled = (id: string, fromLog = true) =>
  to({ kind: "settled", works: [work(id, fromLog)] } as const)
export const spilled = (...ids: ReadonlyArray<string>) =>
  to({ kind: "movedToBacklog", lane: "live", works: ids.map((id) => work(id, true)) } as const)
export const page = (lane: LaneKind, ...ids: ReadonlyArray<string>) => {
  const works = ids.map((id) => work(id, false))
  return to({ kind: "pageRead", lane, page: { rows: ids.length, lastId: ids.at(-1) ?? "", works } } as const)
}
export const caughtUp = (lane: LaneKind): Event => ({ kind: "caughtUp", lane })
export const stopped: Event = { kind: "stopped" }

export const told = (command: Command): string => {
  switch (command.kind) {
    case "start":
      return `start ${command.sending.works.map(({ deliveryId }) => deliveryId).join(" ")}`
    case "wake":
      return `wake after ${command.afterMs}`
    case "readPage":
      return `read ${command.limit} ${command.rows} after "${command.afterId}"`
    case "moveToBacklog":
      return `spill ${command.works.map(({ deliveryId }) => deliveryId).join(" ")}`
    case "acknowledge":
      return `acknowledge ${command.work.deliveryId}`
    default:
      return command.kind
  }
}

export interface Row {
  readonly what: string
  readonly given: ReadonlyArray<Event>
  readonly event: Event
  readonly commands: ReadonlyArray<string>
  /** How many attempts may run ahead of what is recorded; unlimited by default. */
  readonly ahead?: number
  /** When `event` comes; the others come at 0. */
  readonly atMs?: number
}

export const backlogIsOpen = [caughtUp("live"), caughtUp("replays")]
export const inRows = [resumed, ...backlogIsOpen]
export const others = ["e1", "e2", "e3", "e4"]
/** Half of the memory budget, which one lane may use. */
export const full = offers("d1", "d2", "d3", "d4")

/** Runs the rows: gives the machine their events, and compares the commands of the last one. */
export const checkRows = (tables: Readonly<Record<string, ReadonlyArray<Row>>>) => {
  for (const [subject, rows] of Object.entries(tables)) {
    describe(subject, () => {
      it.each(rows)("$what", ({ given, event, commands, ahead = Number.POSITIVE_INFINITY, atMs = 0 }) => {
        const machine = makeScheduler(limits)
        for (const one of given) advance(machine, one, { nowMs: 0, ahead })
        assert.deepStrictEqual(advance(machine, event, { nowMs: atMs, ahead }).map(told), commands)
      })
    })
  }
}
