/** Limits of an account's webhooks and filters by plan, limits of one webhook, and the fields that responses omit. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AccountStore } from "../../../src/features/accounts/AccountStore.ts"
import { planLimits } from "../../../src/spine/domain/Plans.ts"
import { addressOfAccountId } from "../../../src/spine/event/AccountId.ts"
import { eventTypes } from "../../../src/spine/event/EventType.ts"
import { type Answer, ApiUnderTest, apiLayer } from "../../support/http/api.ts"

const PATH = "/v1/webhooks"
const valid = { url: "https://example.com/hook", event_types: ["payment.xrp"] }

const addresses = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => addressOfAccountId((from + i).toString(16).padStart(40, "0")))

/** Headers in the form that responses show. */
const hidden = (headers: object) => Object.fromEntries(Object.keys(headers).map((name) => [name, "***"]))

const refused = ({ status, body }: Answer) => [status, body.error?.code]
const LIMIT_REACHED = [409, "WEBHOOK_LIMIT_REACHED"]

const customer = Effect.fnUntraced(function* (plan: "developer" | "enterprise" = "developer") {
  const api = yield* ApiUnderTest
  const { accountId, key } = yield* api.account("live", plan)
  const call = (method: string, path: string, body?: unknown) =>
    api.call(method, path, { key, ...(body === undefined ? {} : { body }) })
  const create = (fields: object = {}) => call("POST", PATH, { ...valid, ...fields })
  return { accountId, key, call, create }
})

const atOnce = (count: number, one: Effect.Effect<Answer>) =>
  Effect.map(
    Effect.all(
      Array.from({ length: count }, () => one),
      { concurrency: "unbounded" }
    ),
    (answers) => ({
      made: answers.filter(({ status }) => status < 300),
      others: answers.filter(({ status }) => status >= 300)
    })
  )

layer(apiLayer(), { excludeTestServices: true, timeout: "60 seconds" })("an account", (it) => {
  it.effect("may have as many webhooks as its plan allows, even under concurrent requests", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { accountId, call, create } = yield* customer()
      const test = yield* api.keyFor(accountId, "test")
      // Webhooks of the other environment and disabled webhooks count too.
      yield* api.call("POST", PATH, { key: test, body: valid })
      const { id } = (yield* create()).body
      yield* call("PATCH", `${PATH}/${id}`, { status: "disabled" })
      const { made, others } = yield* atOnce(14, create())
      assert.lengthOf(made, planLimits.developer.webhooks - 2)
      for (const other of others) assert.deepStrictEqual(refused(other), LIMIT_REACHED)
      assert.strictEqual(
        others[0]?.body.error.message,
        "The plan allows 10 webhooks, and the account has 10; delete one, or choose a larger plan."
      )
      // A deleted webhook no longer counts.
      assert.strictEqual((yield* call("DELETE", `${PATH}/${id}`)).status, 204)
      assert.strictEqual((yield* create()).status, 201)
      assert.deepStrictEqual(refused(yield* create()), LIMIT_REACHED)
    })
  )

  it.effect(
    "may have as many account filters in total as its plan allows, created or changed, even concurrently",
    () =>
      Effect.gen(function* () {
        const { call, create } = yield* customer()
        const most = planLimits.developer.accountFilters
        const { id } = (yield* create({ account_filters: addresses(most - 5_000) })).body
        const { made, others } = yield* atOnce(4, create({ account_filters: addresses(2_000) }))
        assert.lengthOf(made, 2)
        for (const other of others) assert.deepStrictEqual(refused(other), LIMIT_REACHED)
        assert.strictEqual(
          others[0]?.body.error.message,
          "The plan allows 10000 account filters in all webhooks together, and the account has 9000; use fewer, or choose a larger plan."
        )
        const grow = call("PATCH", `${PATH}/${made[0]?.body.id}`, { account_filters: addresses(2_600) })
        const growOther = call("PATCH", `${PATH}/${made[1]?.body.id}`, { account_filters: addresses(2_600) })
        const grown = yield* Effect.all([grow, growOther], { concurrency: "unbounded" })
        assert.deepStrictEqual(grown.map(({ status }) => status).toSorted(), [200, 409])
        // Without filters a webhook adds none, and fewer are always fine.
        assert.strictEqual((yield* create()).status, 201)
        assert.strictEqual(
          (yield* call("PATCH", `${PATH}/${id}`, { account_filters: addresses(10) })).status,
          200
        )
        assert.strictEqual((yield* create({ account_filters: addresses(4_000) })).status, 201)
      })
  )

  it.effect("keeps its webhooks on a smaller plan, and may change them as long as filters do not grow", () =>
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const { accountId, call, create } = yield* customer("enterprise")
      const big = (yield* create({ account_filters: addresses(10_000) })).body
      for (let i = 0; i < 10; i++) yield* create({ account_filters: addresses(100) })
      yield* accounts.change(accountId, { plan: "developer" }, Date.now())
      const patch = (fields: object) => call("PATCH", `${PATH}/${big.id}`, fields)
      assert.strictEqual((yield* patch({ status: "disabled" })).status, 200)
      assert.strictEqual((yield* patch({ status: "active", description: "x" })).status, 200)
      const others = addresses(10_000, 1)
      assert.strictEqual((yield* patch({ account_filters: others })).status, 200)
      assert.strictEqual((yield* patch({ account_filters: others.slice(1) })).status, 200)
      assert.deepStrictEqual(refused(yield* patch({ account_filters: others })), LIMIT_REACHED)
      assert.deepStrictEqual(refused(yield* create()), LIMIT_REACHED)
      assert.lengthOf((yield* call("GET", PATH)).body.data, 11)
    })
  )

  it.effect("has limits of its own on the plan Enterprise", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { accountId, call, create } = yield* customer("enterprise")
      yield* sql`UPDATE accounts SET webhooks = 2, account_filters = 3 WHERE id = ${accountId}`
      assert.deepInclude((yield* call("GET", "/v1/account")).body.limits, { webhooks: 2, account_filters: 3 })
      assert.strictEqual((yield* create({ account_filters: addresses(3) })).status, 201)
      assert.deepStrictEqual(refused(yield* create({ account_filters: addresses(1) })), LIMIT_REACHED)
      assert.strictEqual((yield* create()).status, 201)
      assert.deepStrictEqual(refused(yield* create()), LIMIT_REACHED)
    })
  )
})

layer(apiLayer(), { excludeTestServices: true, timeout: "60 seconds" })("a webhook", (it) => {
  it.effect("accepts every field up to its limit", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { key } = yield* api.account()
      const host = "https://example.com/"
      const most = {
        url: host + "a".repeat(2_048 - host.length),
        event_types: [...eventTypes],
        description: "😀".repeat(500),
        account_filters: addresses(10_000),
        secret: "!".repeat(128),
        headers: Object.fromEntries(
          Array.from({ length: 20 }, (_, i) => [
            `x-${i}-`.padEnd(i < 10 ? 128 : 16, "a"),
            "~".repeat(i === 0 ? 4_096 : 32)
          ])
        ),
        max_in_flight: 256,
        max_per_second: 10_000
      }
      const least = {
        url: "https://a.b/",
        event_types: ["*"],
        description: "",
        account_filters: [],
        secret: "0123456789abcdef",
        headers: { x: "" },
        max_in_flight: 1,
        max_per_second: 1
      }
      for (const body of [most, least]) {
        const created = yield* api.call("POST", "/v1/webhooks", { key, body })
        assert.strictEqual(created.status, 201, created.text.slice(0, 300))
        const { secret, ...changeable } = body
        const shown = { ...changeable, headers: hidden(body.headers) }
        assert.deepInclude(created.body, { ...shown, secret })
        const path = `/v1/webhooks/${created.body.id}`
        const changed = yield* api.call("PATCH", path, { key, body: changeable })
        assert.strictEqual(changed.status, 200)
        assert.deepInclude((yield* api.call("GET", path, { key })).body, shown)
      }
    })
  )

  it.effect("shows the URL that is called", () =>
    Effect.gen(function* () {
      const { call, create } = yield* customer()
      const { id, url } = (yield* create({ url: "HTTPS://Bücher.example:443/a/../ü?" })).body
      assert.strictEqual(url, "https://xn--bcher-kva.example/%C3%BC")
      const path = `${PATH}/${id}`
      assert.strictEqual((yield* call("PATCH", path, { url: "https://Example.org/./b" })).status, 200)
      assert.strictEqual((yield* call("GET", path)).body.url, "https://example.org/b")
      const sql = yield* SqlClient.SqlClient
      // As earlier versions stored it.
      yield* sql`UPDATE webhooks SET url = 'https://Example.org/a/../c#d' WHERE id = ${id}`
      assert.strictEqual((yield* call("GET", path)).body.url, "https://example.org/c")
    })
  )

  it.effect("is listed with its first 100 filters and their number, and shown with all", () =>
    Effect.gen(function* () {
      const { call, create } = yield* customer()
      const filters = addresses(101)
      const created = (yield* create({ account_filters: filters })).body
      const { body: few } = yield* create({ account_filters: addresses(2) })
      assert.deepStrictEqual([created.account_filters, created.account_filters_count], [filters, 101])
      const [second, first] = (yield* call("GET", PATH)).body.data
      assert.deepStrictEqual(
        [first.account_filters, first.account_filters_count],
        [filters.slice(0, 100), 101]
      )
      assert.deepStrictEqual([second.account_filters, second.account_filters_count], [addresses(2), 2])
      const shown = (yield* call("GET", `${PATH}/${created.id}`)).body
      assert.deepStrictEqual([shown.account_filters, shown.account_filters_count], [filters, 101])
      const changed = yield* call("PATCH", `${PATH}/${few.id}`, { account_filters: addresses(3) })
      assert.strictEqual(changed.body.account_filters_count, 3)
    })
  )

  it.effect("shows its headers' names and never their values, which deliveries carry", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { call, create } = yield* customer()
      const shown = { Authorization: "***", "X-Team": "***" }
      const created = yield* create({ headers: { Authorization: "Bearer hunter2", "X-Team": "hunter2" } })
      const path = `${PATH}/${created.body.id}`
      const answers = [
        created,
        yield* call("GET", path),
        yield* call("PATCH", path, { description: "hooks" })
      ]
      for (const answer of answers) {
        assert.deepStrictEqual(answer.body.headers, shown)
        assert.notInclude(answer.text, "hunter2")
      }
      const list = yield* call("GET", PATH)
      assert.deepStrictEqual(list.body.data[0].headers, shown)
      assert.notInclude(list.text, "hunter2")

      const stored = Effect.map(
        sql<{ readonly headers: unknown }>`SELECT headers FROM webhooks WHERE id = ${created.body.id}`,
        ([row]) => row?.headers
      )
      // Headers from a response cannot be sent back unchanged.
      const back = yield* call("PATCH", path, { headers: { ...shown, "X-New": "1" } })
      assert.deepStrictEqual(refused(back), [400, "VALIDATION_ERROR"])
      assert.match(back.body.error.message, /^headers must not contain \*\*\* in Authorization: /)
      assert.deepStrictEqual(refused(yield* create({ headers: { "X-A": "***" } })), [400, "VALIDATION_ERROR"])
      assert.deepStrictEqual(yield* stored, { Authorization: "Bearer hunter2", "X-Team": "hunter2" })
      const replaced = yield* call("PATCH", path, { headers: { "X-New": "1" } })
      assert.deepStrictEqual(replaced.body.headers, { "X-New": "***" })
      assert.deepStrictEqual(yield* stored, { "X-New": "1" })
    })
  )

  it.effect("checks the length of a list before its items", () =>
    Effect.gen(function* () {
      const { create } = yield* customer()
      const answer = yield* create({ account_filters: new Array(10_001).fill("wrong") })
      assert.deepStrictEqual(refused(answer), [400, "VALIDATION_ERROR"])
      assert.strictEqual(answer.body.error.message, "account_filters must contain at most 10000 addresses.")
    })
  )
})
