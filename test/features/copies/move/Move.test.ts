/**
 * What `move` refuses, and that nothing is moved then. test/journeys/move.slow.test.ts moves services with their work.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { type Context, Effect, Exit, Layer, Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { trySessionLock } from "../../../../src/spine/log/SessionLock.ts"
import { claimLog, embeddedIdentity } from "../../../../src/spine/store/LogIdentity.ts"
import { runCommand } from "../../../support/program/command.ts"
import { databaseUrl, makeDatabase } from "../../../support/store/postgres.ts"

const cwd = mkdtempSync(join(tmpdir(), "ledgerhook-move-"))
const scope = Scope.makeUnsafe()
const stores: Array<{ readonly url: string; readonly context: Context.Context<SqlClient.SqlClient> }> = []

const KEY = Buffer.alloc(32, 7).toString("base64")
const run = (environment: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
  Effect.runPromise(
    runCommand(args, {
      environment: {
        DATA_DIR: join(cwd, "data"),
        SECRETS_KEY: KEY,
        XRPL_MAINNET_URLS: "",
        LOG_LEVEL: "error",
        ...environment
      }
    })
  )
const url = (index: number): string => stores[index]!.url
const at = (index: number) => ({ DATABASE_URL: url(index) })
const accounts = async (index: number) => JSON.parse((await run(at(index), "account", "list")).stdout).length

beforeAll(async () => {
  for (let n = 0; n < 3; n++) {
    const prepare = Effect.gen(function* () {
      const options = yield* makeDatabase
      const client = PgClient.layerFrom(PgClient.make({ ...options, maxConnections: 2 }))
      stores.push({ url: databaseUrl(options), context: yield* Layer.build(client) })
    })
    await Effect.runPromise(Scope.provide(prepare, scope))
  }
  await run(at(0), "account", "create", "--name", "Moved", "--email", "a@example.com", "--plan", "builder")
  await Effect.runPromise(Effect.provide(claimLog(embeddedIdentity), stores[0]!.context))
})
afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  rmSync(cwd, { recursive: true, force: true })
})

describe("a move", () => {
  it("needs one place to move to", async () => {
    for (const flags of [[], ["--database-url", url(1), "--data-dir", join(cwd, "other")]]) {
      const { code, stderr } = await run(at(0), "move", ...flags)
      assert.deepStrictEqual(
        [code, stderr],
        [
          2,
          "ledgerhook: give one of --database-url-env, --database-url-file, --database-url and --data-dir.\n"
        ]
      )
    }
  })

  it("says which variable or file has no URL, and never shows the URL", async () => {
    const file = join(cwd, "url")
    writeFileSync(file, " \n")
    const said = async (...flags: ReadonlyArray<string>) => {
      const { code, stderr } = await run(
        { ...at(0), NEW_URL: "nonsense://user:hidden@a/b" },
        "move",
        ...flags
      )
      assert.strictEqual(code, 2)
      assert.notInclude(stderr, "hidden")
      return stderr
    }
    assert.match(
      await said("--database-url-env", "NO_URL"),
      /^ledgerhook: --database-url-env: the variable NO_URL is/
    )
    assert.match(await said("--database-url-env", "NEW_URL"), /^ledgerhook: DATABASE_URL: /)
    assert.match(await said("--database-url-file", file), /^ledgerhook: --database-url-file: .* is empty/)
    assert.match(await said("--database-url-file", join(cwd, "none")), /cannot be read \(ENOENT\)/)
    assert.match(await said("--database-url-file", file, "--database-url-env", "NEW_URL"), /give one of/)
  })

  it("is refused while a service uses the present store", async () => {
    const refused = Effect.gen(function* () {
      assert.isTrue(yield* trySessionLock("log-owner"))
      return yield* Effect.promise(() => run(at(0), "move", "--database-url", url(1)))
    }).pipe(Effect.scoped, Effect.provide(stores[0]!.context))
    const { code, stderr } = await Effect.runPromise(refused)
    assert.strictEqual(code, 1)
    assert.match(stderr, /^ledgerhook: a service uses the present store; stop all its processes, /)
    assert.strictEqual(await accounts(1), 0)
  })

  it("copies everything, verifies it, and says what to do next", async () => {
    const file = join(cwd, "target")
    writeFileSync(file, `${url(1)}\n`)
    const { code, stdout, stderr } = await run(at(0), "move", "--database-url-file", file)
    assert.deepStrictEqual([code, stderr], [0, ""])
    const { next, rows } = JSON.parse(stdout)
    assert.isAbove(rows, 0)
    assert.match(next, /^Set DATABASE_URL to that database, unset KAFKA_BROKERS, and start the service\. /)
    assert.deepStrictEqual([await accounts(0), await accounts(1)], [1, 1])
  })

  it("is refused into a store that contains anything, and from one that contains nothing", async () => {
    const into = await run({ ...at(0), NEW_URL: url(1) }, "move", "--database-url-env", "NEW_URL")
    assert.match(
      into.stderr,
      /^ledgerhook: the other store contains data of Ledgerhook already; choose an empty /
    )
    const from = await run(at(2), "move", "--database-url", url(1))
    assert.match(from.stderr, /^ledgerhook: the present store is empty; there is nothing to move\./)
  })
})
