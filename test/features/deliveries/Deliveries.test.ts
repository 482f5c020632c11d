/** The delivery log over HTTP: filters, exact pages, the body that was sent, and the manual retry. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import packageJson from "../../../package.json" with { type: "json" }
import { withIncluded } from "../../../src/spine/event/Include.ts"
import { envelopeJson } from "../../../src/spine/event/LedgerEvent.ts"
import { sequenceOf } from "../../../src/spine/event/Sequence.ts"
import { booked } from "../../support/deliver/bookedEvent.ts"
import { apiLayer } from "../../support/http/api.ts"
import { setUsage } from "../../support/store/rows.ts"
import { NOW, prepareDeliveries as prepare } from "./recordedDeliveries.ts"

const iso = (ms: number) => new Date(ms).toISOString()

/** Whether a list that is requested after a delivery was queued contains it, while others request the same list. */
const queueAndList = Effect.fnUntraced(function* ({
  queue,
  idsOf
}: Effect.Success<ReturnType<typeof prepare>>) {
  const { id } = yield* queue(NOW + 2)
  return (yield* idsOf("")).includes(id)
})

layer(apiLayer(), { excludeTestServices: true })("deliveries", (it) => {
  it.effect("lists queued deliveries at once, newest first, with exactly the specified fields", () =>
    Effect.gen(function* () {
      const { queue, get, webhookId } = yield* prepare()
      const older = yield* queue(NOW)
      const newer = yield* queue(NOW + 1)
      const { body } = yield* get("")
      assert.deepStrictEqual(body, {
        data: [newer, older].map(({ id, event }) => ({
          id,
          webhook_id: webhookId,
          event_id: event.event_id,
          event_type: event.event_type,
          status: "pending",
          attempts: 0,
          last_error: null,
          response_status: null,
          response_time_ms: null,
          next_attempt_at: null,
          created_at: iso(event.detected_at),
          updated_at: iso(event.detected_at)
        })),
        has_more: false,
        next_cursor: null
      })
    })
  )

  it.effect("filters by webhook, type, status and time, bounds excluded", () =>
    Effect.gen(function* () {
      const { queue, attempt, get, idsOf, webhookId } = yield* prepare()
      const queued = []
      for (let i = 0; i < 6; i++) queued.push(yield* queue(NOW + i))
      const ids = queued.map(({ id }) => id)
      yield* attempt(ids[0]!, 1, "delivered", 200)
      yield* attempt(ids[1]!, 1, "retrying")
      yield* attempt(ids[2]!, 1, "failed")
      const newestFirst = (...which: ReadonlyArray<number>) => which.map((i) => ids[i]!).reverse()
      assert.deepStrictEqual(yield* idsOf("?status=delivered"), [ids[0]!])
      const [delivered] = (yield* get("?status=delivered")).body["data"] as ReadonlyArray<object>
      assert.deepInclude(delivered, { response_status: 200, response_time_ms: 12, next_attempt_at: null })
      assert.deepStrictEqual(yield* idsOf("?status=retrying"), [ids[1]!])
      assert.deepStrictEqual(yield* idsOf("?status=failed"), [ids[2]!])
      assert.deepStrictEqual(yield* idsOf("?status=failed&status=delivered"), [ids[2]!, ids[0]!])
      assert.deepStrictEqual(yield* idsOf("?status=pending"), newestFirst(3, 4, 5))
      assert.deepStrictEqual(yield* idsOf(`?webhook_id=${webhookId}`), newestFirst(0, 1, 2, 3, 4, 5))
      assert.deepStrictEqual(yield* idsOf("?webhook_id=wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE"), [])
      const nfts = queued.filter(({ event }) => event.event_type === "nft.minted").map(({ id }) => id)
      assert.deepStrictEqual(yield* idsOf("?event_type=nft.minted"), nfts.reverse())
      assert.deepStrictEqual(yield* idsOf(`?since=${iso(NOW + 1)}&until=${iso(NOW + 4)}`), newestFirst(2, 3))
      // The time has an offset with an unescaped plus sign, and a fraction finer than the times of ids.
      assert.deepStrictEqual(yield* idsOf("?since=2026-11-21T10:30:00.0035+01:00"), newestFirst(4, 5))
      assert.deepStrictEqual(
        yield* idsOf("?until=2026-11-21T09:30:00.0015Z&since=2026-11-21T09:29Z"),
        newestFirst(0, 1)
      )
    })
  )

  it.effect("pages stay exact while rows are added: none is skipped, none shown twice", () =>
    Effect.gen(function* () {
      const { queue, get } = yield* prepare()
      const before: Array<string> = []
      for (let i = 0; i < 25; i++) before.push((yield* queue(NOW + i)).id)
      const seen: Array<string> = []
      let path = "?limit=4"
      while (true) {
        const { body } = yield* get(path)
        seen.push(...body.data.map(({ id }: { id: string }) => id))
        if (!body.has_more) break
        yield* queue(NOW + 1_000 + seen.length)
        path = `?limit=4&cursor=${body.next_cursor}`
      }
      assert.deepStrictEqual(seen, before.reverse())
      const { body } = yield* get("")
      assert.strictEqual(body.data.length, 20)
      assert.isTrue(body.has_more)
      for (const wrong of ["&status=failed", "&since=2020-01-01T00:00:00Z", "x"]) {
        assert.strictEqual((yield* get(`?cursor=${body.next_cursor}${wrong}`)).status, 400)
      }
    })
  )

  it.effect("shows every attempt and the exact bytes that were sent", () =>
    Effect.gen(function* () {
      const { queue, attempt, get, webhookId } = yield* prepare()
      const { id, event } = yield* queue(NOW)
      const pending = (yield* get(`/${id}`)).body
      assert.deepInclude(pending, {
        response_status: null,
        response_time_ms: null,
        next_attempt_at: null,
        request_headers: null,
        request_body: null,
        response_body: null,
        attempt_history: []
      })
      yield* attempt(id, 1, "retrying", null)
      assert.strictEqual((yield* get(`/${id}`)).body.next_attempt_at, iso(NOW + 1_000 + 12 + 1_000))
      yield* attempt(id, 2, "delivered", 200)
      const { body } = yield* get(`/${id}`)
      assert.deepStrictEqual(body, {
        id,
        webhook_id: webhookId,
        event_id: event.event_id,
        event_type: event.event_type,
        status: "delivered",
        attempts: 2,
        last_error: null,
        created_at: iso(NOW),
        updated_at: iso(NOW + 2_012),
        response_status: 200,
        response_time_ms: 12,
        next_attempt_at: null,
        request_headers: {
          "User-Agent": `Ledgerhook/${packageJson.version}`,
          "Accept-Encoding": "identity",
          authorization: "***",
          "Content-Type": "application/json",
          "X-Service-Signature": "sha256=***",
          "X-Service-Delivery-Id": id,
          "X-Service-Event-Id": event.event_id,
          "X-Service-Event-Type": event.event_type,
          "X-Service-Sequence": sequenceOf(event),
          "X-Service-Timestamp": String(NOW / 1_000 + 2)
        },
        request_body: envelopeJson(event, webhookId),
        response_body: "body",
        attempt_history: [
          {
            attempt: 1,
            status: "failed",
            response_status: null,
            response_time_ms: null,
            error: "connection refused",
            attempted_at: iso(NOW + 1_000),
            response_headers: null,
            response_body: null,
            connect_ms: null,
            first_byte_ms: null,
            total_ms: 3,
            batch_id: null
          },
          {
            attempt: 2,
            status: "delivered",
            response_status: 200,
            response_time_ms: 12,
            attempted_at: iso(NOW + 2_000),
            response_headers: { server: "nginx", "x-request-id": "a" },
            response_body: "body",
            connect_ms: 5,
            first_byte_ms: 11,
            total_ms: 13,
            batch_id: null
          }
        ]
      })
    })
  )

  it.effect("shows the body with what its webhook includes, and retries it from the whole event", () =>
    Effect.gen(function* () {
      const { api, key, queue, attempt, get, webhookId } = yield* prepare()
      const sql = yield* SqlClient.SqlClient
      yield* api.call("PATCH", `/v1/webhooks/${webhookId}`, { key, body: { include: ["balance_changes"] } })
      const { id, event } = yield* queue(NOW, booked)
      yield* attempt(id, 1, "failed")
      const body = envelopeJson(withIncluded(event, ["balance_changes"]), webhookId)
      assert.include(body, `,"balance_changes":[{`)
      assert.strictEqual((yield* get(`/${id}`)).body.request_body, body)
      yield* api.call("POST", `/v1/deliveries/${id}/retry`, { key })
      const [work] = yield* sql<{ readonly value: string }>`
        SELECT value FROM outbox WHERE topic = 'webhooks.deliveries' AND key = ${webhookId}`
      assert.deepStrictEqual(JSON.parse(work!.value).event, event)
    })
  )

  it.effect("a retry of a failed delivery queues attempt n + 1 of a new series, once", () =>
    Effect.gen(function* () {
      const { api, key, queue, attempt, get, webhookId } = yield* prepare()
      const sql = yield* SqlClient.SqlClient
      const { id, event } = yield* queue(NOW)
      const retry = api.call("POST", `/v1/deliveries/${id}/retry`, { key })
      const early = yield* retry
      assert.deepStrictEqual([early.status, early.body.error.code], [409, "DELIVERY_NOT_FAILED"])
      yield* attempt(id, 1, "retrying")
      yield* attempt(id, 2, "failed")
      const answer = yield* retry
      assert.deepStrictEqual([answer.status, answer.body], [200, { delivery_id: id, status: "pending" }])
      assert.deepInclude((yield* get(`/${id}`)).body, { status: "pending", attempts: 2 })
      const [row] =
        yield* sql`SELECT series_start, parked, next_attempt_at = updated_at AS due FROM deliveries WHERE id = ${id}`
      assert.deepStrictEqual(row, { series_start: 2, parked: false, due: true })
      assert.isNull((yield* get(`/${id}`)).body.next_attempt_at)
      assert.strictEqual((yield* retry).status, 409)
      const queued = yield* sql<{ readonly key: string; readonly value: string }>`
        SELECT key, value FROM outbox WHERE topic = 'webhooks.deliveries' AND key = ${webhookId}`
      assert.deepStrictEqual(
        queued.map(({ key, value }) => [key, JSON.parse(value)]),
        [
          [
            webhookId,
            {
              ...{ delivery_id: id, webhook_id: webhookId, attempt: 3, series_attempt: 1, due_at: 0 },
              ...{ manual: true, ledger_index: event.ledger_index, event }
            }
          ]
        ]
      )
    })
  )

  it.effect("refuses a retry to a disabled or deleted webhook; deleting a webhook ends its queue", () =>
    Effect.gen(function* () {
      const { api, key, queue, attempt, get, webhookId } = yield* prepare()
      const failed = (yield* queue(NOW)).id
      const waiting = (yield* queue(NOW + 1)).id
      yield* attempt(failed, 1, "failed")
      const path = `/v1/webhooks/${webhookId}`
      yield* api.call("PATCH", path, { key, body: { status: "disabled" } })
      const disabled = yield* api.call("POST", `/v1/deliveries/${failed}/retry`, { key })
      assert.deepStrictEqual([disabled.status, disabled.body.error.code], [409, "WEBHOOK_DISABLED"])
      yield* api.call("DELETE", path, { key })
      const gone = yield* api.call("POST", `/v1/deliveries/${failed}/retry`, { key })
      assert.strictEqual(gone.status, 404)
      assert.match(gone.body.error.message, new RegExp(`${webhookId}.*no longer exists`))
      assert.deepInclude((yield* get(`/${waiting}`)).body, {
        status: "failed",
        attempts: 0,
        last_error: "webhook deleted"
      })
      assert.strictEqual((yield* get(`/${failed}`)).body.last_error, "HTTP 503")
    })
  )

  it.effect("refuses a retry while the monthly quota is used up, after all other checks", () =>
    Effect.gen(function* () {
      const { api, key, accountId, queue, attempt } = yield* prepare()
      const sql = yield* SqlClient.SqlClient
      const failed = (yield* queue(NOW)).id
      const waiting = (yield* queue(NOW + 1)).id
      yield* attempt(failed, 1, "failed")
      yield* sql`UPDATE accounts SET monthly_deliveries = 1 WHERE id = ${accountId}`
      yield* setUsage(accountId, new Date().toISOString().slice(0, 7), 1)
      const retry = (id: string) => api.call("POST", `/v1/deliveries/${id}/retry`, { key })
      assert.strictEqual((yield* retry(waiting)).status, 409)
      const answer = yield* retry(failed)
      assert.deepStrictEqual([answer.status, answer.body.error.code], [402, "QUOTA_EXCEEDED"])
      yield* sql`UPDATE accounts SET monthly_deliveries = 2 WHERE id = ${accountId}`
      assert.strictEqual((yield* retry(failed)).status, 200)
    })
  )

  it.effect("answers each of many concurrent requests with its own page, and counts each", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* prepare(), yield* prepare()]
      const ids = { one: (yield* one.queue(NOW)).id, other: (yield* other.queue(NOW + 1)).id }
      const asked = Array.from({ length: 60 }, (_, i) => {
        const [{ get }, id] = i % 2 === 0 ? [one, ids.one] : [other, ids.other]
        const [path, expected] = i % 3 === 0 ? ["?status=failed", []] : ["", [id]]
        return Effect.map(get(path!), ({ body, headers }) => ({ body, expected, headers }))
      })
      const answers = yield* Effect.all(asked, { concurrency: "unbounded" })
      for (const { body, expected } of answers) {
        assert.deepStrictEqual(
          body.data.map(({ id }: { id: string }) => id),
          expected
        )
      }
      const left = answers.map(({ headers }) => Number(headers.get("x-ratelimit-remaining")))
      // Each key has made 30 requests, after one that created its webhook.
      assert.strictEqual(new Set(left).size, 30)
      const found = yield* Effect.all([queueAndList(one), queueAndList(one), queueAndList(one)], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(found, [true, true, true])
    })
  )
})
