/** Messages for tests of the scheduler, about deliveries d1, d2, … and replayed ones r1, r2, …. */

import type { ActorMessage, WebhookMessage } from "../../../../src/spine/deliver/queue/Messages.ts"
import type { CurrentWebhook } from "../../../../src/spine/deliver/queue/WebhookQueue.ts"
import type { Share } from "../../../../src/spine/deliver/send/ConnectionLimiter.ts"
import { attemptKey, type LaneKind, type Work } from "../../../../src/spine/deliver/Work.ts"
import type { SendPermission } from "../../../../src/spine/domain/Quota.ts"
import type { RegisteredWebhook } from "../../../../src/spine/registry/WebhookRegistry.ts"

export const limits = {
  laneLeast: 1,
  partitionDeliveries: 8,
  partitionReplays: 4,
  lanePageRows: 4,
  lackPauseMs: 1_000,
  batchBodyBytes: 1_000
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
export const offers = (...ids: ReadonlyArray<string>) => ids.map((id) => offer(id))
export const to = <E extends object>(event: E) => ({ webhookId: "wh_1", ...event })
export const connected = to({ kind: "connected", share } as const)
export const ended = to({ kind: "ended" } as const)
export const resumed = to({ kind: "resumed", current: current() } as const)
export const movedToBacklog = (...ids: ReadonlyArray<string>) =>
  to({ kind: "movedToBacklog", lane: "live", works: ids.map((id) => work(id, true)) } as const)
export const caughtUp = (lane: LaneKind): Event => ({ kind: "caughtUp", lane })
