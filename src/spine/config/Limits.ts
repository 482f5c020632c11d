/**
 * The limits of the program, each with a name, a unit and the reason. Limits that a test may want to lower are in
 * StageLimits and StreamLimits, which stages and streams read from their context. Pure functions get limits as
 * arguments. Tests never mock this module. What follows from a limit is computed where it is used. A number that is a
 * detail of one algorithm is a constant beside it.
 */

import { webhookBounds } from "../../features/webhooks/Limits.ts"
import { apiKeyBounds } from "../domain/ApiKey.ts"
import { replayBounds } from "../domain/Replay.ts"
import { sessionBounds } from "../domain/Session.ts"
import { bookingBounds } from "../event/Booking.ts"
import { backfillLimits } from "./BackfillLimits.ts"
import { commandLimits } from "./CommandLimits.ts"
import { connectionLimits } from "./ConnectionLimits.ts"
import { healthLimits } from "./HealthLimits.ts"
import { ledgerLimits } from "./LedgerLimits.ts"
import { netLimits } from "./NetLimits.ts"
import { stageLimits } from "./StageLimits.ts"
import { storageLimits } from "./StorageLimits.ts"

export const Limits = {
  // --- the log
  /** Records that one read of the whole log fetches, and that one row of the embedded log has. */
  logReadRecords: 500,
  /**
   * Bytes of records that are handled at once: of one fetch from Kafka, one read of a compacted topic in the embedded
   * log, one transaction that publishes the outbox, and the transactions of several ledgers (RAW_TRANSACTIONS) in one
   * transaction of the log; and those of a partition that the embedded log caches. One record may have 370 KB of
   * filters, or 8 MiB of metadata.
   */
  recordsBytes: 4 * 1024 * 1024,
  /**
   * Bytes of one partition in a request to Kafka, whose default limit is 1 MB, and value bytes of one row of the
   * embedded log.
   */
  logBatchBytes: 900 * 1024,
  /**
   * Records of one partition that are in memory: the newest ones that the embedded log caches, so that readers at its
   * end need no table, and those fetched from Kafka that wait for their reader. With 2,000, a process with ten busy
   * webhooks took 30 MB more.
   */
  partitionRecords: 1_000,
  /** Transactions queued for the log's writer. Further callers wait. */
  logQueuedTransactions: 1_000,
  /** Records in one group commit of the embedded log. A transaction then takes less than about 10 ms. */
  embeddedLogBatchRecords: 2_000,
  /**
   * Records of one Kafka transaction, and events of one history range. Kafka takes about 10 ms for it, so transactions
   * that wait are joined.
   */
  transactionRecords: 5_000,
  /** The waits between tries of one step of a transaction, while its coordinator is busy or moving. */
  kafkaStepWaitMs: { first: 4, longest: 250 },
  /** The timeout of a request to Kafka, or to the schema registry at the start. */
  kafkaRequestMs: 15_000,
  /** The timeout of a connection to Kafka. */
  kafkaConnectMs: 5_000,
  /** How long a member may take to release a partition. It first finishes the attempts in flight (`drainMs`). */
  kafkaRebalanceMs: 60_000,
  /**
   * Covered ledger ranges that are listed for one network. There is one, unless an operator started again elsewhere.
   */
  ledgerRanges: 100,
  /** How long a tombstone is kept before compaction removes it, for readers that lag. It is Kafka's default. */
  tombstoneKeptMs: 24 * 3_600_000,

  // --- ledgers in
  ...ledgerLimits,
  /** Limits of what an event has beside its payload. */
  ...bookingBounds,

  // --- stages
  ...stageLimits,

  // --- deliveries
  /** Bytes of a response body that are kept. The rest is not read. */
  responseBodyBytes: 16 * 1024,
  /** Characters of the body shown for each attempt in a delivery's history, which may have dozens of attempts. */
  attemptBodyCharacters: 2_048,
  /**
   * How many headers of the response of a success are kept, and the characters of their names and values together: its
   * row must find room on its page (deliveries/Partitions.ts).
   */
  deliveredHeaders: { headers: 16, characters: 192 },
  /** Bytes of a response outside its body: headers, earlier responses, chunk extensions. */
  responseOverheadBytes: 64 * 1024,
  ...netLimits,
  /** The longest time that `Retry-After` can add to a delay of the schedule. */
  retryAfterAddsMs: 10 * 60_000,
  /** How long deliveries wait for a webhook that is disabled or paused. Then they end as `failed`. */
  stoppedQueueMs: 7 * 24 * 3_600_000,
  /**
   * How long deliver may use its view of the webhooks after confirming it. It is confirmed again after half of that,
   * but not while idle.
   */
  webhookViewLeaseMs: 1_000,

  // --- replay
  /** Limits of one replay request. */
  ...replayBounds,
  /** Replay jobs that one process works on at a time. Each has a batch in memory. */
  replayJobs: 8,
  /** Events queued in one batch of a job. A batch ends within about 100 ms. */
  replayBatchEvents: 250,
  /**
   * Deliveries of a job that may wait for their first attempt. The limit allows thousands of deliveries a second and
   * keeps a replay from filling tables and log faster than its receiver accepts.
   */
  replayAhead: 1_000,
  /** The most events that a job may look up: it keeps the list of their ledgers in memory. */
  replayLookups: 50_000,
  /** Rows that one count reads: about 0.2 s. If there are more, it says "at least". */
  countedRows: 100_000,

  // --- history for replays
  ...backfillLimits,

  // --- quota and mail
  /** How often holds of accounts are read: an account overshoots its quota by what it sends in this time. */
  accountHoldsMs: 1_000,
  /** How often accounts that have reached a part of their quota are looked up. */
  quotaNoticesMs: 10_000,
  /** How often incidents are looked up that accounts must be notified of: they are reported at most this late. */
  incidentNoticesMs: 30_000,
  /** Spans in which a webhook was failing are one incident if they are less than this apart. */
  incidentGapMs: 5 * 60_000,
  /** How long incidents and gaps of webhooks are kept: a year can be compared with the one before. */
  incidentsKeptMs: 400 * 24 * 3_600_000,
  /** Waiting deliveries of a webhook that its progress counts at most: about 5 ms. */
  progressCounted: 10_000,
  /** Gaps that are kept of a webhook, newest first. */
  gapsKept: 100,
  /**
   * How often work is looked up that may be a minute late: failing webhooks, webhooks half-way to being disabled,
   * secrets whose grace has ended, and schemas that the registry lacks (three requests for each).
   */
  sweepMs: 60_000,
  /**
   * How long a mail server, or the receiver of a notice, may take, as for a delivery attempt. A process that stops waits
   * for it, within `shutdownMs`.
   */
  mailSendMs: 10_000,
  /** How long a process may own a mail or a notice. After that it is taken for dead, and another process sends it. */
  mailLeaseMs: 60_000,
  /** Waits between attempts to send a mail or a notice. After three days it is given up. */
  mailRetryDelaysMs: [1, 5, 15, 60, 180, 360, 720, 1_440, 1_440].map((minutes) => minutes * 60_000),
  /** Characters that are kept of an error or of another reason. */
  errorLength: 500,
  /** How long notices are kept: they are retried for three days. */
  noticesKeptMs: 7 * 24 * 3_600_000,
  /** How long mails are kept: longer than a month, because they record which quota notices an account got. */
  mailsKeptMs: 90 * 24 * 3_600_000,

  // --- storage
  ...storageLimits,

  // --- API
  /** A request body. */
  requestBodyBytes: 1024 * 1024,
  /** Limits of one webhook. The plan (domain/Plans.ts) limits how many an account has. */
  ...webhookBounds,
  /** Limits of one API key. The plan (domain/Plans.ts) limits how many an account has. */
  ...apiKeyBounds,
  /** Limits of sessions of the dashboard. */
  ...sessionBounds,
  /** Requests that wait for admission. One statement admits all of them. Any further request gets a 503. */
  admissionQueue: 5_000,
  /** If the database does not answer `/readyz` within this time, it counts as unavailable. */
  readyCheckMs: 2_000,
  /**
   * How long requests in flight, or the embedded server, may take when the process stops. The rest of `shutdownMs` is
   * for the stages.
   */
  stopPartMs: 10_000,
  /** The longest time between a request's first and last byte, so that slow senders cannot block connections. */
  requestReceiveMs: 30_000,

  ...connectionLimits,
  /**
   * Requests of one heavy kind that run at the same time. Others wait. A filter preview parses up to 10,000 events:
   * about 0.2 s of a core. A search among 100,000 webhooks takes the database about 0.1 s. An explanation that searches
   * for a transaction among the events of a month reads about 100 MB.
   */
  heavyRequestsAtOnce: 2,
  /** Records that a preview or a replay job parses before other work runs: 1 to 3 ms. */
  parsedRecords: 200,
  /** Characters of one path segment. The longest id is an event's, about 110. */
  pathSegmentLength: 256,
  /** Files and bytes of the built dashboard, which the process keeps in memory. Today's build has less than 2 MB. */
  dashboard: { files: 500, bytes: 16 * 1024 * 1024 },

  // --- traces and metrics
  /** Sampling and sending of traces and metrics. A span has about 1 KB, so a few MB wait while the endpoint hangs. */
  telemetry: {
    tracesPerSecond: 5,
    spansPerSecond: 100,
    tracesEveryMs: 5_000,
    metricsEveryMs: 10_000,
    requestMs: 5_000,
    /** After all other parts have ended, within `shutdownMs`. */
    lastRequestMs: 1_000
  },

  // --- health
  ...healthLimits,

  // --- command line
  ...commandLimits,

  // --- messages
  /**
   * A repeated warning is logged once in `windowMs`. The second limit is the number of different warnings that are
   * remembered.
   */
  repeatedMessages: { windowMs: 10_000, messages: 1_000 },

  // --- process
  /** First and longest wait before a failed role, or a start that waits, is tried again. */
  roleRestartMs: { first: 200, longest: 5_000 },
  /**
   * How long something must last before the process reports it as failed or degraded: a role that fails
   * (`/readyz/traffic`), a slow database, a head that is this old, or catching up that has not progressed (`/readyz`).
   */
  troubleMs: 60_000,
  /** How long the database must fail, for the API, before `/readyz/traffic` does. */
  databaseFailedMs: 10_000,
  /**
   * How long the API of one of several processes serves on after `/readyz` says that it stops: two checks of a load
   * balancer that asks every second. With `drainMs` it fits into `shutdownMs`.
   */
  stopNoticeMs: 3_000,
  /** The longest time between SIGTERM and the end of the process. */
  shutdownMs: 15_000
} as const
