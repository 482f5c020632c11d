/** Creates deliveries of one webhook in every state, with their events in the log, and retry jobs, without the API. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ReplayStore } from "../../../src/features/replay/ReplayStore.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { Partitions } from "../../../src/spine/deliveries/Partitions.ts"
import { type DeliveryStatus, type DeliveryWork, REPLAYS_TOPIC } from "../../../src/spine/domain/Delivery.ts"
import type { RetryFilters } from "../../../src/spine/domain/Replay.ts"
import type { LedgerEvent } from "../../../src/spine/event/LedgerEvent.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { deliveryId, randomId } from "../../../src/spine/words/Ids.ts"
import { eventOf, pick, recordOf, types } from "../../support/deliver/events.ts"
import { generator } from "../../support/ledger/misbehavingServer.ts"
import { insertAccount, insertWebhook } from "../../support/store/rows.ts"
import { ACCOUNT, isoSecond, owner } from "./replaying.ts"

/** No delivery is created before this time. */
export const MADE = Date.parse("2026-11-20T10:03:00.000Z")

export interface MadeDelivery {
  readonly id: string
  readonly createdMs: number
  readonly status: DeliveryStatus
  readonly event: LedgerEvent
}

/** Records the outcome of an attempt that happens now. */
export const attempted = (deliveryId: string, attempt: number, status: "delivered" | "retrying" | "failed") =>
  Effect.flatMap(DeliveryStore, (store) =>
    store.record(
      [
        {
          deliveryId,
          attempt,
          status,
          responseStatus: status === "delivered" ? 200 : 503,
          responseTimeMs: 5,
          responseBody: null,
          error: status === "delivered" ? null : "HTTP 503",
          attemptedAt: Date.now(),
          endedAt: Date.now(),
          nextDelayMs: status === "retrying" ? 3_600_000 : null
        }
      ],
      1_000_000
    )
  )

/** Creates a webhook with `count` deliveries, `stepMs` apart on average, oldest first. */
export const makeDeliveries = Effect.fnUntraced(function* (
  count: number,
  statusOf: (place: number) => DeliveryStatus,
  {
    account = ACCOUNT,
    seed = 1,
    stepMs = 1_000
  }: { readonly account?: string; readonly seed?: number; readonly stepMs?: number } = {}
) {
  const log = yield* Log
  const store = yield* DeliveryStore
  const partitions = yield* Partitions
  const chance = generator(seed)
  yield* insertAccount(account)
  const webhookId = yield* insertWebhook(account)
  let createdMs = MADE
  const made = Array.from({ length: count }, (_, i): MadeDelivery => {
    createdMs += Math.floor(chance() * 2 * stepMs)
    const event = eventOf({
      ledgerIndex: 90_000_000 + i,
      type: pick(chance, types),
      timestamp: isoSecond(createdMs)
    })
    return { id: deliveryId(createdMs, 0, webhookId, event.event_id), createdMs, status: statusOf(i), event }
  })
  yield* partitions.ensure(MADE, createdMs)
  const positions = yield* log.transaction({ append: made.map(({ event }) => recordOf(event)) })
  yield* store.insertPending(
    made.map(({ id, event }, i) => ({
      id,
      webhookId,
      accountId: account,
      network: "mainnet",
      eventId: event.event_id,
      eventType: event.event_type,
      eventOffset: positions[i]!.offset
    })),
    MADE
  )
  for (const { id, status } of made) if (status !== "pending") yield* attempted(id, 1, status)
  return { webhookId, made }
})

export const isRetryable = ({ status }: MadeDelivery): boolean => status === "failed" || status === "retrying"

export const queueRetry = Effect.fnUntraced(function* (
  webhookId: string,
  retry: RetryFilters = { statuses: ["failed", "retrying"] }
) {
  const jobs = yield* ReplayStore
  const id = randomId("rpl_job_", Date.now())
  const target = { webhookId, accountId: ACCOUNT, network: "mainnet" } as const
  const { matched: estimatedEvents } = yield* jobs.countRetries(target, retry)
  const made = yield* jobs.create(owner, { id, webhookId, retry, estimatedEvents, endOffset: 0 }, Date.now())
  assert.strictEqual(made, "queued")
  return id
})

/** The work that jobs have written to the outbox for the webhook, in order. */
export const queuedRetries = Effect.fnUntraced(function* (webhookId: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly value: string }>`
    SELECT value FROM outbox WHERE topic = ${REPLAYS_TOPIC} AND key = ${webhookId} ORDER BY id`
  return rows.map(({ value }) => JSON.parse(value) as DeliveryWork)
})

/** Checks that the work has exactly these deliveries, each once, oldest first, with the number of its next attempt. */
export const assertRetried = Effect.fnUntraced(function* (
  webhookId: string,
  expected: ReadonlyArray<MadeDelivery>
) {
  const works = yield* queuedRetries(webhookId)
  assert.deepStrictEqual(
    works,
    expected.map(({ id, event, status }) => ({
      delivery_id: id,
      webhook_id: webhookId,
      attempt: 2,
      series_attempt: status === "failed" ? 1 : 2,
      due_at: 0,
      ledger_index: event.ledger_index,
      event,
      replay: true,
      manual: true
    }))
  )
  const states = yield* (yield* DeliveryStore).states(expected.map(({ id }) => id))
  for (const { id, status } of expected)
    assert.deepInclude(states.get(id), { status: status === "failed" ? "pending" : "retrying", attempts: 1 })
})
