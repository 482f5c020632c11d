/**
 * All metrics of the program in one table, in the order in which docs/operations.md shows them. A name contains the
 * base unit (seconds, bytes); counters end in `_total`. A metric is filled where its thing happens: search for
 * `Metrics.<key>`. A metric "of one process" is shown by the process that has the lease `retention`, because its
 * number is that of the whole service.
 */
import { roles } from "../config/Definitions.ts"
import { healthStates } from "../domain/HealthState.ts"
import { becauseOf, stages } from "../domain/Stages.ts"
import { eventTypes } from "../event/EventType.ts"
import { counter, gauge, histogram } from "./MetricKinds.ts"

const network = "`mainnet`, `testnet`, `devnet`"
export const outcomes = ["delivered", "retrying", "failed"] as const
const pool = ["main", "read"] as const
const route = "the path in the API's contract, or `other`"

const parts = "`database`, `log`, `ledger.<network>`, `registry`, `mail`, `keys`, `clock`, `disk`"

/** Seconds. An attempt may take 10 s by default. */
const durations = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
/** Seconds. Most statements take a few milliseconds. */
const statementDurations = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]
/** Seconds. A ledger is announced a second or two after its close time; a backlog may delay events for hours. */
const delays = [0.5, 1, 1.5, 2, 3, 4, 5, 7.5, 10, 15, 30, 60, 300, 1_800, 7_200]

export type StatusClass = "2xx" | "3xx" | "4xx" | "5xx" | "none"
const statusClasses = ["2xx", "3xx", "4xx", "5xx", "none"] as const

/** `none`: there was no response. */
export const statusClassOf = (status: number | null): StatusClass =>
  statusClasses[Math.floor((status ?? 0) / 100) - 2] ?? "none"

export const Metrics = {
  // --- the report of the whole service
  oldestSeconds: gauge(
    "ledgerhook_oldest_seconds",
    "How long the oldest item of a stage has been due: because of the service itself, of a webhook (its speed, rate, " +
      "failures or quota) or of the world outside. Of one process",
    { stage: stages, network: `${network}, or nothing`, because: becauseOf }
  ),
  waiting: gauge("ledgerhook_waiting", "Items that wait in a stage. Of one process", {
    stage: stages,
    network: `${network}, or nothing`,
    because: becauseOf
  }),
  backlogLeft: gauge(
    "ledgerhook_backlog_left_seconds",
    "When what waits because of the service will be gone, at the rate of the last minutes. +Inf: it does not shrink. " +
      "NaN: unknown. Of one process",
    { stage: stages, network: `${network}, or nothing` }
  ),
  processes: gauge("ledgerhook_processes", "Processes that do the work of a role. Of one process", {
    role: roles
  }),
  partOk: gauge("ledgerhook_part_ok", "1 if what this process needs works, 0 if it has failed", {
    part: parts
  }),
  partDegraded: gauge("ledgerhook_part_degraded", "1 if it works, but slowly or not for everything", {
    part: parts
  }),
  webhooks: gauge("ledgerhook_webhooks", "Webhooks in each state of health. Of one process", {
    health: healthStates
  }),
  webhookHosts: gauge(
    "ledgerhook_webhook_hosts",
    "Hosts of webhooks that something was sent to within the last hour, and those of them that fail. Of one process",
    { state: ["failing", "all"] }
  ),

  // --- ledgers
  newestLedger: gauge(
    "ledgerhook_newest_ledger_index",
    "Index of the newest ledger whose events are in the log. Shown by the process that ingests the network",
    { network }
  ),
  newestLedgerAge: gauge(
    "ledgerhook_newest_ledger_age_seconds",
    "Time since that ledger closed. NaN while a simulated network is idle",
    { network }
  ),
  ledgerRate: gauge("ledgerhook_ledgers_per_second", "Ledgers taken a second, over the last 30 s", {
    network
  }),
  ledgersTaken: counter("ledgerhook_ledgers_taken_total", "Ledgers whose events are in the log", { network }),
  eventsDetected: counter("ledgerhook_events_detected_total", "Events appended to the log", {
    network,
    type: eventTypes
  }),
  transactionsRecorded: counter(
    "ledgerhook_transactions_recorded_total",
    "Transactions appended to the log, with RAW_TRANSACTIONS",
    { network }
  ),
  detectionAlerts: counter(
    "ledgerhook_detection_alerts_total",
    "Events withheld because the ledger data is ambiguous or the event does not match its published schema",
    { network }
  ),
  ledgerConnectionsLost: counter(
    "ledgerhook_ledger_connections_lost_total",
    "Connections to ledger servers that failed or ended. The log says which server and why",
    { network, reason: "the reason, as in the log" }
  ),

  // --- deliveries
  serviceDelay: histogram(
    "ledgerhook_service_delay_seconds",
    "Time from the close of an event's ledger to the start of the first attempt to deliver it. Only live deliveries " +
      "whose webhook could take them at once: its concurrency limit, rate and batches, and what waits for it, do not count",
    delays,
    { network }
  ),
  deliveryAttempts: counter("ledgerhook_delivery_attempts_total", "Recorded delivery attempts", {
    outcome: outcomes,
    status_class: statusClasses
  }),
  attemptDuration: histogram(
    "ledgerhook_delivery_attempt_duration_seconds",
    "How long recorded delivery attempts took",
    durations,
    { outcome: outcomes }
  ),
  lanes: gauge("ledgerhook_delivery_lanes", "Webhooks that have deliveries in this process's memory"),
  attemptsInFlight: gauge(
    "ledgerhook_delivery_attempts_in_flight",
    "Attempts that have started and are not recorded"
  ),
  disabledWebhooks: counter(
    "ledgerhook_webhooks_disabled_total",
    "Webhooks that the service disabled after consecutive failures"
  ),

  // --- dead letters, jobs and mails
  deadLetters: counter(
    "ledgerhook_quarantined_total",
    "Records that became dead letters, because they could not be read or stored",
    { stage: ["ingest", "events", "route", "replay", "deliver", "alerts"] }
  ),
  replayJobs: gauge("ledgerhook_replay_jobs", "Replay and retry jobs that have not ended. Of one process", {
    state: ["queued", "running"]
  }),
  mails: counter(
    "ledgerhook_mails_total",
    "Attempts to send a mail to an account. `logged`: there is no server, or no address",
    { outcome: ["sent", "logged", "retrying", "given up"] }
  ),
  // --- the API
  apiRequests: counter(
    "ledgerhook_api_requests_total",
    "Requests to the API. `status` 429: over the rate limit of the key",
    { method: "the HTTP method, or `other`", route, status: "the HTTP status" }
  ),
  apiDuration: histogram(
    "ledgerhook_api_request_duration_seconds",
    "Time until the response to a request to the API was made",
    durations,
    { route }
  ),
  streamsEnded: counter(
    "ledgerhook_streams_ended_total",
    "Streams of events and of ledgers that have ended. `reader`: the reader closed it",
    { reason: ["reader", "slow", "stalled", "key", "unchecked", "log", "stop"] }
  ),

  // --- the database
  poolInUse: gauge(
    "ledgerhook_database_pool_in_use",
    "Statements and transactions that use a connection of the pool now. `read`: the API's lookups",
    { pool }
  ),
  poolWaiting: gauge(
    "ledgerhook_database_pool_waiting",
    "Statements and transactions that wait for a connection of the pool",
    { pool }
  ),
  statementDuration: histogram(
    "ledgerhook_database_statement_duration_seconds",
    "How long statements took, without the wait for a connection",
    statementDurations,
    { pool }
  ),

  // --- the process
  eventLoopDelay: gauge(
    "ledgerhook_event_loop_delay_p99_seconds",
    "How late the event loop was: 99th percentile of the last 10 s"
  ),
  eventLoopDelayMax: gauge(
    "ledgerhook_event_loop_delay_max_seconds",
    "How late the event loop was: maximum of the last 10 s"
  ),
  residentMemory: gauge("process_resident_memory_bytes", "Memory of the process"),
  heapUsed: gauge("nodejs_heap_size_used_bytes", "Memory that JavaScript objects use"),
  cpu: counter("process_cpu_seconds_total", "CPU time of the process, user and system"),
  startTime: gauge("process_start_time_seconds", "When the process started, in seconds since 1970"),
  dataFree: gauge("ledgerhook_data_free_bytes", "Free disk space at DATA_DIR, with the embedded PostgreSQL"),
  dataSize: gauge("ledgerhook_data_size_bytes", "Size of that disk"),
  buildInfo: gauge("ledgerhook_build_info", "Always 1. The labels say which version runs where", {
    version: "the version of Ledgerhook",
    node: "the version of Node",
    roles: "the roles of the process, separated by commas",
    host: "the name of its host"
  })
} as const
