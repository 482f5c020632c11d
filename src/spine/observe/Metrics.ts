/**
 * The metrics of the spine, in the order in which docs/operations.md shows them; those of the API and of features stand
 * in their folders. A name contains the base unit (seconds, bytes); counters end in `_total`. A metric is filled where
 * its thing happens: search for `Metrics.<key>`.
 */
import { eventTypes } from "../event/EventType.ts"
import { counter, gauge, histogram } from "./MetricKinds.ts"

export const network = "`mainnet`, `testnet`, `devnet`"
export const outcomes = ["delivered", "retrying", "failed"] as const
const pool = ["main", "read"] as const
/** In one list, also those of features: rows of `quarantine` are stored with these names. */
export const deadLetterStages = ["ingest", "events", "route", "replay", "deliver", "alerts"] as const

/** Seconds. An attempt may take 10 s by default. */
export const durations = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
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
  kafkaThrottled: counter(
    "ledgerhook_kafka_throttled_seconds_total",
    "How long Kafka's brokers have made requests of this process wait, because a quota limits its user"
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

  // --- dead letters
  deadLetters: counter(
    "ledgerhook_quarantined_total",
    "Records that became dead letters, because they could not be read or stored",
    { stage: deadLetterStages }
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
