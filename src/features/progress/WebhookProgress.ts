/**
 * How far a webhook has got: every event that it wanted, up to `completeThrough`, is delivered or has failed finally.
 * No `deliver` has to run. The answer is never too high, because of the order of the reads (`makeWebhookProgress`), and
 * as late as what webhooks share (UnfinishedWork.ts): 2 s at most.
 */

import { Clock, Effect, Option } from "effect"
import { UsageStore } from "../../spine/deliveries/UsageStore.ts"
import type { Owner } from "../../spine/domain/ApiKey.ts"
import { DELIVERIES_TOPIC } from "../../spine/domain/Delivery.ts"
import { permissionUnder } from "../../spine/domain/Quota.ts"
import { ledgerOfEventId } from "../../spine/event/EventId.ts"
import { partitionOf } from "../../spine/log/Topics.ts"
import { makeGapStore } from "../../spine/registry/GapStore.ts"
import type { WebhookId } from "../../spine/words/Ids.ts"
import { WebhookStore } from "../webhooks/WebhookStore.ts"
import { makeUnfinishedDeliveries } from "./UnfinishedDeliveries.ts"
import { makeUnfinishedWork, type UnfinishedWork } from "./UnfinishedWork.ts"

const leastOf = (ledgers: ReadonlyArray<number>): number =>
  ledgers.reduce((least, one) => Math.min(least, one), Number.POSITIVE_INFINITY)

/**
 * The reads, in this order:
 *
 *   1. the ledgers whose events are routed. Route commits them with their work, which is therefore in the log
 *   2. the end and the committed offset of the webhook's partition. All of that work is before the end
 *   3. the records between the two, and then their rows. A record is unfinished unless its row has ended
 *   4. the index of what waits. Work before the committed offset has ended, or its row is in the index until it ends:
 *      in the backlog, between two attempts, or retried by hand
 *
 * A killed process changes nothing of this: what it did not commit is between the two offsets.
 */
export const makeWebhookProgress = Effect.gen(function* () {
  const webhooks = yield* WebhookStore
  const usage = yield* UsageStore
  const log = yield* makeUnfinishedWork
  const deliveries = yield* makeUnfinishedDeliveries
  const gaps = yield* makeGapStore

  /** None if there is no such webhook. */
  return Effect.fnUntraced(function* (owner: Owner, webhookId: WebhookId) {
    const partition = partitionOf(DELIVERIES_TOPIC, webhookId)
    const { byWebhook, routed: routedOf, unreadAfter } = yield* log.of(partition)
    const work = byWebhook.get(webhookId) ?? []
    const rows = yield* deliveries.rowsOf(work.map(({ deliveryId }) => deliveryId))
    // Read last, as in the order above; and nothing may be queued for the webhook by now.
    const webhook = Option.getOrUndefined(yield* webhooks.find(owner, webhookId))
    if (webhook === undefined) return Option.none()
    const { account_id, network, status } = webhook
    const routed = routedOf.get(network)
    const indexed = yield* deliveries.indexed(webhookId, routed?.rangeSince ?? 0)
    const hold = yield* usage.holdOf(account_id, yield* Clock.currentTimeMillis)
    const isQueued = status === "active" && permissionUnder(hold, network) === "all"

    const unfinished = work.filter(({ deliveryId, hadRow }) => rows.get(deliveryId)?.waits ?? !hadRow)
    const unread = unreadAfter === undefined ? Number.POSITIVE_INFINITY : unreadAfter.get(network)
    const completeThrough =
      !isQueued || !indexed.isIndexed || routed === undefined || unread === undefined
        ? null
        : leastOf([
            routed.through,
            unread,
            ...unfinished.map(({ ledgerIndex }) => ledgerIndex - 1),
            ...[indexed.oldest, indexed.oldestSince].flatMap((one) =>
              one === undefined ? [] : [ledgerOfEventId(one.eventId) - 1]
            )
          ])

    const unindexed = new Set(
      unfinished.flatMap(({ deliveryId }) => (rows.get(deliveryId)?.isIndexed === true ? [] : [deliveryId]))
    )
    const oldestWork = unfinished.reduce<UnfinishedWork | undefined>(
      (oldest, one) => (oldest === undefined || one.deliveryId < oldest.deliveryId ? one : oldest),
      undefined
    )
    const inLog =
      oldestWork === undefined || oldestWork.deliveryId >= (indexed.oldest?.deliveryId ?? "~")
        ? undefined
        : yield* log.eventIdOf(partition, oldestWork)
    const oldest =
      inLog === undefined ? indexed.oldest : { deliveryId: oldestWork!.deliveryId, eventId: inLog }
    return Option.some({
      network,
      completeThrough,
      routedThrough: routed?.through ?? null,
      /** The ledgers of spans in which nothing was queued for the webhook. */
      gaps: yield* gaps.list(webhookId),
      /** A minimum if not all work was read, or there are more than `progressLimits.progressCounted` rows. */
      waiting: indexed.count + unindexed.size,
      oldestWaiting:
        oldest === undefined
          ? null
          : {
              deliveryId: oldest.deliveryId,
              eventId: oldest.eventId,
              ledgerIndex: ledgerOfEventId(oldest.eventId)
            }
    })
  })
})
