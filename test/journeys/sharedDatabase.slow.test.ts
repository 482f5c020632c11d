/** The service works while others use its database: subscribers of its tables, views, triggers and columns of their own. */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { roles } from "../../src/app/Roles.ts"
import { apiPart, Health } from "../../src/spine/observe/Health.ts"
import { eventually } from "../support/deliver/delivering.ts"
import { makeReceiver } from "../support/deliver/receiver.ts"
import { apiClient, createWebhook } from "../support/http/apiClient.ts"
import { settingsLayer } from "../support/program/settings.ts"
import { TestDatabase } from "../support/store/postgres.ts"

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"

/** What change data capture, reports and audits make of every table. */
const useByOthers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE PUBLICATION cdc FOR ALL TABLES`.unprepared
  yield* sql`CREATE SCHEMA others`
  yield* sql`CREATE TABLE others.audit (at timestamptz NOT NULL DEFAULT now(), "table" name, kind text)`
  yield* sql`
    CREATE FUNCTION others.audit() RETURNS trigger LANGUAGE plpgsql
    AS $body$ BEGIN INSERT INTO others.audit ("table", kind) VALUES (TG_TABLE_NAME, TG_OP); RETURN NULL; END $body$`
  const tables = yield* sql<{ readonly name: string }>`
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`
  for (const { name } of tables) {
    yield* sql`ALTER TABLE ${sql(name)} ADD COLUMN of_others text, ADD COLUMN seen boolean NOT NULL DEFAULT false`
    yield* sql`CREATE VIEW others.${sql(name)} AS SELECT * FROM ${sql(name)}`
    yield* sql`
      CREATE TRIGGER of_others AFTER INSERT OR UPDATE OR DELETE ON ${sql(name)}
      FOR EACH STATEMENT EXECUTE FUNCTION others.audit()`
  }
})

const journey = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* useByOthers
  const environment = { ADMIN_KEY, RAW_TRANSACTIONS: "true" }
  const context = yield* Layer.build(Layer.fresh(roles).pipe(Layer.provide(settingsLayer(environment))))
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
  const webhook = yield* createWebhook(client, { url: receiver.url, event_types: ["*"] })
  yield* eventually(Effect.sync(() => assert.isNotEmpty(receiver.received)))
  const { event_id } = receiver.received[0]!.event
  const replay = { webhook_id: webhook.id, event_ids: [event_id] }
  const { body: job } = yield* client.call("POST", "/v1/replay", replay)

  // Counts are added to the totals and to jobs by deleting rows of tables that are published.
  yield* eventually(
    Effect.gen(function* () {
      const { body } = yield* client.call("GET", `/v1/replay/${job["job_id"]}`)
      assert.strictEqual(body["delivered"], 1)
      const totals = yield* sql`SELECT FROM delivery_totals WHERE webhook_id = ${webhook.id}`
      assert.isNotEmpty(totals)
    })
  )
  assert.strictEqual((yield* client.call("DELETE", `/v1/webhooks/${webhook.id}`)).status, 204)
  assert.deepStrictEqual([...(yield* Context.get(context, Health).failedSince)], [])
  assert.isNotEmpty(
    yield* sql`SELECT FROM others.audit WHERE "table" = 'delivery_changes' AND kind = 'DELETE'`
  )
})

it.live("delivers, replays and counts beside a publication of all tables, views, triggers and columns", () =>
  journey.pipe(Effect.scoped, Effect.provide(TestDatabase))
)
