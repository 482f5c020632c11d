/**
 * Ends deliveries that are queued for deleted webhooks. There may be a million rows, more than one request can end.
 * So deleting a webhook marks it `ending`; the request ends up to `END_AT_ONCE` rows, and the holder of the
 * lease `retention` ends the rest in batches. It makes two last passes when everything that was under way at the
 * deletion must have ended (`SETTLED_MS`): the second one is for what the clock does not show, such as a
 * machine that was suspended, or a database that was away. Then the webhook's row loses its secrets and filters
 * (store/EndedRows.ts).
 */

import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../spine/config/Limits.ts"
import { deliveryPage } from "../../spine/deliveries/DeliveryPages.ts"
import { DeliveryStore } from "../../spine/deliveries/DeliveryStore.ts"
import type { Owner } from "../../spine/domain/ApiKey.ts"
import type { Network } from "../../spine/event/Network.ts"
import { retryUntilSuccess } from "../../spine/observe/RetryUntilSuccess.ts"
import { afterDeadlock } from "../../spine/store/AfterDeadlock.ts"
import { WEBHOOK_CLEARED } from "../../spine/store/EndedRows.ts"
import { ReadSql } from "../../spine/store/Sql.ts"
import { eachAlone } from "../../spine/words/EachAlone.ts"
import type { AccountId, WebhookId } from "../../spine/words/Ids.ts"
import { monotonicNow } from "../../spine/words/Monotonic.ts"

/**
 * How long after a webhook's deletion its attempts may still end: an attempt takes up to 10 s, recording it a few
 * seconds more.
 */
export const SETTLED_MS = 30_000

/** Deliveries that the deletion of a webhook ends before its response, and that each later pass ends. */
export const END_AT_ONCE = 2 * Limits.statementRows
const PASS = 10 * Limits.statementRows

/** Ends up to `most` deliveries of a deleted webhook, newest first; returns how many. */
export const makeEndQueue = Effect.gen(function* () {
  const read = yield* ReadSql
  const deliveries = yield* DeliveryStore
  return Effect.fnUntraced(function* (owner: Owner, webhookId: WebhookId, most: number) {
    const nowMs = yield* Clock.currentTimeMillis
    let ended = 0
    let beforeId: string | undefined
    let full = true
    while (full && ended < most) {
      const limit = Math.min(Limits.statementRows, most - ended)
      const rows = yield* deliveryPage<{ readonly id: string }>(
        read,
        read.literal("id"),
        owner,
        { webhookId, statuses: ["pending", "retrying"] },
        beforeId,
        limit
      )
      const ids = rows.map(({ id }) => id)
      if (ids.length > 0)
        yield* deliveries.fail(ids, "webhook deleted", nowMs).pipe(Effect.retry(afterDeadlock))
      ended += ids.length
      beforeId = ids.at(-1)
      full = ids.length === limit
    }
    return ended
  })
})

/** What a process knows of a webhook that is ending. */
interface Ending {
  /** When the process first saw it, on the monotonic clock. */
  readonly seenAt: number
  /** Whether everything under way at its deletion had ended at the last pass. */
  readonly settled: boolean
}

/** Returns whether there is more to end. `known`: the webhooks of the pass before, by id; it becomes those of this pass. */
export const endDeletedQueues = Effect.fnUntraced(function* (known: Map<string, Ending>) {
  const sql = yield* SqlClient.SqlClient
  const endQueue = yield* makeEndQueue
  const now = yield* monotonicNow
  const webhooks = yield* sql<{
    readonly id: string
    readonly account_id: AccountId
    readonly network: Network
  }>`SELECT id, account_id, network FROM webhooks WHERE ending ORDER BY deleted_at LIMIT ${Limits.largeRows}`
  const before = new Map(known)
  known.clear()
  let more = false
  const end = Effect.fnUntraced(function* ({ id, account_id, network }: (typeof webhooks)[number]) {
    const owner = { accountId: account_id, networks: [network] }
    const { seenAt, settled } = before.get(id) ?? { seenAt: now, settled: false }
    // Also if it fails now.
    known.set(id, { seenAt, settled: false })
    const ended = yield* endQueue(owner, id, PASS)
    if (ended === PASS) more = true
    if (ended === 0 && settled) {
      yield* sql`UPDATE webhooks SET ending = false, ${sql.literal(WEBHOOK_CLEARED)} WHERE id = ${id}`
      known.delete(id)
    } else known.set(id, { seenAt, settled: now - seenAt > SETTLED_MS })
  })
  yield* eachAlone(webhooks, end)
  return more
})

/** Pauses for as long as the last pass took, so the passes use at most half of the time. */
export const keepEndingQueues = Effect.gen(function* () {
  const pass = endDeletedQueues(new Map()).pipe(retryUntilSuccess("ending deliveries of deleted webhooks"))
  return yield* Effect.forever(
    Effect.flatMap(Effect.timed(pass), ([took, more]) => Effect.sleep(more ? took : Limits.workPollMs))
  )
})
