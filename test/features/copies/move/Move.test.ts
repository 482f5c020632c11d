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
/** The store that is moved, an empty one, and one that contains data. None changes. */
const [PRESENT, EMPTY, FULL] = [0, 1, 2]
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
const accounts = async (store: ReturnType<typeof at>) =>
  JSON.parse((await run(store, "account", "list")).stdout).length

beforeAll(async () => {
  for (let n = 0; n < 3; n++) {
    const prepare = Effect.gen(function* () {
      const options = yield* makeDatabase
      const client = PgClient.layerFrom(PgClient.make({ ...options, maxConnections: 2 }))
      stores.push({ url: databaseUrl(options), context: yield* Layer.build(client) })
    })
    await Effect.runPromise(Scope.provide(prepare, scope))
  }
  for (const index of [PRESENT, FULL])
    await run(
      at(index),
      "account",
      "create",
      "--name",
      "Moved",
      "--email",
      "a@example.com",
      "--plan",
      "builder"
    )
  await Effect.runPromise(Effect.provide(claimLog(embeddedIdentity), stores[PRESENT]!.context))
})
afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  rmSync(cwd, { recursive: true, force: true })
})

describe("a move", () => {
  it("needs one place to move to", async () => {
    for (const flags of [[], ["--database-url", url(EMPTY), "--data-dir", join(cwd, "other")]]) {
      const { code, stderr } = await run(at(PRESENT), "move", ...flags)
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
        { ...at(PRESENT), NEW_URL: "nonsense://user:hidden@a/b" },
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
      return yield* Effect.promise(() => run(at(PRESENT), "move", "--database-url", url(EMPTY)))
    }).pipe(Effect.scoped, Effect.provide(stores[PRESENT]!.context))
    const { code, stderr } = await Effect.runPromise(refused)
    assert.strictEqual(code, 1)
    assert.match(stderr, /^ledgerhook: a service uses the present store; stop all its processes, /)
    assert.strictEqual(await accounts(at(EMPTY)), 0)
  })

  it("copies everything, verifies it, and says what to do next", () =>
    Effect.gen(function* () {
      const target = databaseUrl(yield* makeDatabase)
      const file = join(cwd, "target")
      writeFileSync(file, `${target}\n`)
      yield* Effect.promise(async () => {
        const { code, stdout, stderr } = await run(at(PRESENT), "move", "--database-url-file", file)
        assert.deepStrictEqual([code, stderr], [0, ""])
        const { next, rows } = JSON.parse(stdout)
        assert.isAbove(rows, 0)
        assert.match(
          next,
          /^Set DATABASE_URL to that database, unset KAFKA_BROKERS, and start the service\. /
        )
        const counted = [await accounts(at(PRESENT)), await accounts({ DATABASE_URL: target })]
        assert.deepStrictEqual(counted, [1, 1])
      })
    }).pipe(Effect.scoped, Effect.runPromise))

  it("is refused into a store that contains anything, and from one that contains nothing", async () => {
    const into = await run({ ...at(PRESENT), NEW_URL: url(FULL) }, "move", "--database-url-env", "NEW_URL")
    assert.match(
      into.stderr,
      /^ledgerhook: the other store contains data of Ledgerhook already; choose an empty /
    )
    const from = await run(at(EMPTY), "move", "--database-url", url(EMPTY))
    assert.match(from.stderr, /^ledgerhook: the present store is empty; there is nothing to move\./)
  })
})
