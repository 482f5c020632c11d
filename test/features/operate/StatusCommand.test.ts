/** `status`: the same sentences in the table and in JSON, and its exit codes. */
import { PgClient } from "@effect/sql-pg"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { roles } from "../../../src/spine/config/Definitions.ts"
import { runCommand } from "../../support/program/command.ts"
import { databaseUrl, makeDatabase } from "../../support/store/postgres.ts"
import { insertAccount, insertWebhook } from "../../support/store/rows.ts"

const scope = Scope.makeUnsafe()
let environment: Readonly<Record<string, string>>
let failing = ""
let execute: (statement: string) => Promise<unknown>

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
      execute = (statement) => Effect.runPromise(sql.unsafe(statement))
      yield* insertAccount("acct_1")
      yield* insertWebhook("acct_1")
      failing = yield* insertWebhook("acct_1")
      yield* sql`
        UPDATE webhooks SET failing_since = now() - interval '1 hour', failed_attempts = 7, failed_deliveries = 7,
          last_failed_at = now(), last_error = 'connection refused', attempted_at = now() - interval '2 hours'
        WHERE id = ${failing}`
    }).pipe(Effect.provide(store))
  })
  await Effect.runPromise(Scope.provide(prepare, scope))
}, 60_000)
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const running = (own: ReadonlyArray<string>) => `
  INSERT INTO processes (id, host, pid, version, roles, failing, seen_at)
  VALUES ('p1', 'host-a', 7, '0.3.0', '{${own.join(",")}}', '{}', now() + interval '1 hour')
  ON CONFLICT (id) DO UPDATE SET roles = excluded.roles`

describe("status", () => {
  it.live("is well, exits 0 and names the failing webhook", () =>
    Effect.gen(function* () {
      yield* Effect.promise(() => execute(running(roles)))
      const { code, stdout } = yield* runCommand(["status"], { environment })
      assert.strictEqual(code, 0)
      const said = JSON.parse(stdout)
      assert.deepStrictEqual(
        [said.ok, said.sentences],
        [
          true,
          [
            "The service is well. 1 of 2 active webhooks fails.",
            "No process has made a report of the whole service yet: how late it is, and how its ledger servers are, is not known."
          ]
        ]
      )
      assert.deepStrictEqual(
        said.longest_failing.map(({ id }: { readonly id: string }) => id),
        [failing]
      )
      assert.match(said.longest_failing[0].health.sentence, /connection refused/)
      assert.deepStrictEqual(
        said.roles,
        roles.map((role) => ({ role, processes: 1 }))
      )
      assert.deepInclude(said.processes[0], { host: "host-a", pid: 7, stopped: false })
      assert.deepInclude(said.webhooks, { failing: 1, new: 1 })
    })
  )

  it.live("exits 1 and names the missing role", () =>
    Effect.gen(function* () {
      yield* Effect.promise(() => execute(running(roles.filter((role) => role !== "delay"))))
      const { code, stdout } = yield* runCommand(["status"], { environment })
      assert.strictEqual(code, 1)
      assert.strictEqual(
        JSON.parse(stdout).sentences[0],
        "No process has the role delay: none has had it within the last day. Start a process with ROLES=delay."
      )
      const without = yield* runCommand(["status"], {
        environment: { ...environment, WITHOUT_ROLES: "delay" }
      })
      assert.strictEqual(without.code, 0)
    })
  )

  it.live("says that the database is older, and does not migrate it", () =>
    Effect.gen(function* () {
      yield* Effect.promise(() => execute("ALTER TABLE report RENAME TO report_later"))
      const older = yield* runCommand(["status"], { environment })
      yield* Effect.promise(() => execute("ALTER TABLE report_later RENAME TO report"))
      assert.deepStrictEqual([older.code, older.stdout], [1, ""])
      assert.match(older.stderr, /^ledgerhook: the database is of an older version; migrate it with/)
    })
  )
})
