/** An account's deliveries of the last month, recorded as the program records them. */
import { Effect, Layer } from "effect"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { Partitions } from "../../../src/spine/deliveries/Partitions.ts"
import type { AttemptRecord, NewDelivery } from "../../../src/spine/deliveries/Transitions.ts"
import { Outbox } from "../../../src/spine/store/outbox/Outbox.ts"
import { deliveryId } from "../../../src/spine/words/Ids.ts"
import { MonthDatabase } from "../store/postgres.ts"
import { insertAccount, insertWebhook } from "../store/rows.ts"

export const DAY_MS = 86_400_000
export const NOW = Date.parse("2026-11-21T09:30:17.250Z")
export const OWNER = { accountId: "acct_1", networks: ["mainnet"] } as const
export const recordingLayer = Layer.mergeAll(DeliveryStore.layer, Partitions.layer, Outbox.layer).pipe(
  Layer.provideMerge(MonthDatabase)
)

let position = 0

/** Creates an account with that many webhooks; returns their ids. */
export const prepare = Effect.fnUntraced(function* (webhooks: number) {
  const partitions = yield* Partitions
  yield* partitions.ensure(NOW - 31 * DAY_MS, NOW)
  yield* insertAccount(OWNER.accountId)
  return yield* Effect.replicateEffect(insertWebhook(OWNER.accountId), webhooks)
})

export const newDelivery = (webhookId: string, createdMs: number, eventType: string): NewDelivery => ({
  id: deliveryId(createdMs, position++, webhookId, "event"),
  webhookId,
  accountId: OWNER.accountId,
  network: "mainnet",
  eventId: "event",
  eventType,
  eventOffset: 7
})

export const attemptOf = (
  deliveryId: string,
  attempt: number,
  status: AttemptRecord["status"],
  responseTimeMs: number
): AttemptRecord => ({
  deliveryId,
  attempt,
  status,
  responseStatus: status === "delivered" ? 200 : 503,
  responseTimeMs,
  responseBody: null,
  error: status === "delivered" ? null : "HTTP 503",
  attemptedAt: NOW,
  endedAt: NOW + 5,
  nextDelayMs: status === "retrying" ? 1_000 : null
})
