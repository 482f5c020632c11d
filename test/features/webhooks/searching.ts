/** What the tests of the search for webhooks share. */
import { assert } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { ApiUnderTest } from "../../support/http/api.ts"

/** An account with webhooks of these urls and descriptions, oldest first. */
export const prepare = Effect.fnUntraced(function* (
  webhooks: ReadonlyArray<readonly [url: string, description?: string]>
) {
  const api = yield* ApiUnderTest
  const { accountId, key } = yield* api.account()
  const ids: Array<string> = []
  for (const [url, description = null] of webhooks) {
    const body = { url, description, event_types: ["payment.xrp"] }
    ids.push((yield* api.call("POST", "/v1/webhooks", { key, body })).body.id)
  }
  const listed = (query: Readonly<Record<string, string>>, as = key) =>
    api.call("GET", `/v1/webhooks?${new URLSearchParams(query)}`, { key: as })
  const found = (search: string, as = key) =>
    Effect.map(
      listed({ search }, as),
      ({ body }): ReadonlyArray<number> => body.data.map(({ id }: { id: string }) => ids.indexOf(id))
    )
  return { api, accountId, key, ids, listed, found }
})

/** The search is exact among this many webhooks of an account, a power of ten, and delays no other account for long. */
export const answersAmong = (many: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { accountId, ids, found } = yield* prepare([["https://example.com/needle"]])
    yield* sql`
      INSERT INTO webhooks (id, account_id, network, url, description, event_types, account_filters, status,
                            max_in_flight, headers, sealed_secret, created_at, updated_at)
      SELECT 'wh_' || lpad(upper(to_hex(n)), 26, '0'), ${accountId}, 'mainnet', 'https://example.com/hooks/' || n,
             'Customer number ' || n, '{payment.xrp}', '{}', 'active', 16, '{}', '', now(), now()
      FROM generate_series(1, ${many}) n`
    assert.deepStrictEqual(yield* found("needle"), [0])
    assert.deepStrictEqual(yield* found(ids[0]!), [0])
    assert.deepStrictEqual(yield* found("nowhere"), [])
    assert.strictEqual((yield* found(`number ${"7".repeat(String(many).length - 1)}`)).length, 1)

    // Many searches of this account at once: another account waits for one of them, and not for all.
    const other = yield* prepare([["https://example.com/other"]])
    let answered = 0
    const searches = yield* Effect.forkChild(
      Effect.forEach(
        Array.from({ length: 16 }),
        () =>
          Effect.tap(found("nowhere"), () =>
            Effect.sync(() => {
              answered++
            })
          ),
        { concurrency: "unbounded" }
      )
    )
    yield* found("nowhere")
    const before = answered
    assert.deepStrictEqual(yield* other.found("other"), [0])
    assert.isAtMost(answered - before, 4)
    yield* Fiber.join(searches)
  })
