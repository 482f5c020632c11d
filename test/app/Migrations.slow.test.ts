/**
 * Migrations while processes of the version before serve: the older program keeps working on tables that have more
 * columns, refuses to start again, and never waits long for a migration that waits for a lock.
 */

import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Deferred, Duration, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { roles } from "../../src/app/Roles.ts"
import { apiPart, Health } from "../../src/spine/observe/Health.ts"
import { storeLimits } from "../../src/spine/store/Limits.ts"
import { applyMigrations, migrate, TRIES } from "../../src/spine/store/Migrations.ts"
import { makeReceiver } from "../support/deliver/receiver.ts"
import { apiClient, createWebhook, waitUntil } from "../support/http/apiClient.ts"
import { settingsLayer } from "../support/program/settings.ts"
import { TestDatabase } from "../support/store/postgres.ts"
import { compatibleChange } from "../support/upgrade/compatibleChange.ts"

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"

const READS = [
  "/v1/account",
  "/v1/webhooks",
  "/v1/deliveries",
  "/v1/deliveries/stats?period=1h&series=true",
  "/v1/events?network=testnet",
  "/v1/replay",
  "/v1/api-keys",
  "/v1/ledgers/coverage",
  "/readyz"
]

describe("a database that a newer program migrates", () => {
  it.live("is still served by the older program, which refuses to start again", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(Layer.fresh(roles).pipe(Layer.provide(settingsLayer({ ADMIN_KEY }))))
      const health = yield* Context.get(context, Health).get(apiPart)
      const url = String(health?.facts?.["address"])
      const admin = apiClient(url, ADMIN_KEY)
      const { body: key } = yield* admin.call("POST", "/v1/api-keys", {
        name: "test",
        environment: "test",
        scopes: ["admin"]
      })
      const client = apiClient(url, String(key["key"]))
      const receiver = yield* makeReceiver()
      /** Uses every stage: ingest of the simulated ledger, events, route, deliver, replay, and the API's writes. */
      const useAll = Effect.gen(function* () {
        const { id } = yield* createWebhook(client, { url: receiver.url, event_types: ["*"] })
        const events = () =>
          receiver.received.filter(({ event }) => event.webhook_id === id && event["network"] === "testnet")
        yield* waitUntil(
          Effect.sync(() => events().length > 0),
          "30 seconds"
        )
        const { event_id } = events()[0]!.event
        const sent = events().filter(({ event }) => event.event_id === event_id).length
        const replay = { webhook_id: id, event_ids: [event_id] }
        assert.strictEqual((yield* client.call("POST", "/v1/replay", replay)).status, 202)
        yield* waitUntil(
          Effect.sync(() => events().filter(({ event }) => event.event_id === event_id).length > sent),
          "30 seconds"
        )
        for (const path of READS) {
          const { status } = yield* client.call("GET", path)
          assert.strictEqual(status, 200, path)
        }
        // More than there are connections: each has prepared its statements before the migration.
        const changes = Effect.forEach(
          Array.from({ length: 40 }, (_, n) => n),
          (n) => client.call("PATCH", `/v1/webhooks/${id}`, { description: String(n) }),
          { concurrency: "unbounded" }
        )
        for (const { status } of yield* changes) assert.strictEqual(status, 200)
        assert.strictEqual((yield* client.call("DELETE", `/v1/webhooks/${id}`)).status, 204)
      })

      yield* useAll
      assert.deepStrictEqual(yield* applyMigrations({ "9999_newer": compatibleChange }), ["9999_newer"])
      yield* useAll

      const { message } = yield* Effect.flip(migrate)
      assert.match(
        message,
        /^The database was migrated by a newer version of ledgerhook \(to migration 9999; this version knows \d+\)\. Start the newer version/
      )
    }).pipe(Effect.scoped, Effect.provide(TestDatabase))
  )

  it.effect("is refused while it is of release 0.2, or while release 0.3 has not completed its upgrade", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'deliveries_unfinished'::regclass`
      assert.match((yield* Effect.flip(migrate)).message, /^ledgerhook 0\.3 has not completed its upgrade /)
      yield* sql`DELETE FROM migrations WHERE migration_id > 10`
      assert.strictEqual(
        (yield* Effect.flip(migrate)).message,
        "The database was made by ledgerhook 0.2. Start ledgerhook 0.3 on it first, and wait until it is ready."
      )
    }).pipe(Effect.provide(TestDatabase))
  )

  it.live("is migrated as soon as a table is free, and statements wait at most for one try", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const locked = yield* Deferred.make<void>()
      const unlock = yield* Deferred.make<void>()
      const dump = yield* Effect.forkChild(
        sql.withTransaction(
          sql`LOCK TABLE webhooks IN ACCESS SHARE MODE`.pipe(
            Effect.andThen(Deferred.succeed(locked, undefined)),
            Effect.andThen(Deferred.await(unlock))
          )
        )
      )
      yield* Deferred.await(locked)
      const migration = Effect.asVoid(sql`ALTER TABLE webhooks ADD COLUMN added_later text`)
      const migrating = yield* Effect.forkChild(applyMigrations({ "9999_newer": migration }))
      const waiting = sql`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'ALTER%'`
      yield* waitUntil(
        Effect.map(waiting, ({ length }) => length > 0),
        "10 seconds"
      )
      // Queued behind the migration, which gives up first.
      yield* sql`SELECT count(*) FROM webhooks`.pipe(Effect.timeout(storeLimits.migrationLockMs * 3))
      assert.isUndefined(migrating.pollUnsafe())
      yield* Deferred.succeed(unlock, undefined)
      yield* Fiber.join(dump)
      assert.deepStrictEqual(yield* Fiber.join(migrating), ["9999_newer"])
    }).pipe(Effect.scoped, Effect.provide(TestDatabase))
  )

  it.live("is left as it was if a table stays locked: after the last try a sentence says what to do", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const unlock = yield* Deferred.make<void>()
      const locked = yield* Deferred.make<void>()
      const dump = yield* sql`LOCK TABLE webhooks IN ACCESS SHARE MODE`.pipe(
        Effect.andThen(Deferred.succeed(locked, undefined)),
        Effect.andThen(Deferred.await(unlock)),
        sql.withTransaction,
        Effect.forkChild
      )
      yield* Deferred.await(locked)
      let tries = 0
      const migration = Effect.gen(function* () {
        tries++
        yield* sql`CREATE TABLE added_later (id text PRIMARY KEY)`
        // The server measures this timeout on the real clock.
        yield* sql`SET LOCAL lock_timeout = 1`
        yield* sql`ALTER TABLE webhooks ADD COLUMN added_later text`
      })
      const slept: Array<number> = []
      const { message } = yield* Effect.flip(applyMigrations({ "9999_newer": migration })).pipe(
        Effect.updateService(Clock.Clock, (real) =>
          // It does not sleep, so that 60 tries take no minutes. The connections have the real clock.
          Object.assign(Object.create(real), {
            sleep: (duration: Duration.Duration) =>
              Effect.sync(() => void slept.push(Duration.toMillis(duration)))
          })
        )
      )
      assert.match(
        message,
        /other sessions locked them at each of 60 tries\. Nothing was changed\. Find the session/
      )
      assert.strictEqual(tries, TRIES)
      assert.deepStrictEqual(slept, new Array(TRIES - 1).fill(storeLimits.migrationLockMs))
      yield* Deferred.succeed(unlock, undefined)
      yield* Fiber.join(dump)
      assert.deepStrictEqual(
        yield* sql`SELECT to_regclass('added_later')::text AS found, max(migration_id) < 9999 AS before FROM migrations`,
        [{ found: null, before: true }]
      )
    }).pipe(Effect.scoped, Effect.provide(TestDatabase))
  )
})
