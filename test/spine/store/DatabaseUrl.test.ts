/** DATABASE_URL names one server, by address or socket. What cannot be done is refused by name, and not ignored. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { addressOf, databaseUrlFault } from "../../../src/spine/store/DatabaseUrl.ts"
import * as Sql from "../../../src/spine/store/Sql.ts"
import { settingsLayer } from "../../support/program/settings.ts"
import { databaseUrl, makeDatabase } from "../../support/store/postgres.ts"

const openAt = (url: string) =>
  Layer.build(
    Sql.unmigratedLayer({ command: "test", owner: false }).pipe(
      Layer.provide(settingsLayer({ DATABASE_URL: url }))
    )
  )

describe("DATABASE_URL", () => {
  it.live("may name a socket's folder instead of a host", () =>
    Effect.gen(function* () {
      const url = databaseUrl(yield* makeDatabase)
      if (!url.includes("host=")) return
      const { pathname, search, username } = new URL(url)
      const services = yield* openAt(`postgres://${pathname}${search}&user=${username}`)
      yield* Effect.provide(
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT 1`),
        services
      )
    }).pipe(Effect.scoped)
  )

  it.live("with two hosts is refused before it connects, without its password", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(openAt("postgres://u:hunter,2@a:5432,b:5432/lh"))
      assert.match(
        message,
        /^DATABASE_URL: several hosts are not supported; name one address that leads to the primary: /
      )
      assert.notInclude(message, "hunter")
    }).pipe(Effect.scoped)
  )

  it.each([
    ["postgres:///lh?host=a,b&port=5432,5432&user=u", /^several hosts/],
    [
      "postgres://u@standby/lh?target_session_attrs=read-write",
      /^target_session_attrs is not supported; leave it out, and name one/
    ],
    ["postgres://u@a/lh?passfile=/x", /^the parameter passfile is not supported/],
    [
      "postgres://u@a/lh?target_session_attrs=any&keepalives=1&sslmode=require&options=-c%20jit%3Doff",
      undefined
    ],
    ["postgres://u:p,q@a/lh", undefined]
  ] as const)("%s", (url, fault) => {
    const found = databaseUrlFault(url)
    if (fault === undefined) assert.isUndefined(found)
    else assert.match(found ?? "", fault)
  })

  it("is shown by its host or socket, port and database", () => {
    assert.strictEqual(addressOf("postgres://u:p@a:5433/lh"), "a:5433/lh")
    assert.strictEqual(addressOf("postgres:///lh?host=/run/postgresql&user=u"), "/run/postgresql/lh")
  })
})
