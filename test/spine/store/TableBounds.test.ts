/** Every table has something that bounds it. A new table needs a row here, with the file of src that keeps the bound. */
import { readFileSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestDatabase } from "../../support/store/postgres.ts"

/** In one list, because it is compared with the tables of the whole database. */
const bounds: Readonly<Record<string, readonly [bound: string, file: string, statement: string]>> = {
  accounts: ["only the operator makes accounts", "features/accounts/AccountStore.ts", "INSERT INTO accounts"],
  api_keys: [
    "those in use by the plan. Revoked ones stay, as a record of who had access",
    "features/accounts/ApiKeyStore.ts",
    "limits"
  ],
  sessions: ["100 for each key, and 12 hours", "features/accounts/SessionStore.ts", "DELETE FROM sessions"],
  key_usage: ["a row for each key", "features/accounts/ApiKeyStore.ts", "INSERT INTO key_usage"],
  delivery_usage: [
    "a row for each account and month",
    "spine/deliveries/AttemptUsage.ts",
    "ON CONFLICT (account_id, month)"
  ],
  delivery_usage_days: [
    "31 rows for each account",
    "spine/deliveries/AttemptUsage.ts",
    "ON CONFLICT (account_id, day_of_month)"
  ],
  account_usage: ["a row for each account", "http/guard/KeyAdmission.ts", "ON CONFLICT (account_id)"],
  mails: ["90 days", "features/health/notify/MessageQueue.ts", "DELETE FROM"],
  notices: ["7 days", "features/health/notify/MessageQueue.ts", "DELETE FROM"],
  notice_urls: [
    "a row for each account",
    "features/health/notify/NoticeStore.ts",
    "ON CONFLICT (account_id)"
  ],
  idempotency_answers: ["24 hours", "http/IdempotencyStore.ts", "DELETE FROM idempotency_answers"],
  webhooks: [
    "those present by the plan. Deleted ones lose their content, and go with their deliveries",
    "spine/store/EndedRows.ts",
    "DELETE FROM webhooks"
  ],
  incidents: ["400 days", "spine/store/EndedRows.ts", "DELETE FROM incidents"],
  webhook_gaps: [
    "100 for each webhook, and 400 days",
    "spine/store/EndedRows.ts",
    "DELETE FROM webhook_gaps"
  ],
  routed_ledgers: ["a row for each network", "spine/registry/GapStore.ts", "ON CONFLICT (network)"],
  lost_ledgers: ["400 days", "spine/store/EndedRows.ts", "DELETE FROM lost_ledgers"],
  log_places: ["a row for each topic", "spine/registry/LogPlaces.ts", "ON CONFLICT (topic)"],
  deliveries: ["RETENTION_DELIVERIES", "spine/deliveries/Partitions.ts", '"deliveries"'],
  attempts: ["RETENTION_DELIVERIES", "spine/deliveries/Partitions.ts", '"attempts"'],
  delivery_totals: ["RETENTION_DELIVERIES", "spine/deliveries/Partitions.ts", '"delivery_totals"'],
  delivery_type_totals: ["RETENTION_DELIVERIES", "spine/deliveries/Partitions.ts", '"delivery_type_totals"'],
  delivery_waiting: ["RETENTION_DELIVERIES", "spine/deliveries/Partitions.ts", '"delivery_waiting"'],
  delivery_changes: [
    "added to the totals every 2 s",
    "features/statistics/DeliveryTotals.ts",
    "DELETE FROM delivery_changes"
  ],
  replay_jobs: [
    "RETENTION_DELIVERIES, and 10,000 ended ones for each account",
    "spine/store/EndedRows.ts",
    "DELETE FROM replay_jobs"
  ],
  retried_deliveries: ["RETENTION_DELIVERIES", "spine/store/EndedRows.ts", "DELETE FROM retried_deliveries"],
  job_changes: ["added to the jobs every 2 s", "features/replay/JobEnds.ts", "DELETE FROM job_changes"],
  history_requests: ["go with their job", "spine/store/EndedRows.ts", "DELETE FROM history_requests"],
  history_stretches: [
    "go with their ledgers",
    "spine/ledger/backfill/BackfillStore.ts",
    "DELETE FROM history_stretches"
  ],
  events: ["RETENTION_EVENTS", "features/events/EventIndex.ts", '"events"'],
  event_accounts: ["RETENTION_EVENTS", "features/events/EventIndex.ts", '"event_accounts"'],
  transactions: ["RETENTION_TRANSACTIONS", "features/events/TransactionIndex.ts", '"transactions"'],
  event_hours: ["RETENTION_EVENTS", "features/events/EventIndex.ts", "DELETE FROM event_hours"],
  skipped_ledgers: [
    "a row for each order of an operator",
    "features/events/SkipOrders.ts",
    "ON CONFLICT (network, ledger_index)"
  ],
  chain_restarts: ["a row for each network", "features/events/ChainRestarts.ts", "ON CONFLICT (network)"],
  detection_alerts: ["the newest 10,000", "features/events/AlertStore.ts", "DELETE FROM detection_alerts"],
  quarantine: ["the newest 1,000", "spine/store/DeadLetters.ts", "DELETE FROM quarantine"],
  quarantine_beyond: ["one row", "spine/store/migrations/0008_coordination.ts", "only_row"],
  outbox: ["deleted once published", "spine/store/outbox/Outbox.ts", "DELETE FROM outbox"],
  leases: ["a row for each job that one process does", "spine/store/Leases.ts", "ON CONFLICT (name)"],
  report: [
    "one row",
    "spine/store/migrations/0013_report.ts",
    "only_row boolean PRIMARY KEY CHECK (only_row)"
  ],
  processes: ["a day after the process ended", "features/operate/ProcessRows.ts", "DELETE FROM processes"],
  networks: ["a row for each network", "features/operate/NetworkRows.ts", "ON CONFLICT (network)"],
  log_identity: ["one row", "spine/store/migrations/0007_log.ts", "only_row"],
  log_owner: ["one row", "spine/store/migrations/0007_log.ts", "only_row"],
  log_ends: ["a row for each partition of a topic", "spine/log/embedded/Tables.ts", "log_ends"],
  log_commits: ["a row for each group and partition", "spine/log/embedded/Tables.ts", "log_commits"],
  log_work: ["7 or 8 days", "spine/log/embedded/LogTablePartitions.ts", "log_work"],
  log_history: ["RETENTION_EVENTS", "spine/log/embedded/LogTablePartitions.ts", "log_history"],
  log_transactions: [
    "RETENTION_TRANSACTIONS",
    "spine/log/embedded/LogTablePartitions.ts",
    "log_transactions"
  ],
  log_compacted: [
    "the newest record of each key",
    "spine/log/embedded/LogTablePartitions.ts",
    "DELETE FROM log_compacted"
  ],
  migrations: ["a row for each migration", "spine/store/Migrations.ts", '"migrations"']
}

layer(TestDatabase)("every table", (it) => {
  it.effect("is bounded by something that is named here", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tables = yield* sql<{ readonly name: string }>`
        SELECT relname AS name FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`
      assert.sameMembers(
        tables.map(({ name }) => name),
        Object.keys(bounds)
      )
      for (const [table, [, file, statement]] of Object.entries(bounds))
        assert.include(readFileSync(`src/${file}`, "utf8"), statement, table)
    })
  )
})
