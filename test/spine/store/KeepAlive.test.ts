/** A database that vanished without closing its connections must be noticed, or a stage would wait for ever. */
import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { ReadSql, unmigratedLayer } from "../../../src/spine/store/Sql.ts"
import { settingsLayer } from "../../support/program/settings.ts"
import { ownDatabase } from "../../support/store/ownDatabase.ts"

/** The kernel's timers of connections from this machine to that port: 2 is a keepalive timer. */
const timersTo = (port: number): ReadonlyArray<string> =>
  readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , remote]) => remote?.endsWith(`:${port.toString(16).toUpperCase().padStart(4, "0")}`))
    .map((fields) => String(Number(fields[5]?.split(":")[0])))

it.live.skipIf(process.platform !== "linux")("connections to DATABASE_URL probe their peer", () =>
  Effect.gen(function* () {
    const { url } = yield* ownDatabase
    const database = unmigratedLayer({ command: "ledgerhook test", owner: false }).pipe(
      Layer.provide(settingsLayer({ DATABASE_URL: url }))
    )
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const read = yield* ReadSql
      yield* sql`SELECT 1`
      yield* read`SELECT 1`
      const timers = timersTo(Number(new URL(url).port))
      assert.isAtLeast(timers.length, 2)
      assert.deepStrictEqual([...new Set(timers)], ["2"])
    }).pipe(Effect.provide(Layer.provideMerge(ReadSql.layer, database)))
  }).pipe(Effect.scoped)
)
