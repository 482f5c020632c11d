/** Ended replay jobs and deleted webhooks keep neither large nor secret parts, and go when nothing shows them. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { endJob } from "../../../src/features/replay/ReplayWork.ts"
import { endDeletedQueues, SETTLED_MS } from "../../../src/features/webhooks/DeletedQueues.ts"
import { WebhookStore } from "../../../src/features/webhooks/WebhookStore.ts"
import { Limits } from "../../../src/spine/config/Limits.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { forgetEnded } from "../../../src/spine/store/EndedRows.ts"
import { DAY_MS, NOW, newDelivery, OWNER, prepare } from "../../support/deliver/deliveryRows.ts"
import { DeliveriesLive } from "../deliveries/countedDeliveries.ts"

const KEPT_MS = 30 * DAY_MS
const at = (unixMs: number) => new Date(unixMs).toISOString()

const insertJob = Effect.fnUntraced(function* (id: string, mode: object, status = "running", endedMs = NOW) {
  const sql = yield* SqlClient.SqlClient
  const job = {
    id,
    account_id: OWNER.accountId,
    webhook_id: "wh_1",
    network: "mainnet",
    status,
    total_events: 2,
    end_offset: 0,
    created_at: at(NOW - 90 * DAY_MS),
    completed_at: status === "completed" ? at(endedMs) : null
  }
  yield* sql`INSERT INTO replay_jobs ${sql.insert({ ...job, ...mode })}`
})

const jobs = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`SELECT id, event_ids, filters, retry FROM replay_jobs ORDER BY id`
})

const fill = Effect.fnUntraced(function* (webhookId: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    UPDATE webhooks SET description = 'ours', account_filters = '{rOne,rTwo}', payload_filter = '{"a":1}',
      headers = '{"X-Token": "secret", "X-Other": "secret"}', previous_sealed_secret = 'v1.secret',
      previous_secret_until = now() WHERE id = ${webhookId}`
})

const isGone = Effect.fnUntraced(function* (webhookId: string) {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`SELECT 1 FROM webhooks WHERE id = ${webhookId}`).length === 0
})

layer(DeliveriesLive)("what has ended", (it) => {
  it.effect("a job keeps its mode, types, period and counts, but neither ids nor other filters", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* prepare(0)
      yield* insertJob("rpl_job_1", { event_ids: ["one", "two"] })
      yield* insertJob("rpl_job_2", {
        filters: JSON.stringify({ accounts: ["rOne"], event_types: ["payment.xrp"], since: 1 })
      })
      yield* insertJob("rpl_job_3", { retry: JSON.stringify({ statuses: ["failed"] }) })
      for (const [id, status] of [
        ["rpl_job_1", "completed"],
        ["rpl_job_2", "cancelled"],
        ["rpl_job_3", "failed"]
      ] as const)
        yield* endJob(sql, id, { status, error: null }, NOW)
      assert.deepStrictEqual(yield* jobs, [
        { id: "rpl_job_1", event_ids: [], filters: null, retry: null },
        {
          id: "rpl_job_2",
          event_ids: null,
          filters: { event_types: ["payment.xrp"], since: 1 },
          retry: null
        },
        { id: "rpl_job_3", event_ids: null, filters: null, retry: { statuses: ["failed"] } }
      ])
      const [counted] = yield* sql`
        SELECT total_events::int AS total, failed_events::int AS failed FROM replay_jobs WHERE id = 'rpl_job_1'`
      assert.deepStrictEqual(counted, { total: 2, failed: 2 })
      yield* sql`DELETE FROM replay_jobs`
    })
  )

  it.effect("a job goes after its deliveries, with its request for history; one that runs stays whole", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* prepare(0)
      const ids = { event_ids: ["one"] }
      yield* insertJob("rpl_job_1", ids, "completed", NOW - KEPT_MS - 1)
      yield* insertJob("rpl_job_2", ids, "completed", NOW - KEPT_MS + 1)
      yield* insertJob("rpl_job_3", ids)
      for (const id of ["rpl_job_1", "rpl_job_3"])
        yield* sql`INSERT INTO history_requests (job_id, network, since_ms, state) VALUES (${id}, 'mainnet', 0, 'open')`
      yield* forgetEnded(KEPT_MS, NOW)
      assert.deepStrictEqual(
        (yield* jobs).map(({ id, event_ids }) => [id, event_ids]),
        [
          ["rpl_job_2", []],
          ["rpl_job_3", ["one"]]
        ]
      )
      assert.deepStrictEqual(yield* sql`SELECT job_id FROM history_requests`, [{ job_id: "rpl_job_3" }])
      assert.strictEqual(yield* forgetEnded(KEPT_MS, NOW), 0)
      yield* sql`DELETE FROM history_requests`
      yield* sql`DELETE FROM replay_jobs`
    })
  )

  it.effect("an account keeps its newest jobs only, and all that have not ended", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* prepare(0)
      yield* insertJob("rpl_job_0", { event_ids: ["one"] })
      yield* sql`
        INSERT INTO replay_jobs (id, account_id, webhook_id, network, status, retry, total_events, end_offset, created_at,
                                  completed_at)
        SELECT 'rpl_job_' || lpad(i::text, 6, '0'), ${OWNER.accountId}, 'wh_1', 'mainnet', 'completed', '{}', 0, 0,
               ${at(NOW)}::timestamptz, ${at(NOW)}::timestamptz
        FROM generate_series(1, ${Limits.newestKept + 150}) AS i`
      assert.strictEqual(yield* forgetEnded(KEPT_MS, NOW), 150)
      const [left] =
        yield* sql`SELECT count(*)::int AS jobs, min(id) AS first FROM replay_jobs WHERE status = 'completed'`
      assert.deepStrictEqual(left, { jobs: Limits.newestKept, first: "rpl_job_000151" })
      yield* sql`DELETE FROM replay_jobs`
    })
  )

  it.effect("a deleted webhook keeps neither secrets nor filters once its queue has ended", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const webhooks = yield* WebhookStore
      const [deleted, present] = yield* prepare(2)
      yield* fill(deleted!)
      yield* fill(present!)
      yield* webhooks.remove(OWNER, deleted!, 0)
      const pass = endDeletedQueues(new Map())
      yield* pass
      yield* TestClock.adjust(SETTLED_MS + 1)
      yield* pass
      yield* pass
      const rows = yield* sql`
        SELECT url, description, account_filters, account_filters_count, payload_filter, headers, sealed_secret,
               previous_sealed_secret, previous_secret_until, event_types
        FROM webhooks WHERE id = ${deleted!}`
      assert.deepStrictEqual(rows, [
        {
          url: "",
          description: null,
          account_filters: [],
          account_filters_count: 0,
          payload_filter: null,
          headers: { "X-Token": "", "X-Other": "" },
          sealed_secret: "",
          previous_sealed_secret: null,
          previous_secret_until: null,
          event_types: ["*"]
        }
      ])
      const [kept] = yield* sql`SELECT headers, account_filters FROM webhooks WHERE id = ${present!}`
      assert.deepStrictEqual(kept, {
        headers: { "X-Token": "secret", "X-Other": "secret" },
        account_filters: ["rOne", "rTwo"]
      })
    })
  )

  it.effect("rows go although rows of another kind cannot, and the failure is not hidden", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [referenced] = yield* prepare(1)
      yield* sql`UPDATE webhooks SET deleted_at = ${at(NOW - KEPT_MS - 1)}::timestamptz WHERE id = ${referenced!}`
      yield* sql`CREATE TABLE of_others (webhook text COLLATE "C" REFERENCES webhooks (id))`
      yield* sql`INSERT INTO of_others VALUES (${referenced!})`
      yield* sql`INSERT INTO retried_deliveries VALUES ('rpl_job_0', 'dlv_0')`
      yield* Effect.flip(forgetEnded(KEPT_MS, NOW))
      assert.isFalse(yield* isGone(referenced!))
      assert.deepStrictEqual(yield* sql`SELECT FROM retried_deliveries`, [])
      yield* sql`DROP TABLE of_others`
      yield* forgetEnded(KEPT_MS, NOW)
      assert.isTrue(yield* isGone(referenced!))
    })
  )

  it.effect("a deleted webhook of an earlier version is cleared, and goes when no delivery is left", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const deliveries = yield* DeliveryStore
      const [free, delivering, ending, present] = yield* prepare(4)
      for (const id of [free!, delivering!, ending!, present!]) yield* fill(id)
      yield* deliveries.insertPending([newDelivery(delivering!, NOW, "payment.xrp")], NOW)
      yield* sql`
        UPDATE webhooks SET deleted_at = ${at(NOW - KEPT_MS - 1)}::timestamptz, ending = id = ${ending!}
        WHERE id <> ${present!} AND deleted_at IS NULL AND account_filters_count > 0 AND id = ANY(${[free!, delivering!, ending!]}::text[])`
      yield* forgetEnded(KEPT_MS - DAY_MS, NOW - 2 * DAY_MS)
      const rows = yield* sql<{ readonly id: string; readonly count: number }>`
        SELECT id, account_filters_count AS count FROM webhooks WHERE id = ANY(${[free!, delivering!, ending!, present!]}::text[])`
      assert.deepStrictEqual(Object.fromEntries(rows.map(({ id, count }) => [id, count])), {
        [free!]: 0,
        [delivering!]: 0,
        [ending!]: 2,
        [present!]: 2
      })
      yield* forgetEnded(KEPT_MS, NOW)
      const gone = yield* Effect.forEach([free!, delivering!, ending!, present!], isGone)
      assert.deepStrictEqual(gone, [true, false, false, false])
      yield* sql`DELETE FROM deliveries WHERE webhook_id = ${delivering!}`
      yield* forgetEnded(KEPT_MS, NOW)
      assert.isTrue(yield* isGone(delivering!))
    })
  )
})
