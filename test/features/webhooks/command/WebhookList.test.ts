/** `webhook list --search`: what it finds, that it pages and combines with --account, and what it refuses. */
import { PgClient } from "@effect/sql-pg"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../../../src/spine/config/Limits.ts"
import { firstIdAt, randomId } from "../../../../src/spine/words/Ids.ts"
import { runCommand } from "../../../support/program/command.ts"
import { databaseUrl, makeDatabase } from "../../../support/store/postgres.ts"
import { insertAccount, insertWebhook } from "../../../support/store/rows.ts"

const [ACCOUNT, OTHER] = [randomId("acct_", 1), randomId("acct_", 1)]
/** Webhooks by account, oldest first. */
const rows = [
  [ACCOUNT, "https://shop.example.com/hook", "Payments received"],
  [OTHER, "https://example.org/SHOP", null],
  [ACCOUNT, "https://example.net/100%25_", "größer 😀"],
  [OTHER, "https://example.org/shop/deleted", null]
] as const
const ids = rows.map((_, i) => firstIdAt("wh_", 1_000 + i))
/** More webhooks than one page of the output has. */
const MANY = Limits.largeRows + 2

const scope = Scope.makeUnsafe()
let environment: Readonly<Record<string, string>>

beforeAll(async () => {
  const prepare = Effect.gen(function* () {
    const options = yield* makeDatabase
    environment = {
      DATABASE_URL: databaseUrl(options),
      SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
      XRPL_MAINNET_URLS: ""
    }
    const store = yield* Layer.build(PgClient.layerFrom(PgClient.make({ ...options, maxConnections: 2 })))
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const account of [ACCOUNT, OTHER]) yield* insertAccount(account)
      for (const [i, [account, url, description]] of rows.entries()) {
        const id = yield* insertWebhook(account, "sealed", ids[i])
        yield* sql`UPDATE webhooks SET url = ${url}, description = ${description} WHERE id = ${id}`
      }
      yield* sql`UPDATE webhooks SET deleted_at = now() WHERE id = ${ids[3]!}`
      for (let i = 0; i < MANY; i++) yield* insertWebhook(OTHER)
    }).pipe(Effect.provide(store))
  })
  await Effect.runPromise(Scope.provide(prepare, scope))
}, 60_000)
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const search = (text: string, ...args: ReadonlyArray<string>) =>
  runCommand(["webhook", "list", "--search", text, ...args], { environment })

const found = Effect.fnUntraced(function* (text: string, ...args: ReadonlyArray<string>) {
  const { code, stdout, stderr } = yield* search(text, ...args)
  assert.deepStrictEqual([code, stderr], [0, ""])
  return (JSON.parse(stdout) as ReadonlyArray<{ readonly id: string }>).map(({ id }) => id)
})

describe("webhook list --search", () => {
  it.live("finds a part of the id, the URL or the description in all accounts or one, newest first", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* found("shop"), [ids[1], ids[0]])
      assert.deepStrictEqual(yield* found("shop", "--account", OTHER), [ids[1]])
      assert.deepStrictEqual(yield* found("payments R"), [ids[0]])
      assert.deepStrictEqual(yield* found("größer 😀"), [ids[2]])
      assert.deepStrictEqual(yield* found("%25_"), [ids[2]])
      assert.deepStrictEqual(yield* found(ids[2]!), [ids[2]])
      assert.deepStrictEqual(yield* found(ids[2]!.toLowerCase().slice(4)), [ids[2]])
      for (const none of ["shop%", "sh_p", "deleted", ids[3]!])
        assert.deepStrictEqual(yield* found(none), [], none)
    })
  )

  it.live("prints every page of what it found", () =>
    Effect.gen(function* () {
      const listed = yield* found("RECEIVER.example")
      assert.lengthOf(listed, MANY)
      assert.deepStrictEqual(listed, [...new Set(listed)].sort().toReversed())
    })
  )

  it.live("refuses the texts that the API refuses", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* found("😀".repeat(200)), [])
      for (const text of ["", "x".repeat(201)]) {
        const { code, stdout, stderr } = yield* search(text)
        assert.deepStrictEqual([code, stdout], [2, ""])
        assert.match(stderr, /^ledgerhook: .+ flag --search.* Expected: 1 to 200 characters\n/)
      }
    })
  )
})
