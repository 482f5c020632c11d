/** `POST /v1/webhooks/:id/account-filters`: account filters are added and removed without sending all of them. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { addressOfAccountId } from "../../../src/spine/event/AccountId.ts"
import { type Answer, ApiUnderTest, apiLayer } from "../../support/http/api.ts"

const PATH = "/v1/webhooks"

const addresses = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => addressOfAccountId((from + i).toString(16).padStart(40, "0")))
const [A, B, C, D] = addresses(4)

const refused = ({ status, body }: Answer) => [status, body.error?.code, body.error?.message]

/** A webhook with these account filters, and requests that change them. */
const makeWebhook = Effect.fnUntraced(function* (
  filters: ReadonlyArray<string>,
  plan: "developer" | "enterprise" = "developer"
) {
  const api = yield* ApiUnderTest
  const { accountId, key } = yield* api.account("live", plan)
  const fields = { url: "https://example.com/hook", event_types: ["payment.xrp"], account_filters: filters }
  const { id } = (yield* api.call("POST", PATH, { key, body: fields })).body
  const post = (body: object) => api.call("POST", `${PATH}/${id}/account-filters`, { key, body })
  const shown = Effect.map(api.call("GET", `${PATH}/${id}`, { key }), ({ body }) => body)
  return { accountId, id, key, post, shown, filters: Effect.map(shown, (body) => body.account_filters) }
})

/** The webhook's account filters in the records that were written for route, oldest first. */
const recorded = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly value: string }>`SELECT value FROM outbox WHERE key = ${id} ORDER BY id`
  return rows.map(({ value }) => JSON.parse(value).account_filters)
})

layer(apiLayer(), { excludeTestServices: true, timeout: "60 seconds" })("account filters", (it) => {
  it.effect("are added and removed, each once and in order, and route is notified of each change", () =>
    Effect.gen(function* () {
      const webhook = yield* makeWebhook([A!, B!])
      const added = yield* webhook.post({ add: [C!, B!, C!], remove: [A!, D!] })
      assert.deepStrictEqual([added.status, added.body], [200, { account_filters_count: 2 }])
      assert.deepStrictEqual(yield* webhook.filters, [B, C])
      const { updated_at } = yield* webhook.shown
      // The same request again, and one that changes nothing.
      for (const body of [{ add: [C!, B!, C!], remove: [A!, D!] }, { add: [B!] }, { remove: [D!] }])
        assert.deepStrictEqual((yield* webhook.post(body)).body, { account_filters_count: 2 })
      assert.strictEqual((yield* webhook.shown).updated_at, updated_at)
      assert.deepStrictEqual((yield* webhook.post({ remove: [B!] })).body, { account_filters_count: 1 })
      assert.deepStrictEqual(yield* recorded(webhook.id), [[A, B], [B, C], [C]])
    })
  )

  it.effect("keep every concurrent change", () =>
    Effect.gen(function* () {
      const webhook = yield* makeWebhook([A!])
      const added = addresses(20, 100)
      yield* Effect.all(
        added.map((address) => webhook.post({ add: [address] })),
        { concurrency: "unbounded" }
      )
      assert.sameMembers(yield* webhook.filters, [A!, ...added])
    })
  )

  it.effect("are never emptied by a removal, because a webhook without filters gets every account", () =>
    Effect.gen(function* () {
      const webhook = yield* makeWebhook([A!, B!])
      const emptied = yield* webhook.post({ remove: [B!, A!] })
      assert.deepStrictEqual(refused(emptied), [
        400,
        "VALIDATION_ERROR",
        `remove must leave at least one account filter: without any, the webhook would get the events of every account. If you want that, use PATCH /v1/webhooks/${webhook.id} with account_filters: [].`
      ])
      assert.deepStrictEqual((yield* webhook.post({ add: [C!], remove: [A!, B!] })).body, {
        account_filters_count: 1
      })
      // A webhook for every account has nothing to remove, and an added address limits it.
      const every = yield* makeWebhook([])
      assert.deepStrictEqual((yield* every.post({ remove: [A!] })).body, { account_filters_count: 0 })
      assert.deepStrictEqual((yield* every.post({ add: [A!] })).body, { account_filters_count: 1 })
    })
  )

  it.effect("are refused with one sentence each", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const webhook = yield* makeWebhook([A!])
      const cases: ReadonlyArray<readonly [object, string]> = [
        [{}, "Give addresses in add, in remove or in both."],
        [{ add: [], remove: [] }, "Give addresses in add, in remove or in both."],
        [{ add: [B!, C!], remove: [C!] }, `${C} is in add and in remove; give it in one of them.`],
        [{ add: ["rWrong"] }, "add[0] must be a valid classic XRPL address (r…)."],
        [{ remove: [A!, "rWrong"] }, "remove[1] must be a valid classic XRPL address (r…)."],
        [{ add: addresses(1_001) }, "add must contain at most 1000 addresses."],
        [
          { add: addresses(600), remove: addresses(401, 600) },
          "add and remove must contain at most 1000 addresses in all."
        ]
      ]
      for (const [body, message] of cases)
        assert.deepStrictEqual(refused(yield* webhook.post(body)), [400, "VALIDATION_ERROR", message])
      const unknown = `${PATH}/wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE/account-filters`
      const missing = yield* api.call("POST", unknown, { key: webhook.key, body: { add: [A!] } })
      assert.deepStrictEqual(refused(missing).slice(0, 2), [404, "NOT_FOUND"])
      assert.deepStrictEqual(yield* recorded(webhook.id), [[A]])
    })
  )

  it.effect("stay within the limits of the webhook and of the plan", () =>
    Effect.gen(function* () {
      const big = yield* makeWebhook(addresses(9_999), "enterprise")
      assert.deepStrictEqual(refused(yield* big.post({ add: addresses(2, 10_000) })), [
        400,
        "VALIDATION_ERROR",
        "add must leave at most 10000 account filters in the webhook; it has 9999, and 2 would be added. Register another webhook for the others."
      ])
      assert.deepStrictEqual((yield* big.post({ add: addresses(1, 10_000) })).body, {
        account_filters_count: 10_000
      })
      // Replacing one address needs no room.
      const swap = { add: addresses(1, 20_000), remove: addresses(1) }
      assert.deepStrictEqual((yield* big.post(swap)).body, { account_filters_count: 10_000 })

      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE accounts SET account_filters = 9_999 WHERE id = ${big.accountId}`
      assert.deepStrictEqual((yield* big.post({ remove: addresses(2, 2) })).body, {
        account_filters_count: 9_998
      })
      assert.deepStrictEqual(refused(yield* big.post({ add: addresses(2, 30_000) })), [
        409,
        "WEBHOOK_LIMIT_REACHED",
        "The plan allows 9999 account filters in all webhooks together, and the account has 9998; use fewer, or choose a larger plan."
      ])
      assert.strictEqual((yield* big.shown).account_filters_count, 9_998)
    })
  )
})
