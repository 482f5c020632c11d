/**
 * All limits of the program, each with a name, a unit and the reason. Limits that a test may want to lower are in
 * StageLimits and StreamLimits, which stages and streams read from their context. Pure functions get limits as arguments.
 * Tests never mock this module.
 */
import { apiKeyBounds } from "../domain/ApiKey.ts"
import { replayBounds } from "../domain/Replay.ts"
import { webhookBounds } from "../domain/WebhookRules.ts"
import { commandLimits } from "./CommandLimits.ts"
import { connectionLimits } from "./ConnectionLimits.ts"
import { historyLimits } from "./HistoryLimits.ts"
import { stageLimits } from "./StageLimits.ts"
import { storageLimits } from "./StorageLimits.ts"

export const Limits = {
  // --- the log
  /** Records that one read of the whole log fetches. */
  logReadRecords: 500,
  /** Records one group commit of the embedded log writes: keeps a transaction under some 10 ms. */
  embeddedLogBatchRecords: 2_000,
  /** Transactions that wait for the embedded log's writer; more wait in their callers. */
  embeddedLogQueue: 1_000,
  /** Records, and bytes of values, in one row of the embedded log: a row must stay readable in one message. */
  embeddedLogRowRecords: 500,
  embeddedLogRowBytes: 1024 * 1024,
  /** Rows of the embedded log read at once: rows of a quiet log hold a record or two. */
  embeddedLogReadRows: 64,
  /** Bytes of a compacted topic, as they are stored, after which a read ends: one record may hold 370 KB of filters. */
  embeddedLogReadBytes: 4 * 1024 * 1024,
  /** Days in one table partition of the embedded log, for topics that forget within days and for the others. */
  embeddedLogWorkDays: 1,
  embeddedLogHistoryDays: 10,
  /** Recent records per partition that the embedded log serves from memory. */
  embeddedLogTailRecords: 2_000,
  /** Bytes (values) per partition of that tail, so that large events cannot fill the memory. */
  embeddedLogTailBytes: 4 * 1024 * 1024,
  /** Bytes of one fetch from Kafka, and of one partition in it. */
  kafkaFetchBytes: 4 * 1024 * 1024,
  kafkaPartitionBytes: 1024 * 1024,
  /** What a record is taken to need before any was read; and what a read asks for besides: a batch comes whole. */
  kafkaRecordBytes: 1_024,
  kafkaReadSpareBytes: 64 * 1024,
  /** How long a broker holds a fetch back while there is nothing new, well within `kafkaRequestMs`: what idling costs. */
  kafkaFetchWaitMs: 10_000,
  /** First and longest such wait while a partition whose buffer is full is left out of the fetch. */
  kafkaPartialFetchWaitMs: { first: 10, longest: 250 },
  /** Fetched records that wait for a partition's reader, before no more are fetched for it. */
  kafkaBufferRecords: 1_000,
  /** Between looks at whether a transaction has ended: it takes some milliseconds. */
  kafkaUnsettledMs: 3,
  /** A transaction left open (its process died) is aborted by Kafka after this; readers wait for it meanwhile. */
  kafkaTransactionMs: 10_000,
  /** Transactional producers of one process: while one commits, the next are under way. */
  kafkaProducers: 3,
  /** Transactions that wait for a producer; more wait in their callers. */
  kafkaQueuedTransactions: 1_000,
  /** Transactions joined into one, and their records and bytes: a transaction costs some ten milliseconds. */
  kafkaJoinedTransactions: 64,
  kafkaTransactionRecords: 5_000,
  kafkaTransactionBytes: 8 * 1024 * 1024,
  /** Bytes of one batch of one partition: brokers take a megabyte unless told otherwise. */
  kafkaBatchBytes: 900 * 1024,
  /** Tries of one step of a transaction, while its coordinator is busy or moving, and the wait between them. */
  kafkaStepTries: 200,
  kafkaStepWaitMs: { first: 4, longest: 250 },
  /** A request to Kafka that is not answered within this has failed. */
  kafkaRequestMs: 15_000,
  kafkaConnectMs: 5_000,
  /** A request to the schema registry, at the start; and the characters repeated of its reason for a refusal. */
  schemaRegistryMs: 10_000,
  schemaRegistryReasonLength: 300,
  /** Between heartbeats of a group's member: a change of owners takes two or three of them. */
  kafkaHeartbeatMs: 3_000,
  /** A member that has been silent for this long is given up, where the cluster lets us say so: three heartbeats. */
  kafkaMemberMs: 10_000,
  /** How long a member may take to give a partition back: attempts in flight are finished first (`drainMs`). */
  kafkaRebalanceMs: 60_000,
  /** Contiguous ranges of ledgers told of one network: there is one, unless an operator has begun anew. */
  ledgerRanges: 100,
  /** A deleted key's tombstone outlives compaction by this, for readers that lag: Kafka's default as well. */
  tombstoneKeptMs: 24 * 3_600_000,

  // --- ledgers in
  /** A ledger closes every 3 to 5 s: silence for this long means the server or the connection is stuck. */
  ledgerSilenceMs: 20_000,
  /** Answer to one request to a ledger server; a full ledger takes well under a second. */
  ledgerRequestMs: 20_000,
  /** One message of a ledger server. The largest ledger on record here takes 0.5 MB as JSON, its largest transaction 0.8 MB. */
  ledgerMessageBytes: 32 * 1024 * 1024,
  /** Characters of what a ledger server says of an error that are kept. */
  ledgerErrorLength: 300,
  /** First and longest wait between attempts to reach a ledger server. */
  ledgerReconnectMs: { first: 250, longest: 15_000 },
  /** Opening a connection to a ledger server, TLS included. */
  ledgerConnectMs: 10_000,
  /** A server that limits us is left alone this long at first, and at most (public servers ban for a minute or more). */
  ledgerRateLimitedMs: { first: 10_000, longest: 120_000 },
  /** While no server of a network is connected, none is left alone for longer: ingest stands still, and they may be well. */
  ledgerAllAwayMs: 30_000,
  /** A server that has lost the network needs about this long to find it again. */
  ledgerNotSyncedMs: 30_000,
  /** A server of another network, or one that can no longer follow: only its operator mends that. */
  ledgerUnfitServerMs: 60_000,
  /** Tries for a ledger the server does not have yet, before another server is asked. */
  ledgerNotFoundTries: 5,
  /** Waits between those tries: servers behind one balancer differ by up to a second. */
  ledgerNotFoundWaitMs: { first: 250, longest: 1_000 },
  /** Waits between rounds over all servers for a ledger none of them serves. */
  ledgerRoundMs: { first: 1_000, longest: 15_000 },
  /** A ledger that does not link to the one before is fetched again this often. */
  brokenChainRetryMs: 60_000,
  /** A head older than this, or a catch-up that has not moved for this long, is not ready. */
  ledgerHeadAgeMs: 60_000,
  /** Announced hashes and counts kept for checking, newest first: about an hour of them. */
  ledgerAnnouncementsKept: 1_024,
  /** Servers connected at once: the active one and a hot standby. */
  ledgerServersConnected: 2,
  /** A server connected for a ledger the others lack is kept this long after it was last wanted. */
  ledgerServerCalledMs: 60_000,
  /** Up to this many ledgers behind a server's head its `lgrNotFound` may mean "not yet": worth asking again. */
  ledgerNearHead: 5,
  /** Requests to one server at once: public ones allow 2 to 4; halved when it warns of load. */
  ledgerRequestsPerServer: 4,
  /** After this long without a warning of load one more request at once is allowed again. */
  ledgerLoadRecoveryMs: 60_000,
  /** Ledgers being fetched at once, over all servers: what both connected ones take. */
  catchUpParallel: 8,
  /** Fetched ledgers that wait to be committed, besides: a busy ledger takes some MB. */
  catchUpWaiting: 32,
  /** Events in one transaction of several ledgers; the ledger that reaches it is the last in it. */
  catchUpBatchEvents: 1_000,
  /** The pace of catching up is that of the time before. */
  catchUpPaceMs: 30_000,
  /** How often it is logged, and from how many ledgers behind on: fewer are taken before anyone reads it. */
  catchUpReportMs: 5_000,
  catchUpReportedFrom: 20,

  /** Failures in a row after which a command gives a ledger server up. */
  ledgerClientTries: 5,
  /** A command's pause before its next request to a server that warns of load. */
  ledgerClientPauseMs: 2_000,

  // --- the simulated ledger
  /** Time between its ledgers: short, so that a new webhook gets its first event soon. */
  simulatedNetworkCloseMs: 2_000,
  /** Transactions in each: all event types within two minutes, and some 180,000 events a day for a forgotten webhook. */
  simulatedNetworkTransactions: 4,

  // --- stages
  ...stageLimits,

  // --- deliveries
  /** Bytes of a response kept; the rest is not read. */
  responseBodyBytes: 16 * 1024,
  /** Responses before the final one ("103 Early Hints"): a server has a reason for one or two. */
  informationalResponses: 10,
  /** Bytes of a response that are not body: headers (16 KiB at most), responses before it, extensions of its chunks. */
  responseOverheadBytes: 64 * 1024,
  /** What a host name resolves to is used for its time to live, and for this long at most. */
  dnsLongestTtlMs: 60_000,
  /** The same where nobody tells a time to live: what the hosts file or a search domain says may change. */
  dnsUnknownTtlMs: 5_000,
  /** A name that could not be resolved is not asked for again before this, whoever's endpoints bear it. */
  dnsFailureMs: 1_000,
  /** One question to one DNS server, and how often it is asked while nothing answers, all within an attempt's deadline. */
  dnsTryMs: 2_000,
  dnsTries: 3,
  /** Names remembered. */
  dnsNames: 10_000,
  /** What `Retry-After` may add to a delay of the schedule. */
  retryAfterAddsMs: 10 * 60_000,
  /** Deliveries that wait for a disabled webhook end `failed` after this. */
  disabledQueueMs: 7 * 24 * 3_600_000,
  /** What deliver has confirmed of webhooks may be used this long: one confirmation in half of it, and none while idle. */
  webhookViewLeaseMs: 1_000,
  /** From a rotation's commit to its answer: the lease, and half of it for an event loop or a database that was held up. */
  secretRotationMs: 1_500,
  /** Between looks at which secrets' grace is over. */
  previousSecretSweepMs: 60_000,

  // --- replay
  /** What one request may name. */
  ...replayBounds,
  /** Jobs that one process works on at once: each has a batch in memory, and they share the reading. */
  replayJobs: 8,
  /** Events queued in one batch of a job, and records read for it at most: a batch ends within some 100 ms. */
  replayBatchEvents: 250,
  replayBatchRecords: 10_000,
  /**
   * Deliveries of a job that may wait for their first attempt, and how often a job that has as many is looked at:
   * enough for thousands a second, and few enough that a replay never outruns its receiver and fills tables and log
   * with what waits.
   */
  replayAhead: 1_000,
  replayAheadMs: 25,
  /** Records a job parses before everything else has its turn: less than a millisecond. */
  replayParseRecords: 200,
  /** Records read at once: reading few of them unpacks the same rows of the embedded log again and again. */
  replayReadRecords: 2_000,
  /** Ledgers of one batch that reads by ledger, and of them at once. */
  replayBatchLedgers: 100,
  replayLedgersAtOnce: 8,
  /** Events that a job looks up at most: it has the list of their ledgers in memory. */
  replayLookups: 50_000,
  /** Finding a ledger and reading it takes as long as reading on over this many events. */
  replayLookupEvents: 200,
  /** An event log that lags by more than this is not waited for: the job reads everything instead. */
  replayIndexWaitMs: 10_000,
  /** Between looks whether it still does. */
  replayIndexPollMs: 250,
  /** Between looks at whether a suspended account may go on. */
  replaySuspendedMs: 500,
  /** How long a cancelled job's worker may take to end its batch, and how often it is looked at meanwhile. */
  replayCancelMs: 900,
  replayCancelPollMs: 20,
  /** Events of accounts that an estimate must find before it scales: up to here it is exact, and above within some per cent. */
  estimateEnough: 3_000,
  /** Events of all accounts in the share where it looks first: some 100 ms for an account that is in all of them. */
  estimateFirstLook: 100_000,
  /** Windows that a share consists of; fewer for many accounts, since each is looked up in each window, in some 5 µs. */
  estimateWindows: { most: 100, fewest: 4, lookups: 30_000 },

  // --- history for replays
  ...historyLimits,

  // --- quota and mail
  /** Between looks at whose deliveries wait: an account overshoots its quota by what it sends in this time. */
  accountHoldsMs: 1_000,
  /** Between looks at who has reached a part of the quota and is to be told, and accounts told at once. */
  quotaNoticesMs: 10_000,
  quotaNoticesBatch: 500,
  /** A webhook is reported as failing when it has accepted nothing for an hour and this many attempts have failed. */
  webhookFailingMs: 3_600_000,
  webhookFailingAttempts: 10,
  /** A webhook that fails and recovers in turns is reported once in this time. */
  webhookFailingPauseMs: 24 * 3_600_000,
  /** How often failing webhooks are looked up, and how many are reported in one transaction. */
  webhookNoticesMs: 60_000,
  webhookNoticesBatch: 100,
  /** Sending one mail, from connecting to the server's answer: a process that stops waits for it, within `shutdownMs`. */
  mailSendMs: 10_000,
  /** How long a mail is its sender's: past this the sender has died, and another sends it. */
  mailLeaseMs: 60_000,
  /** Waits between tries to send a mail: three days in all, then it is given up. */
  mailRetryDelaysMs: [1, 5, 15, 60, 180, 360, 720, 1_440, 1_440].map((minutes) => minutes * 60_000),
  /** Characters of what a mail server said. */
  mailErrorLength: 500,
  /** How long mails are kept: longer than a month, because they record which quota notices an account got. */
  mailsKeptMs: 90 * 24 * 3_600_000,

  // --- storage
  ...storageLimits,

  // --- API
  /** A request body. */
  requestBodyBytes: 1024 * 1024,
  /** What one webhook may hold. How many an account may have, its plan says (domain/Plans.ts). */
  ...webhookBounds,
  /** What an API key may be called. How many an account may have, its plan says (domain/Plans.ts). */
  ...apiKeyBounds,
  /** Requests that wait while others are admitted; they go together in one statement, and more are a 503 at once. */
  admissionQueue: 5_000,
  /** A database that does not answer that statement within this counts as away. */
  admissionMs: 5_000,
  /** A database that does not answer `/readyz` within this counts as away. */
  readyCheckMs: 2_000,
  /** For requests in flight when the server stops: leaves the rest of `shutdownMs` to the stages. */
  apiShutdownMs: 10_000,
  /** From a request's first byte to its last: a slow sender cannot hold a connection for longer. */
  requestReceiveMs: 30_000,
  /** What callers without a key can take. */
  ...connectionLimits,
  /** Filter previews that run at the same time. Each parses up to 10,000 events: about 0.2 s of a core. Others wait. */
  previewsAtOnce: 2,
  /** Records that a preview reads before other requests run: about 3 ms. */
  previewReadRecords: 250,
  /** `Retry-After` of a 503, in seconds: a database or broker that restarts needs some. */
  unavailableRetrySeconds: 5,
  /** Characters of one path segment; the longest id is an event's, some 110. */
  pathSegmentLength: 256,

  // --- traces and metrics
  /** What is kept and how it is sent: some 1 KB a span, so at most a few MB wait while the endpoint hangs. */
  telemetry: {
    tracesPerSecond: 5,
    spansPerSecond: 100,
    tracesEveryMs: 5_000,
    metricsEveryMs: 10_000,
    requestMs: 5_000,
    /** After all other parts have ended, within `shutdownMs`. */
    lastRequestMs: 1_000
  },

  // --- command line
  ...commandLimits,

  // --- messages
  /** While something is away its warnings are repeated: one of a kind in this time, and so many kinds remembered. */
  repeatedMessages: { windowMs: 10_000, messages: 1_000 },

  // --- process
  /** First and longest wait before a role that failed begins anew. */
  roleRestartMs: { first: 200, longest: 5_000 },
  /** From SIGTERM to the end, at most. */
  shutdownMs: 15_000
} as const
