/** DATABASE_URL may name PgBouncer in session mode with its stock settings. Another mode is refused at the start. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { awayOf } from "../../../src/app/start/Away.ts"
import * as Sql from "../../../src/spine/store/Sql.ts"
import { settingsLayer } from "../../support/program/settings.ts"
import { ownDatabase } from "../../support/store/ownDatabase.ts"
import { pooler, poolerMissing } from "../../support/store/pooler.ts"

const openAt = (url: string) =>
  Layer.build(
    Sql.layer({ command: "ledgerhook start", owner: true, answerLimit: true }).pipe(
      Layer.provide(settingsLayer({ DATABASE_URL: url }))
    )
  )

describe.skipIf(poolerMissing)("PgBouncer", () => {
  it.live("in session mode needs no setting, and each session has those of its pool", () =>
    Effect.gen(function* () {
      const { url } = yield* ownDatabase
      const address = yield* pooler("session", url)
      const refused = yield* Effect.flip(openAt(`${address}?options=-c%20work_mem%3D8MB`))
      assert.match(refused.message, /ignore_startup_parameters in the settings of PgBouncer\.$/)
      assert.isUndefined(awayOf(refused))
      const services = yield* openAt(address)
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const reader = yield* Sql.ReadSql
        const shown = (client: SqlClient.SqlClient) =>
          client`SELECT current_setting('jit') AS jit, current_setting('default_transaction_read_only') AS read_only,
                        current_setting('plan_cache_mode') AS plans`
        assert.deepStrictEqual(yield* shown(sql), [{ jit: "off", read_only: "off", plans: "auto" }])
        assert.deepStrictEqual(
          new Set(
            (yield* Effect.all(
              Array.from({ length: 30 }, () => shown(reader)),
              { concurrency: "unbounded" }
            ))
              .flat()
              .map((row) => JSON.stringify(row))
          ),
          new Set([JSON.stringify({ jit: "off", read_only: "on", plans: "force_generic_plan" })])
        )
      }).pipe(Effect.provide(services))
    }).pipe(Effect.scoped)
  )

  it.live("in transaction mode is refused with the line to set, and not waited for", () =>
    Effect.gen(function* () {
      const { url } = yield* ownDatabase
      const error = yield* Effect.flip(openAt(yield* pooler("transaction", url)))
      assert.match(
        error.message,
        /^DATABASE_URL: 127\.0\.0\.1:\d+\/\w+ is a pooler that shares servers between sessions\. Set pool_mode = session /
      )
      assert.isUndefined(awayOf(error))
    }).pipe(Effect.scoped)
  )
})
