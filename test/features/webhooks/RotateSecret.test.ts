/** Rotation of a webhook's secret over HTTP: responses, refusals, and the record that the log gets. */
import { assert, describe, layer } from "@effect/vitest"
import { Clock, Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { WebhookStore } from "../../../src/features/webhooks/WebhookStore.ts"
import type { WebhookConfig } from "../../../src/spine/domain/Webhook.ts"
import { SecretBox } from "../../../src/spine/store/secrets/SecretBox.ts"
import { ApiUnderTest, apiLayer, type Call } from "../../support/http/api.ts"

const FIRST_SECRET = "the first secret".replaceAll(" ", "-")

layer(apiLayer(), { excludeTestServices: true })("rotate-secret", (it) => {
  const prepare = Effect.gen(function* () {
    const api = yield* ApiUnderTest
    const { key, accountId } = yield* api.account()
    const body = { url: "https://example.com/hook", event_types: ["*"], secret: FIRST_SECRET }
    const { id } = (yield* api.call("POST", "/v1/webhooks", { key, body })).body
    const path = `/v1/webhooks/${id}/rotate-secret`
    const rotate = (call: Call = {}) => api.call("POST", path, { key, ...call })
    return { api, key, accountId, id: id as string, path, rotate }
  })

  /** The secrets that the newest record for the log holds, opened. */
  const recorded = Effect.fnUntraced(function* (id: string) {
    const sql = yield* SqlClient.SqlClient
    const box = yield* SecretBox
    const [row] = yield* sql<{ readonly value: string }>`
      SELECT value FROM outbox WHERE topic = 'webhooks.config' AND key = ${id} ORDER BY id DESC LIMIT 1`
    const { sealed_secret, previous_secret: previous } = JSON.parse(row!.value) as WebhookConfig
    return {
      text: row!.value,
      secret: Result.getOrThrow(box.open(sealed_secret)),
      previous: previous === undefined ? undefined : Result.getOrThrow(box.open(previous.sealed)),
      until: previous?.until
    }
  })

  it.effect("a grace that is over leaves nothing of the secret behind, in the database and in the log", () =>
    Effect.gen(function* () {
      const { id, rotate } = yield* prepare
      const store = yield* WebhookStore
      const sql = yield* SqlClient.SqlClient
      const stored = Effect.map(
        sql<{ readonly previous: string | null }>`
          SELECT previous_sealed_secret AS previous FROM webhooks WHERE id = ${id}`,
        ([row]) => row!.previous
      )
      const { secret } = (yield* rotate({ body: { grace_seconds: 60 } })).body
      const { until } = yield* recorded(id)
      yield* store.dropPreviousSecrets(until! - 1)
      assert.isNotNull(yield* stored)
      assert.strictEqual(yield* store.dropPreviousSecrets(until!), 1)
      assert.isNull(yield* stored)
      assert.deepInclude(yield* recorded(id), { secret, previous: undefined })
      assert.strictEqual(yield* store.dropPreviousSecrets(until! + 1), 0)
    })
  )

  // Each rotation waits until every process knows of it.
  describe("with others at once", { concurrent: true }, () => {
    it.effect("returns a new secret once, and says when it takes effect", () =>
      Effect.gen(function* () {
        const { api, key, id, rotate } = yield* prepare
        const before = yield* Clock.currentTimeMillis
        const { status, body } = yield* rotate()
        const after = yield* Clock.currentTimeMillis
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(Object.keys(body), ["id", "secret", "rotated_at"])
        assert.strictEqual(body.id, id)
        assert.match(body.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
        // Timers may be a millisecond early.
        assert.isTrue(before < Date.parse(body.rotated_at) && Date.parse(body.rotated_at) <= after + 1)
        const shown = yield* api.call("GET", `/v1/webhooks/${id}`, { key })
        assert.notInclude(shown.text, "secret")
        const { text, ...secrets } = yield* recorded(id)
        assert.deepStrictEqual(secrets, { secret: body.secret, previous: undefined, until: undefined })
        assert.notInclude(text, body.secret)
      })
    )

    it.effect("keeps the previous secret for the grace period, and only that of the last rotation", () =>
      Effect.gen(function* () {
        const { id, rotate } = yield* prepare
        const first = (yield* rotate({ body: { grace_seconds: 86_400 } })).body
        const inGrace = yield* recorded(id)
        assert.deepInclude(inGrace, { secret: first.secret, previous: FIRST_SECRET })
        assert.strictEqual(inGrace.until, Date.parse(first.rotated_at) + 86_400_000)
        const second = (yield* rotate({ body: { grace_seconds: 60 } })).body
        assert.deepInclude(yield* recorded(id), { secret: second.secret, previous: first.secret })
        const third = (yield* rotate({ body: { grace_seconds: 0 } })).body
        assert.deepInclude(yield* recorded(id), { secret: third.secret, previous: undefined })
      })
    )

    it.effect("accepts no body, an empty body and an empty object, and refuses unknown fields", () =>
      Effect.gen(function* () {
        const { id, rotate } = yield* prepare
        const json = { "content-type": "application/json" }
        const accepted = yield* Effect.all(
          [rotate(), rotate({ headers: json }), rotate({ body: {} }), rotate({ body: { grace_seconds: 1 } })],
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(
          accepted.map(({ status }) => status),
          [200, 200, 200, 200]
        )
        const { secret } = yield* recorded(id)
        for (const [body, message] of [
          [{ grace_seconds: -1 }, /^grace_seconds must be an integer from 0 to 86400\.$/],
          [{ grace_seconds: 86_401 }, /^grace_seconds must be an integer from 0 to 86400\.$/],
          [{ grace_seconds: 1.5 }, /^grace_seconds must be an integer/],
          [{ secret: "of-my-own-making" }, /^secret is unknown; accepted: grace_seconds\.$/]
        ] as const) {
          const answer = yield* rotate({ body })
          assert.strictEqual(answer.status, 400, JSON.stringify(body))
          assert.match(answer.body.error.message, message, JSON.stringify(body))
        }
        assert.strictEqual((yield* recorded(id)).secret, secret)
      })
    )
  })
})
