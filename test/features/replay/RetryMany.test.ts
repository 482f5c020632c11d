/** `POST /v1/deliveries/retry`: which deliveries match, what is refused, and the job as `/v1/replay` shows it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { apiLayer } from "../../support/http/api.ts"
import { setUsage } from "../../support/store/rows.ts"
import { NOW, prepareDeliveries } from "../deliveries/recordedDeliveries.ts"

const iso = (ms: number) => new Date(ms).toISOString()

/** Six deliveries: failed, retrying, delivered, failed, retrying, pending; their types alternate. */
const prepare = Effect.fnUntraced(function* (environment: "live" | "test" = "live") {
  const prepared = yield* prepareDeliveries(environment)
  const { api, attempt, key, queue, webhookId } = prepared
  const queued = []
  for (let i = 0; i < 6; i++) queued.push(yield* queue(NOW + i))
  for (const [i, status] of (["failed", "retrying", "delivered", "failed", "retrying"] as const).entries())
    yield* attempt(queued[i]!.id, 1, status, status === "delivered" ? 200 : 503)
  const retry = (body: object) =>
    api.call("POST", "/v1/deliveries/retry", { key, body: { webhook_id: webhookId, ...body } })
  return { ...prepared, queued, retry }
})

layer(apiLayer(), { excludeTestServices: true })("retrying many deliveries", (it) => {
  it.effect("a dry run counts by type, exactly, and queues nothing", () =>
    Effect.gen(function* () {
      const { api, key, queued, retry } = yield* prepare()
      const byType = (...places: ReadonlyArray<number>) => {
        const counts: Record<string, number> = {}
        for (const i of places) {
          const { event_type: type } = queued[i]!.event
          counts[type] = (counts[type] ?? 0) + 1
        }
        return { matched: places.length, by_type: counts }
      }
      const nfts = [0, 1, 3, 4].filter((i) => queued[i]!.event.event_type === "nft.minted")
      for (const [body, places] of [
        [{}, [0, 1, 3, 4]],
        [{ statuses: ["failed"] }, [0, 3]],
        [{ statuses: ["retrying"] }, [1, 4]],
        [{ statuses: ["retrying", "failed", "retrying"] }, [0, 1, 3, 4]],
        [{ event_types: ["nft.*"] }, nfts],
        [{ event_types: ["*"] }, [0, 1, 3, 4]],
        [{ event_types: ["escrow.*"] }, []],
        [{ since: iso(NOW) }, [1, 3, 4]],
        [{ since: iso(NOW), until: iso(NOW + 4) }, [1, 3]],
        [{ until: iso(NOW) }, []]
      ] as const) {
        const answer = yield* retry({ ...body, dry_run: true })
        assert.deepStrictEqual([answer.status, answer.body], [200, byType(...places)], JSON.stringify(body))
      }
      assert.deepStrictEqual((yield* api.call("GET", "/v1/replay", { key })).body.data, [])
    })
  )

  it.effect("makes a job of the mode retry, which is shown, listed and cancelled as replays are", () =>
    Effect.gen(function* () {
      const { api, key, retry, webhookId } = yield* prepare()
      const made = yield* retry({ statuses: ["failed"], dry_run: false })
      assert.strictEqual(made.status, 202)
      const { created_at, job_id, ...rest } = made.body
      const requested = (yield* api.call("GET", `/v1/replay/${job_id}`, { key })).body.requested
      assert.deepStrictEqual(requested.statuses, ["failed"])
      assert.match(job_id, /^rpl_job_/)
      assert.deepStrictEqual(rest, { status: "queued", matched: 2 })
      const job = {
        job_id,
        mode: "retry",
        status: "queued",
        webhook_id: webhookId,
        total_events: 2,
        processed_events: 0,
        failed_events: 0,
        delivered: 0,
        waiting: 0,
        failed: 0,
        error: null,
        created_at,
        completed_at: null,
        finished_at: null,
        requested
      }
      const path = `/v1/replay/${job_id}`
      assert.deepStrictEqual((yield* api.call("GET", "/v1/replay", { key })).body.data, [job])
      assert.deepStrictEqual((yield* api.call("GET", path, { key })).body, {
        ...job,
        progress_percent: 0,
        eta_seconds: null
      })
      const cancelled = yield* api.call("DELETE", path, { key })
      assert.deepInclude(cancelled.body, { job_id, status: "cancelled", processed_events: 0 })
      assert.deepInclude((yield* api.call("GET", path, { key })).body, {
        status: "cancelled",
        total_events: 2
      })
      // Nothing was queued for the job, and a job of nobody has none.
      for (const id of [job_id, "rpl_job_01J8ZQ4T7M3VXN5K2D9RFBHCAE"])
        for (const filter of ["", "&status=failed", "&event_type=nft.*"]) {
          const listed = yield* api.call("GET", `/v1/deliveries?job_id=${id}${filter}`, { key })
          assert.deepStrictEqual([listed.status, listed.body.data], [200, []])
        }
    })
  )

  it.effect("says in one sentence what is wrong with a request", () =>
    Effect.gen(function* () {
      const { retry } = yield* prepare()
      for (const [body, message] of [
        [{ webhook_id: "wh_1" }, /webhook_id/],
        [{ statuses: [] }, /statuses must contain failed, retrying or both/],
        [{ statuses: ["delivered"] }, /statuses/],
        [{ event_types: [] }, /event_types must contain at least one/],
        [{ event_types: ["nft.stolen"] }, /event_types.*must be one of the 23 event types/],
        [{ since: "yesterday" }, /since must be an ISO 8601 date-time/],
        [{ since: iso(NOW), until: iso(NOW) }, /since must be before until/]
      ] as const) {
        const answer = yield* retry(body)
        assert.deepStrictEqual([answer.status, answer.body.error.code], [400, "VALIDATION_ERROR"])
        assert.match(answer.body.error.message, message)
      }
    })
  )

  it.effect("refuses a webhook that is another's, or disabled; a dry run counts for a disabled one", () =>
    Effect.gen(function* () {
      const { accountId, api, key, retry, webhookId } = yield* prepare()
      const other = yield* api.account()
      const test = yield* api.keyFor(accountId, "test")
      for (const foreign of [other.key, test]) {
        const answer = yield* api.call("POST", "/v1/deliveries/retry", {
          key: foreign,
          body: { webhook_id: webhookId, dry_run: true }
        })
        assert.strictEqual(answer.status, 404)
      }
      yield* api.call("PATCH", `/v1/webhooks/${webhookId}`, { key, body: { status: "disabled" } })
      const refused = yield* retry({})
      assert.deepStrictEqual([refused.status, refused.body.error.code], [409, "WEBHOOK_DISABLED"])
      assert.strictEqual((yield* retry({ dry_run: true })).body.matched, 4)
    })
  )

  it.effect("counts towards the plan's jobs at once, and is refused while the month's quota is used up", () =>
    Effect.gen(function* () {
      const { accountId, retry } = yield* prepare()
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE accounts SET plan = 'developer' WHERE id = ${accountId}`
      assert.strictEqual((yield* retry({})).status, 202)
      const second = yield* retry({})
      assert.deepStrictEqual([second.status, second.body.error.code], [409, "REPLAY_LIMIT_REACHED"])
      yield* sql`UPDATE replay_jobs SET status = 'completed' WHERE account_id = ${accountId}`
      yield* setUsage(accountId, new Date().toISOString().slice(0, 7), 10_000)
      const usedUp = yield* retry({})
      assert.deepStrictEqual([usedUp.status, usedUp.body.error.code], [402, "QUOTA_EXCEEDED"])
      assert.match(usedUp.body.error.message, /create the job when the next month/)
    })
  )
})
