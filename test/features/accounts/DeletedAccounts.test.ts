/** A deleted account: nothing of it can be read any more, and what may stay has no names, addresses or secrets. */
import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { AccountStore } from "../../../src/features/accounts/AccountStore.ts"
import { deleteAccount, sweepDeletedAccounts } from "../../../src/features/accounts/DeletedAccounts.ts"
import { column } from "../../../src/spine/store/Columns.ts"
import { ApiUnderTest, apiLayer } from "../../support/http/api.ts"

/** What the contract promises. */
const WITHIN_MS = 2_000
/** For a machine that is busy. */
const SLACK_MS = 3_000

const WEBHOOK = { url: "https://example.com/hook", event_types: ["*"], description: "ours" }

/** An account beside the first one, with a webhook, a session, a URL for notices and a notice. */
const begin = Effect.gen(function* () {
  const api = yield* ApiUnderTest
  yield* api.account()
  const { accountId, key } = yield* api.account()
  const call = (method: string, path: string, body?: unknown) => api.call(method, path, { key, body })
  const { body: webhook } = yield* call("POST", "/v1/webhooks", WEBHOOK)
  yield* call("PUT", "/v1/account/notices", { url: "https://ops.example.com/" })
  yield* call("POST", "/v1/account/notices/test")
  const signedIn = yield* api.call("POST", "/v1/session", { body: { key } })
  const cookie = signedIn.headers.get("set-cookie")!.split(";", 1)[0]!
  return { accountId, api, call, cookie, key, webhook, sql: yield* SqlClient.SqlClient }
})

layer(apiLayer(), { excludeTestServices: true })("a deleted account", (it) => {
  it.effect("has no key, session, stream, notice, name or address any more, and its webhooks end", () =>
    Effect.gen(function* () {
      const { accountId, api, call, cookie, key, sql, webhook } = yield* begin
      const stream = yield* Effect.acquireRelease(
        Effect.promise((signal) =>
          fetch(`${api.url}/v1/events/stream`, { headers: { "x-service-key": key }, signal })
        ),
        ({ body }) => Effect.promise(async () => body?.cancel().catch(() => {}))
      )
      const ending = yield* Effect.forkChild(Effect.promise(() => stream.text()))
      yield* deleteAccount(accountId, Date.now())
      const [took] = yield* Effect.timed(Fiber.join(ending))
      assert.isAtMost(Duration.toMillis(took), WITHIN_MS + SLACK_MS)

      assert.strictEqual((yield* call("GET", "/v1/webhooks")).status, 401)
      const session = { cookie, "x-requested-with": "ledgerhook" }
      assert.strictEqual((yield* api.call("GET", "/v1/account", { headers: session })).status, 401)

      const tables = ["api_keys", "idempotency_answers", "notice_urls", "notices", "mails", "account_usage"]
      for (const table of tables) {
        const rows = yield* sql`SELECT 1 FROM ${sql(table)} WHERE account_id = ${accountId}`
        assert.deepStrictEqual([table, rows.length], [table, 0])
      }
      const [account] = yield* sql`SELECT name, email FROM accounts WHERE id = ${accountId}`
      assert.deepStrictEqual(account, { name: "", email: null })
      const [row] = yield* sql`
        SELECT deleted_at IS NOT NULL AS deleted, ending FROM webhooks WHERE id = ${webhook.id}`
      assert.deepStrictEqual(row, { deleted: true, ending: true })
      const [record] = yield* sql`SELECT value FROM outbox WHERE key = ${webhook.id} ORDER BY id DESC LIMIT 1`
      assert.deepStrictEqual(record, { value: null })
    }).pipe(Effect.scoped)
  )

  it.effect("is found by no command, and is not deleted twice", () =>
    Effect.gen(function* () {
      const { accountId } = yield* begin
      const accounts = yield* AccountStore
      yield* deleteAccount(accountId, Date.now())
      assert.strictEqual((yield* accounts.find(accountId))._tag, "None")
      assert.notInclude(
        (yield* accounts.list(undefined, 1_000)).map(({ id }) => id),
        accountId
      )
      assert.strictEqual((yield* accounts.change(accountId, { name: "again" }, Date.now()))._tag, "None")
      assert.strictEqual((yield* Effect.flip(deleteAccount(accountId, Date.now())))._tag, "NotDeletable")
    })
  )

  it.effect("keeps no other one from being emptied if a foreign table refers to it", () =>
    Effect.gen(function* () {
      const { accountId, api, sql, webhook } = yield* begin
      const other = yield* begin
      const rows = (id: string) => sql`SELECT 1 FROM accounts WHERE id = ${id}`
      for (const one of [accountId, other.accountId]) yield* deleteAccount(one, Date.now())
      yield* sql`DELETE FROM webhooks WHERE id = ANY(${column([webhook.id, other.webhook.id])}::text[])`
      yield* sql`CREATE TABLE theirs AS SELECT id FROM accounts WHERE id = ${accountId}`
      yield* sql`ALTER TABLE theirs ADD FOREIGN KEY (id) REFERENCES accounts`
      const late = yield* api.keyFor(other.accountId, "live")
      assert.strictEqual((yield* Effect.flip(sweepDeletedAccounts(Date.now())))._tag, "SqlError")
      assert.strictEqual((yield* api.call("GET", "/v1/account", { key: late })).status, 401)
      assert.deepStrictEqual([(yield* rows(accountId)).length, (yield* rows(other.accountId)).length], [1, 0])
    }).pipe(
      Effect.ensuring(
        Effect.orDie(Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DROP TABLE IF EXISTS theirs`))
      )
    )
  )

  it.effect(
    "loses what a request that ran meanwhile has written, and its row when nothing refers to it",
    () =>
      Effect.gen(function* () {
        const { accountId, api, sql, webhook } = yield* begin
        yield* deleteAccount(accountId, Date.now())
        const late = yield* api.keyFor(accountId, "live")
        yield* sweepDeletedAccounts(Date.now())
        assert.strictEqual((yield* api.call("GET", "/v1/account", { key: late })).status, 401)
        const rows = sql`SELECT 1 FROM accounts WHERE id = ${accountId}`
        assert.lengthOf(yield* rows, 1)
        yield* sql`DELETE FROM webhooks WHERE id = ${webhook.id}`
        yield* sweepDeletedAccounts(Date.now())
        assert.lengthOf(yield* rows, 0)
      })
  )

  it.effect("is never the first one, and never another than the one that is named", () =>
    Effect.gen(function* () {
      const { accountId, sql } = yield* begin
      const other = yield* begin
      const [first] = yield* sql<{ readonly id: string }>`SELECT min(id) AS id FROM accounts`
      const refused = yield* Effect.flip(deleteAccount(first!.id, Date.now()))
      assert.deepInclude(refused, { _tag: "NotDeletable", reason: "first" })
      yield* deleteAccount(accountId, Date.now())
      assert.strictEqual((yield* other.call("GET", `/v1/webhooks/${other.webhook.id}`)).status, 200)
      assert.strictEqual((yield* other.call("GET", "/v1/account/notices")).status, 200)
    })
  )
})
