/** Every table has something that bounds it. A new table needs a row here, with the file of src that keeps the bound. */
import { readFileSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestDatabase } from "../support/postgres.ts"

const bounds: Readonly<Record<string, readonly [bound: string, file: string, statement: string]>> = {
  accounts: ["only the operator makes accounts", "storage/accounts/AccountStore.ts", "INSERT INTO accounts"],
  api_keys: [
    "those in use by the plan. Revoked ones stay, as a record of who had access",
    "storage/accounts/ApiKeyStore.ts",
    "limits"
  ],
  sessions: ["100 for each key, and 12 hours", "storage/accounts/SessionStore.ts", "DELETE FROM sessions"],
  key_usage: ["a row for each key", "storage/accounts/ApiKeyStore.ts", "INSERT INTO key_usage"],
  delivery_usage: [
    "a row for each account and month",
    "storage/deliveries/RecordAttempts.ts",
    "ON CONFLICT (account_id, month)"
  ],
  delivery_usage_days: [
    "31 rows for each account",
    "storage/deliveries/RecordAttempts.ts",
    "ON CONFLICT (account_id, day_of_month)"
  ],
  account_usage: ["a row for each account", "storage/accounts/KeyAdmission.ts", "ON CONFLICT (account_id)"],
  mails: ["90 days", "storage/accounts/MessageQueue.ts", "DELETE FROM"],
  notices: ["7 days", "storage/accounts/MessageQueue.ts", "DELETE FROM"],
  notice_urls: ["a row for each account", "storage/accounts/NoticeStore.ts", "ON CONFLICT (account_id)"],
  idempotency_answers: [
    "24 hours",
    "storage/accounts/IdempotencyStore.ts",
    "DELETE FROM idempotency_answers"
  ],
  webhooks: [
    "those present by the plan. Deleted ones lose their content, and go with their deliveries",
    "storage/EndedRows.ts",
    "DELETE FROM webhooks"
  ],
  incidents: ["400 days", "storage/EndedRows.ts", "DELETE FROM incidents"],
  webhook_gaps: ["100 for each webhook, and 400 days", "storage/EndedRows.ts", "DELETE FROM webhook_gaps"],
  routed_ledgers: ["a row for each network", "storage/webhooks/GapStore.ts", "ON CONFLICT (network)"],
  deliveries: ["RETENTION_DELIVERIES", "storage/deliveries/Partitions.ts", '"deliveries"'],
  attempts: ["RETENTION_DELIVERIES", "storage/deliveries/Partitions.ts", '"attempts"'],
  delivery_totals: ["RETENTION_DELIVERIES", "storage/deliveries/Partitions.ts", '"delivery_totals"'],
  delivery_type_totals: [
    "RETENTION_DELIVERIES",
    "storage/deliveries/Partitions.ts",
    '"delivery_type_totals"'
  ],
  delivery_waiting: ["RETENTION_DELIVERIES", "storage/deliveries/Partitions.ts", '"delivery_waiting"'],
  delivery_changes: [
    "added to the totals every 2 s",
    "storage/deliveries/DeliveryTotals.ts",
    "DELETE FROM delivery_changes"
  ],
  replay_jobs: [
    "RETENTION_DELIVERIES, and 10,000 ended ones for each account",
    "storage/EndedRows.ts",
    "DELETE FROM replay_jobs"
  ],
  retried_deliveries: ["RETENTION_DELIVERIES", "storage/EndedRows.ts", "DELETE FROM retried_deliveries"],
  job_changes: ["added to the jobs every 2 s", "storage/replays/JobEnds.ts", "DELETE FROM job_changes"],
  history_requests: ["go with their job", "storage/EndedRows.ts", "DELETE FROM history_requests"],
  history_stretches: [
    "go with their ledgers",
    "storage/events/BackfillStore.ts",
    "DELETE FROM history_stretches"
  ],
  events: ["RETENTION_EVENTS", "storage/events/EventIndex.ts", '"events"'],
  event_accounts: ["RETENTION_EVENTS", "storage/events/EventIndex.ts", '"event_accounts"'],
  transactions: ["RETENTION_TRANSACTIONS", "storage/events/TransactionIndex.ts", '"transactions"'],
  event_hours: ["RETENTION_EVENTS", "storage/events/EventIndex.ts", "DELETE FROM event_hours"],
  skipped_ledgers: [
    "a row for each order of an operator",
    "storage/events/SkippedLedgers.ts",
    "ON CONFLICT (network, ledger_index)"
  ],
  chain_restarts: ["a row for each network", "storage/events/ChainRestarts.ts", "ON CONFLICT (network)"],
  detection_alerts: ["the newest 10,000", "storage/events/AlertStore.ts", "DELETE FROM detection_alerts"],
  quarantine: ["the newest 1,000", "storage/DeadLetters.ts", "DELETE FROM quarantine"],
  quarantine_beyond: ["one row", "storage/migrations/0008_coordination.ts", "only_row"],
  outbox: ["deleted once published", "storage/outbox/Outbox.ts", "DELETE FROM outbox"],
  leases: ["a row for each job that one process does", "storage/Leases.ts", "ON CONFLICT (name)"],
  report: ["one row", "storage/migrations/0013_report.ts", "only_row boolean PRIMARY KEY CHECK (only_row)"],
  processes: ["a day after the process ended", "storage/Processes.ts", "DELETE FROM processes"],
  networks: ["a row for each network", "storage/Networks.ts", "ON CONFLICT (network)"],
  log_identity: ["one row", "storage/migrations/0007_log.ts", "only_row"],
  log_owner: ["one row", "storage/migrations/0007_log.ts", "only_row"],
  log_ends: ["a row for each partition of a topic", "log/embedded/Tables.ts", "log_ends"],
  log_commits: ["a row for each group and partition", "log/embedded/Tables.ts", "log_commits"],
  log_work: ["7 or 8 days", "log/embedded/LogTablePartitions.ts", "log_work"],
  log_history: ["RETENTION_EVENTS", "log/embedded/LogTablePartitions.ts", "log_history"],
  log_transactions: ["RETENTION_TRANSACTIONS", "log/embedded/LogTablePartitions.ts", "log_transactions"],
  log_compacted: [
    "the newest record of each key",
    "log/embedded/LogTablePartitions.ts",
    "DELETE FROM log_compacted"
  ],
  migrations: ["a row for each migration", "storage/Migrations.ts", '"migrations"']
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
