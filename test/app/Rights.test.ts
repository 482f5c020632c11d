/**
 * The two roles of docs/access.md on a real PostgreSQL, made with the statements there: one migrates, the other runs the
 * service. test/journeys/kafka/access.kafka.slow.test.ts runs every role of the program with the second one.
 */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { foldChanges } from "../../src/features/statistics/DeliveryTotals.ts"
import { Partitions } from "../../src/spine/deliveries/Partitions.ts"
import { applyMigrations, migrate } from "../../src/spine/store/Migrations.ts"
import { grantToRunner, makeRoles } from "../support/store/databaseRoles.ts"
import { ownDatabase } from "../support/store/ownDatabase.ts"

const DAY_MS = 86_400_000

const connect = (url: string) =>
  PgClient.make({ url: Redacted.make(url), maxConnections: 2 }).pipe(Effect.provide(Reactivity.layer))

const refusal = (sql: SqlClient.SqlClient, statement: string) =>
  Effect.map(Effect.flip(sql.unsafe(statement)), ({ reason }) => String(reason.cause))

describe("the roles of docs/access.md", () => {
  it.live(
    "suffice to migrate and to run, and the one that runs cannot change the tables of accounts and webhooks",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { url } = yield* ownDatabase
          const { owner: ownerUrl, runner: runnerUrl } = yield* makeRoles(url)
          const owner = yield* connect(ownerUrl)
          assert.isNotEmpty(yield* Effect.provideService(migrate, SqlClient.SqlClient, owner))
          yield* grantToRunner(owner)

          const runner = yield* connect(runnerUrl)
          const as = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
            Effect.provideService(effect, SqlClient.SqlClient, runner)
          assert.deepStrictEqual(yield* as(migrate), [])
          const now = yield* Clock.currentTimeMillis
          yield* as(
            Effect.gen(function* () {
              const partitions = yield* Partitions
              yield* partitions.ensure(now - 3 * DAY_MS, now + DAY_MS)
              assert.isAbove(yield* partitions.drop(now), 0)
            }).pipe(Effect.provide(Partitions.layer))
          )
          yield* as(foldChanges)
          // Upkeep vacuums this table. PostgreSQL only warns a role that may not.
          const [vacuumed] = yield* runner<{ readonly owned: boolean }>`
            SELECT pg_has_role(relowner, 'MEMBER') AS owned FROM pg_class WHERE relname = 'delivery_changes'`
          assert.isTrue(vacuumed?.owned)

          for (const statement of [
            "ALTER TABLE accounts ADD COLUMN more int",
            "DROP TABLE webhooks",
            "TRUNCATE api_keys",
            "CREATE SCHEMA other"
          ]) {
            assert.match(yield* refusal(runner, statement), /must be owner|permission denied/, statement)
          }
          const added = {
            "9999_more": Effect.flatMap(
              SqlClient.SqlClient,
              (sql) => sql`ALTER TABLE accounts ADD COLUMN more int`
            )
          }
          assert.strictEqual(
            (yield* Effect.flip(as(applyMigrations(added)))).message,
            "This PostgreSQL role may not migrate the database's tables (must be owner of table accounts (42501)). Run `ledgerhook migrate` with the role that owns them, grant the rights of docs/access.md, and start again."
          )
          // A later migration may change a table whose partitions the other role has made.
          yield* owner`ALTER TABLE deliveries ADD COLUMN more int`
        })
      ),
    60_000
  )
})
