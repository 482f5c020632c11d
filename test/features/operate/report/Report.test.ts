/** The report of the whole service is made of what the log, the database and the rows of processes say. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { readFacts } from "../../../../src/features/operate/report/Facts.ts"
import { makeRegistryPart } from "../../../../src/features/operate/report/Outside.ts"
import { readReport } from "../../../../src/features/operate/report/ReportStore.ts"
import { report } from "../../../../src/features/operate/report/WriteReport.ts"
import { roles } from "../../../../src/spine/config/Definitions.ts"
import { Limits } from "../../../../src/spine/config/Limits.ts"
import { UsageStore } from "../../../../src/spine/deliveries/UsageStore.ts"
import { EVENT_LOG_GROUP, eventsTopic } from "../../../../src/spine/event/LedgerEvent.ts"
import { Log } from "../../../../src/spine/log/Log.ts"
import { eventuallyAdvancing } from "../../../support/ledger/ingesting.ts"
import * as MemoryLog from "../../../support/log/memory/MemoryLog.ts"
import { settingsLayer } from "../../../support/program/settings.ts"
import { TestDatabase } from "../../../support/store/postgres.ts"
import { insertAccount } from "../../../support/store/rows.ts"

const stores = Layer.mergeAll(MemoryLog.layer, UsageStore.layer).pipe(
  Layer.provideMerge(
    settingsLayer({
      RAW_TRANSACTIONS: "true",
      XRPL_MAINNET_URLS: "wss://ledger.example",
      SMTP_URL: "smtp://mail.example",
      MAIL_FROM: "a@mail.example"
    })
  ),
  Layer.provideMerge(TestDatabase)
)

/** A process with those roles that says how late its stages are. */
const runs = Effect.fnUntraced(function* (own: ReadonlyArray<string>, behind: object = {}) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DELETE FROM processes`
  yield* sql`
    INSERT INTO processes (id, host, pid, version, roles, failing, seen_at, behind_ms)
    VALUES ('p', 'a', 1, '0.3.0', ${own}, '{}', now() + interval '1 hour', ${JSON.stringify(behind)}::text::jsonb)`
})

const append = Effect.fnUntraced(function* (topic: string, records: number, ageMs: number) {
  const log = yield* Log
  const timestamp = Date.now() - ageMs
  yield* log.transaction({
    append: Array.from({ length: records }, (_, i) => ({ topic, key: `wh_${i}`, value: "{}", timestamp }))
  })
})

/** Of the stages that wait because of that: the seconds, rounded, and the items. */
const waits = Effect.fnUntraced(function* (because: string) {
  const { facts } = yield* readFacts(Effect.succeed([]))
  return Object.fromEntries(
    (facts.stages ?? [])
      .filter((one) => one.because === because && (one.oldestMs > 0 || one.waiting > 0))
      .map(({ oldestMs, stage, waiting }) => [stage, [Math.round(oldestMs / 1_000), waiting]])
  )
})

layer(stores)("the report", (it) => {
  it.effect("says how long the oldest record of each stage has waited", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.now())
      const log = yield* Log
      yield* runs(roles, { deliver: 0, delay: 0, outbox: 0 })
      assert.deepStrictEqual(yield* waits("service"), {})

      const topic = eventsTopic("mainnet")
      yield* append(topic, 3, 60_000)
      yield* append(topic, 2, 20_000)
      assert.deepStrictEqual(yield* waits("service"), { events: [60, 5], route: [60, 5] })
      const commit = (group: string, offset: number) =>
        log.transaction({ append: [], commit: { group, positions: [{ topic, partition: 0, offset }] } })
      yield* commit("route", 3)
      yield* commit(EVENT_LOG_GROUP, 5)
      assert.deepStrictEqual(yield* waits("service"), { route: [20, 2] })
      // More than there is, as after the loss of the newest records: it never gets what is there.
      yield* commit("route", 50)
      assert.deepStrictEqual(yield* waits("service"), { route: [60, 5] })
      yield* commit("route", 5)
      yield* TestClock.setTime(Date.now())

      // The stage `events` also indexes transactions.
      const transactions = { topic: "xrpl.mainnet.transactions", partition: 0 }
      yield* append(transactions.topic, 4, 30_000)
      assert.deepStrictEqual(yield* waits("service"), { events: [30, 4] })
      const positions = [{ ...transactions, offset: 4 }]
      yield* log.transaction({ append: [], commit: { group: EVENT_LOG_GROUP, positions } })

      // A process says how late it is itself: it may have taken what is before it in the log.
      yield* append("webhooks.deliveries", 40, 90_000)
      assert.deepStrictEqual(yield* waits("service"), {})
      yield* runs(roles, { deliver: 45_000, delay: 0, outbox: 12_000 })
      assert.deepStrictEqual(yield* waits("service"), { deliver: [45, 40], outbox: [12, 1] })
      yield* runs(roles.filter((role) => role !== "deliver"))
      assert.deepStrictEqual(yield* waits("service"), { deliver: [90, 40] })
    })
  )

  it.effect("tells jobs and mails that wait for the service from those that wait for others", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* runs(roles, { deliver: 0, delay: 0, outbox: 0 })
      yield* insertAccount("acct_1")
      const job = (id: string, leaseUntil: string) => sql`
        INSERT INTO replay_jobs (id, account_id, webhook_id, network, status, event_ids, total_events, end_offset,
                                 created_at, lease_until)
        VALUES (${id}, 'acct_1', 'wh_1', 'mainnet', 'running', '{}', 0, 0, now() - interval '1 hour',
                ${sql.literal(leaseUntil)})`
      yield* job("worked at", "now() + interval '1 minute'")
      assert.deepStrictEqual([yield* waits("service"), yield* waits("webhook")], [{}, { replay: [0, 1] }])
      yield* job("left alone", "now() - interval '150 seconds'")
      yield* job("waits for history", "NULL")
      yield* sql`
        INSERT INTO history_requests (job_id, network, since_ms, state) VALUES ('waits for history', 'mainnet', 0, 'open')`
      const mail = (cause: string, error: string | null) => sql`
        INSERT INTO mails (cause, account_id, subject, body, created_at, next_attempt_at, last_error)
        VALUES (${cause}, 'acct_1', '', '', now() - interval '1 hour', now() - interval '10 seconds', ${error})`
      yield* mail("new", null)
      assert.deepStrictEqual(yield* waits("service"), { replay: [150, 1], notices: [10, 1] })
      yield* mail("refused", "550 no")
      assert.deepInclude((yield* readFacts(Effect.succeed([]))).facts.outside, {
        part: "mail",
        state: "failed",
        sentence:
          "The mail server does not take 1 mail, the oldest for 1 h 0 min: 550 no. They are tried again for three days; correct SMTP_URL or MAIL_FROM."
      })
      yield* sql`DELETE FROM mails`
      yield* sql`DELETE FROM history_requests`
      yield* sql`DELETE FROM replay_jobs`
    })
  )

  it.effect("is not held up by a schema registry that hangs", () =>
    Effect.gen(function* () {
      const hangs = yield* Effect.acquireRelease(
        Effect.callback<Server>((resume) => {
          const server = createServer(() => {}).listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
        }),
        (server) =>
          Effect.sync(() => {
            server.closeAllConnections()
            server.close()
          })
      )
      // The cast is safe: a server that listens on TCP has an `AddressInfo`.
      const { port } = hangs.address() as AddressInfo
      const part = yield* makeRegistryPart.pipe(
        Effect.provide(
          settingsLayer({ KAFKA_BROKERS: "127.0.0.1:1", SCHEMA_REGISTRY_URL: `http://127.0.0.1:${port}` })
        )
      )
      const asking = yield* Effect.forkChild(part, { startImmediately: true })
      yield* TestClock.adjust(Limits.reportMs / 2)
      const [found] = yield* Fiber.join(asking)
      assert.deepInclude(found, { part: "registry", state: "failed" })
    }).pipe(Effect.scoped)
  )

  it.effect("is stored for all faces, shown as metrics, and ends with its maker", () =>
    Effect.gen(function* () {
      const reported = Effect.map(readReport, (stored) => stored?.report)
      yield* runs(roles.filter((role) => role !== "deliver"))
      const maker = yield* Effect.forkScoped(report)
      yield* eventuallyAdvancing(
        Effect.map(reported, (found) => found?.ok === false),
        Limits.reportMs
      )
      assert.deepStrictEqual(
        (yield* reported)?.findings.map(({ what }) => what),
        ["role deliver"]
      )
      const text = yield* PrometheusMetrics.format()
      assert.include(text, 'ledgerhook_processes{role="deliver"} 0')
      assert.include(text, 'ledgerhook_webhooks{health="failing"} 0')
      assert.match(text, /^ledgerhook_oldest_seconds\{stage="deliver",network="",because="service"\} \d/m)
      assert.match(
        text,
        /^ledgerhook_oldest_seconds\{stage="route",network="mainnet",because="service"\} 0$/m
      )

      yield* runs(roles, { deliver: 0, delay: 0, outbox: 0 })
      yield* eventuallyAdvancing(
        Effect.map(reported, (found) => found?.ok === true),
        Limits.reportMs
      )
      yield* Fiber.interrupt(maker)
      assert.notInclude(yield* PrometheusMetrics.format(), "ledgerhook_oldest_seconds{")
    })
  )
})
