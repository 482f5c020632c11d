/** No key and no signing secret is ever written: not into a log, at any level, and not into a refusal. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, References } from "effect"
import { SqlClient } from "effect/sql"
import { type Answer, ApiUnderTest, apiLayer } from "../support/http/api.ts"

const SECRET = "whsec_never_to_be_seen"
const WEBHOOK = { url: "https://example.com/hook", event_types: ["*"], secret: SECRET }

describe("secrecy", () => {
  it.live("keys and secrets stay out of logs and refusals", () => {
    const logged: Array<string> = []
    const everything = Layer.merge(
      Logger.layer([Logger.map(Logger.formatJson, (line) => void logged.push(line))]),
      Layer.succeed(References.MinimumLogLevel, "All")
    )
    return Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const sql = yield* SqlClient.SqlClient
      const { key } = yield* api.account("live", "developer")
      const made = yield* api.call("POST", "/v1/api-keys", { key, body: { name: "x", scopes: ["admin"] } })
      const values: ReadonlyArray<string> = [key, made.body.key, SECRET]
      const answers: Array<Answer> = []
      const call = (method: string, path: string, body?: unknown) =>
        Effect.map(api.call(method, path, { key: made.body.key, body }), (answer) => answers.push(answer))

      yield* call("POST", "/v1/webhooks", { ...WEBHOOK, secret: [SECRET] })
      yield* call("POST", "/v1/webhooks", { ...WEBHOOK, secret: `${SECRET} ` })
      yield* call("GET", `/v1/webhooks/${made.body.key}`)
      // Defects, with the values in headers, query, body and statement.
      yield* sql`ALTER TABLE webhooks RENAME TO webhooks_elsewhere`
      yield* sql`ALTER TABLE key_usage RENAME COLUMN last_used_at TO elsewhere`
      yield* call("POST", "/v1/webhooks", WEBHOOK)
      yield* sql`ALTER TABLE key_usage RENAME COLUMN elsewhere TO last_used_at`
      yield* call("POST", "/v1/webhooks", WEBHOOK)
      yield* call("GET", `/v1/webhooks?cursor=${key}`)
      yield* sql`ALTER TABLE api_keys RENAME COLUMN name TO elsewhere`
      yield* call("POST", "/v1/api-keys", { name: "x", scopes: ["admin"] })
      // Use up the key's rate limit for the minute.
      while (answers.at(-1)?.status !== 429) yield* call("GET", "/v1/nothing")

      assert.sameMembers([...new Set(answers.map(({ status }) => status))], [400, 404, 429, 500])
      const written = [...logged, ...answers.map(({ text }) => text)].join("\n")
      assert.include(written, "POST /v1/api-keys failed")
      for (const value of values) {
        assert.notInclude(written, value)
        assert.notInclude(written, encodeURIComponent(value))
      }
    }).pipe(Effect.provide(Layer.provideMerge(apiLayer(), everything)))
  })
})
