/**
 * What is queued for deleted webhooks is ended. It may be a million rows, and a request that ended them all would outlast
 * its caller: so deleting marks the webhook (`ending`), whoever answers the request ends what a moment
 * allows, and the process that has the retention ends the rest, in batches, whatever becomes of either. It looks once more
 * when all that was under way at the deletion must have come to its end.
 */
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../config/Limits.ts"
import type { Network } from "../../domain/Network.ts"
import { patiently } from "../../observability/Patiently.ts"
import { afterDeadlock, type Owner } from "../webhooks/WebhookStore.ts"
import { DeliveryQueries } from "./DeliveryQueries.ts"
import { DeliveryStore } from "./DeliveryStore.ts"

/** Ends up to `most` deliveries that are queued for a deleted webhook, newest first; returns how many there were. */
export const makeEndQueue = Effect.gen(function* () {
  const queries = yield* DeliveryQueries
  const deliveries = yield* DeliveryStore
  return Effect.fnUntraced(function* (owner: Owner, webhookId: string, most: number) {
    const nowMs = yield* Clock.currentTimeMillis
    let ended = 0
    for (const status of ["pending", "retrying"] as const) {
      const queued = { webhookId, status, eventType: undefined, since: undefined, until: undefined }
      let beforeId: string | undefined
      let full = true
      while (full && ended < most) {
        const limit = Math.min(Limits.queueEndBatch, most - ended)
        const rows = yield* queries.list(owner, queued, beforeId, limit)
        const ids = rows.map(({ id }) => id)
        if (ids.length > 0)
          yield* deliveries.fail(ids, "webhook deleted", nowMs).pipe(Effect.retry(afterDeadlock))
        ended += ids.length
        beforeId = ids.at(-1)
        full = ids.length === limit
      }
    }
    return ended
  })
})

/** Returns whether there is more to end. */
export const endDeletedQueues = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const endQueue = yield* makeEndQueue
  const settledBefore = (yield* Clock.currentTimeMillis) - Limits.deletedQueueSettledMs
  const webhooks = yield* sql<{
    readonly id: string
    readonly account_id: string
    readonly network: Network
    readonly settled: boolean
  }>`
    SELECT id, account_id, network, deleted_at < ${new Date(settledBefore).toISOString()}::timestamptz AS settled
    FROM webhooks WHERE ending ORDER BY deleted_at LIMIT ${Limits.deletedQueues}`
  let more = false
  for (const { id, account_id, network, settled } of webhooks) {
    const owner = { accountId: account_id, networks: [network] }
    const ended = yield* endQueue(owner, id, Limits.deletedQueuePass)
    if (ended === Limits.deletedQueuePass) more = true
    else if (settled) yield* sql`UPDATE webhooks SET ending = false WHERE id = ${id}`
  }
  return more
})

/** Half of the time is left to others, however much there is to end. Never ends by itself. */
export const keepEndingQueues = Effect.gen(function* () {
  const pass = endDeletedQueues.pipe(patiently("ending what is queued for deleted webhooks"))
  return yield* Effect.forever(
    Effect.flatMap(Effect.timed(pass), ([took, more]) => Effect.sleep(more ? took : Limits.deletedQueuesMs))
  )
})
