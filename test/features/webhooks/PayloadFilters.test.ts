/** Payload filters over HTTP are stored as given and written to the log. Refusals name the place and a similar name. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { WebhookConfig } from "../../../src/spine/domain/Webhook.ts"
import { ApiUnderTest, apiLayer } from "../../support/http/api.ts"

const valid = { url: "https://example.com/hook", event_types: ["payment.xrp"] }
const FILTER = {
  $or: [{ destination_tag: { $in: [8, 7] } }, { amount: { $gte: "1e6", $lt: "99999999999999999" } }]
}

/** Values of `payload_filter`, and the message that refuses each. */
const wrong: ReadonlyArray<readonly [unknown, RegExp]> = [
  ["amount", /^payload_filter must be an object or null\.$/],
  [[], /^payload_filter must be an object or null\.$/],
  [{}, /^payload_filter must contain at least one condition; null is no filter\.$/],
  [
    { destination_tg: 7 },
    /^payload_filter\.destination_tg is not a field of these events; did you mean destination_tag\?$/
  ],
  [{ $or: [{ amount: { $gt: "x" } }] }, /^payload_filter\.\$or\[0\]\.amount\.\$gt must be a number/],
  [
    { taxon: 7 },
    /^payload_filter\.taxon is not a field of the event types asked for; these have it: nft\.minted, nft\.burned/
  ],
  [{ amount: 0.5 }, /^payload_filter\.amount must be written as a text/],
  [JSON.parse('{"__proto__": 1}'), /^payload_filter\.__proto__ is not a field/]
]

/** The newest record for the log. */
const lastRecord = (id: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly value: string }>`
      SELECT value FROM outbox WHERE topic = 'webhooks.config' AND key = ${id} ORDER BY id DESC LIMIT 1`
    return JSON.parse(row!.value) as WebhookConfig
  })

layer(apiLayer(), { excludeTestServices: true })("payload filters", (it) => {
  for (const [filter, message] of wrong)
    it.effect(`are refused at creation and at a change: ${String(message)}`, () =>
      Effect.gen(function* () {
        const api = yield* ApiUnderTest
        const { key } = yield* api.account()
        const body = { payload_filter: filter }
        const created = yield* api.call("POST", "/v1/webhooks", { key, body: { ...valid, ...body } })
        const { id } = (yield* api.call("POST", "/v1/webhooks", { key, body: valid })).body
        const changed = yield* api.call("PATCH", `/v1/webhooks/${id}`, { key, body })
        for (const answer of [created, changed]) {
          assert.strictEqual(answer.status, 400, answer.text.slice(0, 300))
          assert.match(answer.body.error.message, message)
        }
        assert.isNull((yield* api.call("GET", `/v1/webhooks/${id}`, { key })).body.payload_filter)
      })
    )

  it.effect("are refused however deep they are", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { key } = yield* api.account()
      const depth = 20_000
      for (const [open, close] of [
        ['{"$not":', "}"],
        ['{"amount":{"$in":[', "]}}"],
        ["[", "]"]
      ] as const) {
        const filter = `${open.repeat(depth)}1${close.repeat(depth)}`
        const body = `{"url":"${valid.url}","event_types":["*"],"payload_filter":${filter}}`
        const answer = yield* api.call("POST", "/v1/webhooks", { key, body })
        assert.strictEqual(answer.status, 400, answer.text.slice(0, 300))
        assert.match(answer.body.error.message, /^The request body must not have arrays/)
      }
    })
  )

  it.effect("are shown as they were given, published to the log, and removed by null", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { key } = yield* api.account()
      const created = yield* api.call("POST", "/v1/webhooks", {
        key,
        body: { ...valid, payload_filter: FILTER }
      })
      assert.strictEqual(created.status, 201, created.text)
      const { id } = created.body
      const shown = yield* api.call("GET", `/v1/webhooks/${id}`, { key })
      assert.strictEqual(JSON.stringify(shown.body.payload_filter), JSON.stringify(FILTER))
      const listed = yield* api.call("GET", "/v1/webhooks", { key })
      assert.deepStrictEqual(listed.body.data[0].payload_filter, FILTER)
      assert.deepStrictEqual((yield* lastRecord(id)).payload_filter, FILTER)

      const patch = (body: unknown) => api.call("PATCH", `/v1/webhooks/${id}`, { key, body })
      assert.deepStrictEqual((yield* patch({ description: "new" })).body.payload_filter, FILTER)
      const changed = yield* patch({ payload_filter: { amount: 5 } })
      assert.deepStrictEqual(changed.body.payload_filter, { amount: 5 })
      assert.isNull((yield* patch({ payload_filter: null })).body.payload_filter)
      assert.isUndefined((yield* lastRecord(id)).payload_filter)
    })
  )

  it.effect("must fit the event types after a change, whichever of the two is changed", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { key } = yield* api.account()
      const { id } = (yield* api.call("POST", "/v1/webhooks", {
        key,
        body: { ...valid, payload_filter: FILTER }
      })).body
      const patch = (body: unknown) => api.call("PATCH", `/v1/webhooks/${id}`, { key, body })
      const types = yield* patch({ event_types: ["nft.*"] })
      assert.strictEqual(types.status, 400, types.text)
      assert.match(
        types.body.error.message,
        /^payload_filter\.\$or\[0\]\.destination_tag is not a field of the event types asked for; these have it: /
      )
      assert.strictEqual((yield* patch({ event_types: ["nft.*"], payload_filter: { taxon: 7 } })).status, 200)
      assert.strictEqual((yield* patch({ payload_filter: FILTER })).status, 400)
      assert.strictEqual((yield* patch({ event_types: ["*"], payload_filter: FILTER })).status, 200)
      const { body } = yield* api.call("GET", `/v1/webhooks/${id}`, { key })
      assert.deepInclude(body, { event_types: ["*"], payload_filter: FILTER })
    })
  )
})
