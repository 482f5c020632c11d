/** The signing schemes of a webhook over HTTP: what is stored, and which secrets can sign with Standard Webhooks. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ApiUnderTest, apiLayer } from "../../support/http/api.ts"

const OTHER_SECRET = "try-ledgerhook-secret"
const STANDARD_SECRET = `whsec_${Buffer.alloc(64, 1).toString("base64")}`

layer(apiLayer(), { excludeTestServices: true })("signing of a webhook", (it) => {
  const caller = Effect.gen(function* () {
    const api = yield* ApiUnderTest
    const { key } = yield* api.account()
    const create = (fields: object) =>
      api.call("POST", "/v1/webhooks", {
        key,
        body: { url: "https://example.com/hook", event_types: ["*"], ...fields }
      })
    const call = (method: string, path: string, body?: unknown) =>
      api.call(method, `/v1/webhooks/${path}`, { key, ...(body === undefined ? {} : { body }) })
    return { create, call }
  })
  const recordedSigning = (id: string) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ readonly value: string }>`
        SELECT value FROM outbox WHERE topic = 'webhooks.config' AND key = ${id} ORDER BY id`
      return rows.map(({ value }) => JSON.parse(value).signing)
    })

  it.effect("is stored, listed and recorded for deliver, each scheme once; the default takes no space", () =>
    Effect.gen(function* () {
      const { create, call } = yield* caller
      const { id, signing } = (yield* create({ signing: ["standard", "service", "standard"] })).body
      assert.deepStrictEqual(signing, ["standard", "service"])
      assert.deepStrictEqual((yield* call("PATCH", id, { signing: ["standard"] })).body.signing, ["standard"])
      assert.deepStrictEqual((yield* call("PATCH", id, { description: "x" })).body.signing, ["standard"])
      assert.deepStrictEqual((yield* call("PATCH", id, { signing: ["service"] })).body.signing, ["service"])
      assert.deepStrictEqual((yield* call("GET", id)).body.signing, ["service"])
      assert.deepStrictEqual(yield* recordedSigning(id), [
        ["standard", "service"],
        ["standard"],
        ["standard"],
        undefined
      ])
    })
  )

  it.effect("refuses a customer's secret that contains no key, if Standard Webhooks is chosen", () =>
    Effect.gen(function* () {
      const { create } = yield* caller
      for (const signing of [["standard"], ["service", "standard"]]) {
        const refused = yield* create({ signing, secret: OTHER_SECRET })
        assert.strictEqual(refused.status, 400)
        assert.strictEqual(
          refused.body.error.message,
          "secret must be whsec_ followed by the base64 of 24 to 64 bytes if signing contains standard."
        )
        assert.strictEqual((yield* create({ signing, secret: STANDARD_SECRET })).status, 201)
        assert.strictEqual((yield* create({ signing })).status, 201)
      }
      assert.strictEqual((yield* create({ signing: ["service"], secret: OTHER_SECRET })).status, 201)
    })
  )

  it.effect("asks for a rotation before a webhook changes to Standard Webhooks without a key for it", () =>
    Effect.gen(function* () {
      const { create, call } = yield* caller
      const { id } = (yield* create({ secret: OTHER_SECRET })).body
      const refused = yield* call("PATCH", id, { signing: ["service", "standard"], description: "new" })
      assert.strictEqual(refused.status, 400)
      assert.strictEqual(
        refused.body.error.message,
        `signing must not contain standard: the webhook's secret is not whsec_ followed by the base64 of 24 to 64 bytes. Make a new secret first: POST /v1/webhooks/${id}/rotate-secret.`
      )
      assert.deepInclude((yield* call("GET", id)).body, { signing: ["service"], description: null })
      yield* call("POST", `${id}/rotate-secret`, { grace_seconds: 60 })
      assert.strictEqual((yield* call("PATCH", id, { signing: ["standard"] })).status, 200)
      const missing = `${id.slice(0, -4)}0000`
      assert.strictEqual((yield* call("PATCH", missing, { signing: ["standard"] })).status, 404)
    })
  )
})
