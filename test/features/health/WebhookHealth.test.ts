/**
 * What the API shows of webhooks' health, and of their incidents. Situations.test.ts checks the states and their
 * sentences.
 */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { storeOutcomes } from "../../../src/features/health/IncidentStore.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { deliveryId } from "../../../src/spine/words/Ids.ts"
import { attemptsOf, type Result } from "../../support/deliver/requests.ts"
import { ApiUnderTest, apiLayer } from "../../support/http/api.ts"

let position = 0

/** Records a request for each result, a second apart, the last one now. */
const attempt = Effect.fnUntraced(function* (
  accountId: string,
  webhookId: string,
  results: ReadonlyArray<Result>,
  agoMs = 0
) {
  const store = yield* DeliveryStore
  const now = yield* Clock.currentTimeMillis
  for (const [i, result] of results.entries()) {
    const endedAt = now - agoMs - (results.length - 1 - i) * 1_000
    const row = {
      id: deliveryId(endedAt - 10, position++, webhookId, "event"),
      webhookId,
      accountId,
      network: "mainnet",
      eventId: "event",
      eventType: "payment.xrp",
      eventOffset: 7
    } as const
    yield* store.recordFirst(
      attemptsOf({ deliveries: [{ row, result }], endedAt, error: "connection refused" }),
      100
    )
  }
})

const DEAD = ["retrying", "retrying", "retrying", "retrying", "failed"] as const

const prepare = Effect.gen(function* () {
  const api = yield* ApiUnderTest
  const { accountId, key } = yield* api.account()
  const body = { url: "https://example.com/hook", event_types: ["*"] }
  const create = Effect.map(api.call("POST", "/v1/webhooks", { key, body }), (answer) =>
    String(answer.body.id)
  )
  const get = (path: string) => Effect.map(api.call("GET", path, { key }), (answer) => answer.body)
  return { api, accountId, key, create, get }
})

layer(apiLayer(), { excludeTestServices: true })("the health of webhooks", (it) => {
  it.effect("is in every record and list, which filters and sorts by it, page by page", () =>
    Effect.gen(function* () {
      const { accountId, api, create, get, key } = yield* prepare
      const [fresh, dead, good, waiting, disabled, alsoDead] = yield* Effect.replicateEffect(create, 6)
      yield* attempt(accountId, dead!, DEAD)
      yield* attempt(accountId, alsoDead!, DEAD)
      yield* attempt(accountId, good!, ["delivered"])
      yield* attempt(accountId, waiting!, ["retrying", "delivered"])
      const { body: changed } = yield* api.call("PATCH", `/v1/webhooks/${disabled}`, {
        key,
        body: { status: "disabled" }
      })
      assert.strictEqual(changed.health.state, "disabled")

      const { health } = yield* get(`/v1/webhooks/${dead}`)
      assert.deepInclude(health, {
        state: "failing",
        last_error: "connection refused",
        attempts_failed_in_a_row: 5
      })
      assert.match(health.since, /^20\d\d-.*Z$/)
      assert.match(health.next_attempt_at, /^20\d\d-.*Z$/)
      assert.match(
        health.sentence,
        /^Failing since .*: connection refused\. 5 attempts of 5 deliveries failed, 4 deliveries wait\.$/
      )

      const idsOf = (body: { data: ReadonlyArray<{ id: string }> }) => body.data.map(({ id }) => id)
      const filtered = (state: string) => Effect.map(get(`/v1/webhooks?health=${state}`), idsOf)
      assert.deepStrictEqual(yield* filtered("failing"), [alsoDead, dead])
      assert.deepStrictEqual(yield* filtered("waiting"), [waiting])
      assert.deepStrictEqual(yield* filtered("disabled"), [disabled])
      assert.deepStrictEqual(yield* filtered("new"), [fresh])
      assert.deepStrictEqual(yield* filtered("healthy"), [good])

      const pages: Array<string> = []
      let cursor = ""
      do {
        const page = yield* get(`/v1/webhooks?sort=health&limit=2${cursor}`)
        pages.push(...idsOf(page))
        cursor = page.next_cursor === null ? "" : `&cursor=${page.next_cursor}`
      } while (cursor !== "")
      assert.deepStrictEqual(pages, [alsoDead, dead, waiting, disabled, fresh, good])
      assert.deepStrictEqual(
        idsOf(yield* get("/v1/webhooks?sort=created_at")),
        idsOf(yield* get("/v1/webhooks"))
      )
    })
  )

  it.effect("must be one of the states, and an order one of two", () =>
    Effect.gen(function* () {
      const { api, key } = yield* prepare
      for (const [query, expected] of [
        ["health=ill", /^health must be "failing", "waiting", "disabled", "paused", "new" or "healthy"/],
        ["sort=url", /^sort must be "created_at" or "health"/]
      ] as const) {
        const { body, status } = yield* api.call("GET", `/v1/webhooks?${query}`, { key })
        assert.strictEqual(status, 400)
        assert.match(body.error.message, expected)
      }
    })
  )
})

layer(apiLayer(), { excludeTestServices: true })("incidents", (it) => {
  it.effect("have a beginning, an end, a cause, and what became of the deliveries", () =>
    Effect.gen(function* () {
      const { accountId, create, get } = yield* prepare
      const webhook = yield* create
      const other = yield* create
      yield* attempt(accountId, webhook, DEAD, 3_600_000)
      yield* attempt(accountId, other, DEAD)
      const [open] = (yield* get(`/v1/webhooks/${webhook}/incidents`)).data
      assert.deepInclude(open, { webhook_id: webhook, ended_at: null, ended_by: null, waited: 5 })
      assert.deepStrictEqual(open.outcome, { delivered: 0, failed: 1, waiting: 4 })
      yield* attempt(accountId, webhook, ["delivered"])
      const { data } = yield* get("/v1/incidents")
      assert.deepStrictEqual(
        data.map((one: { webhook_id: string }) => one.webhook_id),
        [other, webhook]
      )
      const [, ended] = data
      assert.deepInclude(ended, {
        id: open.id,
        began_at: open.began_at,
        cause: "connection refused",
        attempts_failed: 5,
        ended_by: "attempt"
      })
      // The delivery that was answered was made before the end.
      assert.deepStrictEqual([ended.waited, ended.outcome], [6, { delivered: 1, failed: 1, waiting: 4 }])
      assert.closeTo(Date.parse(ended.ended_at) - Date.parse(ended.began_at), 3_604_000, 2_000)
    })
  )

  it.effect("are listed page by page, by the time of their beginning, and only to their owner", () =>
    Effect.gen(function* () {
      const { accountId, api, create, get, key } = yield* prepare
      const webhook = yield* create
      for (const hours of [3, 2, 1]) {
        yield* attempt(accountId, webhook, DEAD, hours * 3_600_000)
        yield* attempt(accountId, webhook, ["delivered"], hours * 3_600_000 - 1_000)
      }
      const first = yield* get("/v1/incidents?limit=2")
      const second = yield* get(`/v1/incidents?limit=2&cursor=${first.next_cursor}`)
      const all = [...first.data, ...second.data]
      assert.lengthOf(all, 3)
      assert.deepStrictEqual([first.has_more, second.has_more], [true, false])
      const [newest, middle, oldest] = all
      const between = `since=${oldest.began_at}&until=${newest.began_at}`
      assert.deepStrictEqual((yield* get(`/v1/webhooks/${webhook}/incidents?${between}`)).data, [middle])
      const wrong = yield* api.call(
        "GET",
        `/v1/incidents?since=${newest.began_at}&until=${oldest.began_at}`,
        { key }
      )
      assert.deepStrictEqual([wrong.status, wrong.body.error.message], [400, "since must be before until."])
      const stranger = yield* api.account()
      assert.lengthOf((yield* api.call("GET", "/v1/incidents", { key: stranger.key })).body.data, 0)
      const refused = yield* api.call("GET", `/v1/webhooks/${webhook}/incidents`, { key: stranger.key })
      assert.strictEqual(refused.status, 404)
    })
  )

  it.effect("show their attempts over time as long as deliveries are kept", () =>
    Effect.gen(function* () {
      const { accountId, api, create, get } = yield* prepare
      const sql = yield* SqlClient.SqlClient
      const webhook = yield* create
      yield* attempt(accountId, webhook, DEAD, 3_600_000)
      yield* attempt(accountId, webhook, ["delivered"], 1_800_000)
      const { course, ...shown } = yield* get(`/v1/incidents/${(yield* get("/v1/incidents")).data[0].id}`)
      assert.deepStrictEqual(shown, (yield* get("/v1/incidents")).data[0])
      assert.strictEqual(course.point_seconds, 60)
      const sum = (of: "answered" | "failed") =>
        course.points.reduce((total: number, point: Record<string, number>) => total + point[of]!, 0)
      assert.deepStrictEqual([sum("answered"), sum("failed")], [1, 5])
      assert.strictEqual(course.points[0].waiting, 0)
      assert.strictEqual(course.points.at(-1).waiting, 5)
      yield* sql`
        UPDATE incidents SET began_at = began_at - interval '60 days', ended_at = ended_at - interval '60 days'
        WHERE id = ${shown.id}`
      assert.strictEqual((yield* get(`/v1/incidents/${shown.id}`)).course, null)
      const { key } = yield* api.account()
      const refused = yield* api.call("GET", `/v1/incidents/${shown.id}`, { key })
      assert.deepStrictEqual(
        [refused.status, refused.body.error.message],
        [404, `There is no incident ${shown.id}.`]
      )
    })
  )

  it.effect("keep their outcome when their deliveries are gone", () =>
    Effect.gen(function* () {
      const { accountId, create, get } = yield* prepare
      const sql = yield* SqlClient.SqlClient
      const webhook = yield* create
      yield* attempt(accountId, webhook, ["failed", "failed", "failed", "failed", "failed"], 3_600_000)
      yield* attempt(accountId, webhook, ["delivered"], 1_800_000)
      const nowMs = yield* Clock.currentTimeMillis
      yield* storeOutcomes(nowMs, nowMs - 30 * 86_400_000)
      const path = `/v1/webhooks/${webhook}/incidents`
      const { data } = yield* get(path)
      yield* sql`DELETE FROM deliveries WHERE webhook_id = ${webhook}`
      assert.deepStrictEqual((yield* get(path)).data, data)
      assert.deepStrictEqual(data[0].outcome, { delivered: 1, failed: 5, waiting: 0 })
    })
  )
})
