/** Webhooks that keep failing are disabled once, and the log learns of each. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { DisableWebhooks } from "../../../src/spine/registry/DisableWebhooks.ts"
import { Outbox } from "../../../src/spine/store/outbox/Outbox.ts"
import { TestDatabase } from "../../support/store/postgres.ts"
import { insertAccount, insertWebhook } from "../../support/store/rows.ts"

const NOW = Date.parse("2026-11-21T09:30:00.000Z")

const Live = DisableWebhooks.layer.pipe(Layer.provideMerge(Outbox.layer), Layer.provideMerge(TestDatabase))

it.effect("disables only active webhooks, with a reason, and publishes each once", () =>
  Effect.gen(function* () {
    const disable = yield* DisableWebhooks
    yield* insertAccount("acct_1")
    const [a, b] = [yield* insertWebhook("acct_1"), yield* insertWebhook("acct_1")]
    assert.sameMembers([...(yield* disable([a, b], "100 failures", NOW))], [a, b])
    assert.deepStrictEqual(yield* disable([a, "wh_unknown"], "again", NOW + 1), [])
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql`
      SELECT id, status, disabled_reason AS reason, (extract(epoch FROM disabled_at) * 1000)::float8 AS at
      FROM webhooks ORDER BY id`
    assert.deepStrictEqual(
      rows,
      [a, b].toSorted().map((id) => ({ id, status: "disabled", reason: "100 failures", at: NOW }))
    )
    const records = yield* (yield* Outbox).next(0, 1_000)
    assert.sameMembers(
      records.map(({ key, value }) => `${key} ${value === null ? null : JSON.parse(value).status}`),
      [`${a} disabled`, `${b} disabled`]
    )
  }).pipe(Effect.provide(Live))
)
