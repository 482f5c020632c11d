/**
 * The operator's commands for accounts, keys and webhooks: JSON when piped, tables on a terminal, and one sentence for
 * each error. AccountsService.slow.test.ts runs them as real processes with a running service.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { type Context, Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../../../src/spine/config/Limits.ts"
import { idTime, randomId } from "../../../../src/spine/words/Ids.ts"
import { runCommand } from "../../../support/program/command.ts"
import { hasTerminal, runOnTerminal } from "../../../support/program/program.ts"
import { databaseUrl, makeDatabase } from "../../../support/store/postgres.ts"
import { insertAccount, insertWebhook } from "../../../support/store/rows.ts"

const cwd = mkdtempSync(join(tmpdir(), "ledgerhook-accounts-"))
const scope = Scope.makeUnsafe()
let environment: Readonly<Record<string, string>>
let store: Context.Context<SqlClient.SqlClient>

beforeAll(async () => {
  const prepare = Effect.gen(function* () {
    const options = yield* makeDatabase
    environment = {
      DATABASE_URL: databaseUrl(options),
      SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
      XRPL_MAINNET_URLS: ""
    }
    store = yield* Layer.build(PgClient.layerFrom(PgClient.make({ ...options, maxConnections: 2 })))
  })
  await Effect.runPromise(Scope.provide(prepare, scope))
})
afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  rmSync(cwd, { recursive: true, force: true })
})

const run = (...args: ReadonlyArray<string>) => Effect.runPromise(runCommand(args, { environment }))

const words = (text: string): ReadonlyArray<string> => text.split(" ")

/** The JSON of a command that ends well. */
const json = async (...args: ReadonlyArray<string>) => {
  const { code, stdout, stderr } = await run(...args)
  assert.deepStrictEqual([code, stderr], [0, ""])
  return JSON.parse(stdout)
}

const newAccount = async (plan: string): Promise<string> =>
  (await json("account", "create", "--name", "Example Ltd", "--email", "ops@example.com", "--plan", plan)).id

/** The stores, to read and change rows from outside the program. */
const inStore = <A, E>(use: Effect.Effect<A, E, SqlClient.SqlClient>) => Effect.provide(use, store)

/** A timeout for tests that start many processes. */
const TIMEOUT = 180_000

const NOBODY = "acct_01KAJ0Q4M8000000G3T5W7Y9ZB"
const NO_KEY = "key_01KAJ0Q4M8000000G3T5W7Y9ZB"

describe("accounts", () => {
  it("are deleted with --yes only, and the first one never", async () => {
    await newAccount("builder")
    const id = await newAccount("builder")
    const unsure = await run("account", "delete", id)
    assert.deepStrictEqual([unsure.code, unsure.stdout], [2, ""])
    assert.include(unsure.stderr, "cannot be undone")
    assert.deepStrictEqual(await json("account", "delete", id, "--yes"), { id, deleted: true })
    const again = await run("account", "delete", id, "--yes")
    assert.deepStrictEqual([again.code, again.stderr.includes(`there is no account ${id}`)], [1, true])
    const first = (await json("account", "list")).at(-1).id
    const refused = await run("account", "delete", first, "--yes")
    assert.deepStrictEqual([refused.code, refused.stderr.includes("ADMIN_KEY")], [1, true])
  })

  it(
    "are created, shown, moved to another plan and given limits",
    async () => {
      const made = await json(
        ...words("account create --email ops@example.com --plan builder --name"),
        " Example Ltd "
      )
      const { id, created_at } = made
      assert.strictEqual(Date.parse(created_at), idTime(id))
      const builder = {
        id,
        name: "Example Ltd",
        email: "ops@example.com",
        plan: "builder",
        limits: {
          requests_per_minute: 300,
          requests_per_day: 10_000,
          account_requests_per_minute: 6_000,
          account_requests_per_day: 200_000,
          monthly_deliveries: 250_000,
          concurrent_replays: 2,
          webhooks: 50,
          account_filters: 50_000,
          api_keys: 20,
          new_api_keys_per_day: 80
        },
        suspended_at: null,
        created_at
      }
      assert.deepStrictEqual(made, builder)
      assert.deepStrictEqual((await json("account", "list"))[0], builder)

      const enterprise = {
        requests_per_minute: 10_000,
        requests_per_day: 10_000_000,
        account_requests_per_minute: 1_000_000,
        account_requests_per_day: 1_000_000_000,
        monthly_deliveries: null,
        concurrent_replays: 50,
        webhooks: 10_000,
        account_filters: 2_000_000,
        api_keys: 100,
        new_api_keys_per_day: 400
      }
      const moved = await json("account", "set-plan", id, "enterprise")
      assert.deepStrictEqual([moved.plan, moved.limits], ["enterprise", enterprise])

      const limited = await json(
        ...words(`account set-limits ${id} --requests-per-minute 20000 --requests-per-day 1000000000`),
        ...words("--monthly-deliveries 50000000 --concurrent-replays 7"),
        ...words("--webhooks 20000 --account-filters 5000000")
      )
      const own = {
        requests_per_minute: 20_000,
        requests_per_day: 1_000_000_000,
        account_requests_per_minute: 2_000_000,
        account_requests_per_day: 100_000_000_000,
        monthly_deliveries: 50_000_000,
        concurrent_replays: 7,
        webhooks: 20_000,
        account_filters: 5_000_000,
        api_keys: 100,
        new_api_keys_per_day: 400
      }
      assert.deepStrictEqual(limited.limits, own)
      const back = ["--requests-per-day", "default", "--monthly-deliveries", "none"]
      assert.deepStrictEqual((await json("account", "set-limits", id, ...back)).limits, {
        ...own,
        requests_per_day: enterprise.requests_per_day,
        account_requests_per_day: enterprise.account_requests_per_day,
        monthly_deliveries: null
      })
      assert.deepStrictEqual(await json("account", "set-plan", id, "builder"), builder)
    },
    TIMEOUT
  )

  it(
    "get another name or email, and keep fields that are not named",
    async () => {
      const id = await newAccount("builder")
      const { name, email, ...rest } = await json("account", "update", id, "--name", " New Ltd ")
      assert.deepStrictEqual([name, email, rest.id], ["New Ltd", "ops@example.com", id])
      const changed = await json("account", "update", id, "--email", "new@example.com")
      assert.deepStrictEqual(changed, { ...rest, name, email: "new@example.com" })
      assert.deepStrictEqual((await json("account", "list"))[0], changed)
    },
    TIMEOUT
  )

  it(
    "keep the time of the first suspension until they are resumed",
    async () => {
      const id = await newAccount("builder")
      const { suspended_at } = await json("account", "suspend", id)
      assert.isAtLeast(Date.parse(suspended_at), idTime(id))
      assert.strictEqual((await json("account", "suspend", id)).suspended_at, suspended_at)
      assert.isNull((await json("account", "resume", id)).suspended_at)
    },
    TIMEOUT
  )

  it.live(
    "are listed completely and once, over any number of pages",
    () =>
      Effect.gen(function* () {
        const ids = Array.from({ length: 2 * Limits.largeRows + 1 }, (_, i) => randomId("acct_", i))
        yield* inStore(Effect.forEach(ids, insertAccount))
        const listed = (yield* Effect.promise(() => json("account", "list"))).map(
          ({ id }: { readonly id: string }) => id
        )
        assert.deepStrictEqual(listed.slice(-ids.length), ids.toSorted().toReversed())
        assert.strictEqual(new Set(listed).size, listed.length)
      }),
    TIMEOUT
  )
})

describe("keys", () => {
  it(
    "are shown once, recognised by their last characters, and revoked permanently",
    async () => {
      const account = await newAccount("builder")
      const { key, ...made } = await json(
        ...words(`key create --account ${account} --name backend --environment test`),
        ...words("--expires-at 2099-01-01T01:00:00+01:00 --scopes"),
        "events:read, webhooks:read"
      )
      assert.match(key, /^svc_test_[0-9A-Za-z]{43}$/)
      const { id, created_at } = made
      const stored = {
        id,
        account_id: account,
        name: "backend",
        scopes: ["webhooks:read", "events:read"],
        environment: "test",
        created_at,
        expires_at: "2099-01-01T00:00:00.000Z"
      }
      assert.deepStrictEqual(made, stored)
      const listed = {
        ...stored,
        key_hint: `svc_test_…${key.slice(-4)}`,
        last_used_at: null,
        revoked_at: null
      }
      assert.deepStrictEqual(await json("key", "list", "--account", account), [listed])

      const { revoked_at } = await json("key", "revoke", id)
      assert.strictEqual((await json("key", "revoke", id)).revoked_at, revoked_at)
      assert.deepStrictEqual(await json("key", "list", "--account", account), [{ ...listed, revoked_at }])
    },
    TIMEOUT
  )
})

describe("webhooks", () => {
  it.live(
    "are listed for all accounts or one, without secrets, headers and deleted webhooks",
    () =>
      Effect.gen(function* () {
        const [one, other] = [
          yield* Effect.promise(() => newAccount("builder")),
          yield* Effect.promise(() => newAccount("builder"))
        ]
        const [first, second, deleted] = yield* inStore(
          Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            const made = [yield* insertWebhook(one), yield* insertWebhook(other), yield* insertWebhook(other)]
            yield* sql`UPDATE webhooks SET deleted_at = now() WHERE id = ${made[2]!}`
            yield* sql`UPDATE webhooks SET headers = '{"authorization":"hunter2"}'`
            return made
          })
        )
        const all = yield* Effect.promise(() => run("webhook", "list"))
        assert.notMatch(all.stdout, /hunter2|sealed|secret/)
        const ids = (listed: ReadonlyArray<{ readonly id: string }>) => listed.map(({ id }) => id)
        assert.includeMembers(ids(JSON.parse(all.stdout)), [first!, second!])
        assert.notInclude(ids(JSON.parse(all.stdout)), deleted!)
        assert.deepStrictEqual(
          ids(yield* Effect.promise(() => json("webhook", "list", "--account", other))),
          [second!]
        )
      }),
    TIMEOUT
  )
})

describe.skipIf(!hasTerminal)("on a terminal", () => {
  const onTerminal = (args: ReadonlyArray<string>, more: Readonly<Record<string, string>> = {}) =>
    runOnTerminal(args, { cwd, environment: { ...environment, ...more } })

  it(
    "lists are aligned tables, in colour unless NO_COLOR is set, and JSON where --json asks for it",
    async () => {
      const account = await newAccount("builder")
      await json("key", "create", "--account", account, "--name", "backend", "--scopes", "admin")
      const list = ["key", "list", "--account", account]
      const [head, row] = onTerminal(list, { NO_COLOR: "1" })
      for (const [column, value] of [
        ["ID", "key_"],
        ["KEY", "svc_live_…"],
        ["STATUS", "active"],
        ["LAST USED", "never"],
        ["EXPIRES", "never"],
        ["NAME", "backend"],
        ["SCOPES", "admin"]
      ] as const) {
        assert.isTrue(row!.startsWith(value, head!.indexOf(column)), `${column}\n${head}\n${row}`)
      }
      const coloured = onTerminal(list).join("\n")
      assert.include(coloured, "\u001b[32mactive\u001b[0m")
      assert.strictEqual(JSON.parse(onTerminal([...list, "--json"]).join("\n"))[0].name, "backend")
    },
    TIMEOUT
  )

  it(
    "a key is shown with a note that it will not be shown again",
    async () => {
      const account = await newAccount("builder")
      const lines = onTerminal(["key", "create", "--account", account, "--name", "k", "--scopes", "admin"])
      assert.match(lines.at(-3)!, /^key +svc_live_[0-9A-Za-z]{43}$/)
      assert.strictEqual(lines.at(-1), "Copy the key now. It is not stored and cannot be shown again.")
    },
    TIMEOUT
  )

  it(
    "an empty list says what to do",
    async () => {
      const account = await newAccount("builder")
      assert.deepStrictEqual(onTerminal(["key", "list", "--account", account]), [
        `The account has no key. Create one with \`ledgerhook key create --account ${account} --name NAME --scopes SCOPES\`.`
      ])
    },
    TIMEOUT
  )
})

describe("wrong usage", () => {
  const create = ["account", "create", "--name", "a", "--email", "a@example.com", "--plan", "builder"]
  const instead = (flag: string, value: string) =>
    create.map((arg, i) => (create[i - 1] === flag ? value : arg))
  const keyCreate = ["key", "create", "--account", NOBODY, "--name", "k", "--scopes", "admin"]
  const setLimits = ["account", "set-limits", NOBODY]
  const cases: ReadonlyArray<readonly [args: ReadonlyArray<string>, names: string]> = [
    [create.slice(0, -2), "--plan"],
    [instead("--name", "a\u001b[31mb"), "--name"],
    [instead("--email", "ops@"), "--email"],
    [["account", "set-plan", "acct_1", "builder"], "<account>"],
    [setLimits, "--requests-per-minute"],
    [["account", "update", NOBODY], "--name, --email"],
    [[...setLimits, "--concurrent-replays", "1000000001"], "--concurrent-replays"],
    [[...keyCreate.slice(0, -1), "everything"], "--scopes"],
    [[...keyCreate, "--environment", "mainnet"], "--environment"],
    [[...keyCreate, "--expires-at", "tomorrow"], "--expires-at"],
    [[...keyCreate, "--expires-at", "2020-01-01T00:00:00Z"], "--expires-at"]
  ]
  it.each(cases.map(([args, names]) => [JSON.stringify(args.slice(0, 12)), args, names] as const))(
    "ends 2 with one sentence that names what is wrong: %s",
    async (_, args, names) => {
      const { code, stdout, stderr } = await run(...args)
      assert.deepStrictEqual([code, stdout], [2, ""], stderr)
      assert.match(stderr, new RegExp(`^ledgerhook: .*(?:${names}).*\n(?:Try: ledgerhook.* --help\n)?$`))
    }
  )

  it("does not repeat a key that was given instead of its id", async () => {
    const { code, stderr } = await run("key", "revoke", "svc_live_hunter2")
    assert.strictEqual(code, 2)
    assert.match(stderr, /^ledgerhook: the argument <key> takes a key's id .+\n$/)
    assert.notInclude(stderr, "hunter2")
  })
})

describe("refused commands", () => {
  const noAccount = `ledgerhook: there is no account ${NOBODY}; \`ledgerhook account list\` shows them.\n`
  const cases: ReadonlyArray<readonly [args: ReadonlyArray<string>, said: string]> = [
    [["account", "set-plan", NOBODY, "builder"], noAccount],
    [["key", "create", "--account", NOBODY, "--name", "k", "--scopes", "admin"], noAccount],
    [["webhook", "list", "--account", NOBODY], noAccount],
    [["portal", NOBODY], noAccount],
    [
      ["key", "revoke", NO_KEY],
      `ledgerhook: there is no key ${NO_KEY}; \`ledgerhook key list --account ACCOUNT\` shows the keys of an account.\n`
    ]
  ]
  it.each(cases.map(([args, said]) => [args.slice(0, 2).join(" "), args, said] as const))(
    "ends 1 with one sentence: %s",
    async (_, args, said) => {
      const { code, stdout, stderr } = await run(...args)
      assert.deepStrictEqual([code, stdout, stderr], [1, "", said])
    },
    TIMEOUT
  )

  it(
    "include own limits on a plan other than Enterprise",
    async () => {
      const account = await newAccount("compliance")
      const { code, stderr } = await run("account", "set-limits", account, "--requests-per-day", "5")
      assert.strictEqual(code, 1)
      assert.strictEqual(
        stderr,
        `ledgerhook: ${account} is on the plan compliance, and only the plan enterprise can have limits of its own; change the plan with \`ledgerhook account set-plan ${account} enterprise\`.\n`
      )
    },
    TIMEOUT
  )
})
