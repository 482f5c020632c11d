/** Limits of the model of health; part of `Limits`. */
export const healthLimits = {
  /**
   * How old the oldest item of a stage may be until the stage is late. A ledger closes every 3 to 4 s and is announced a
   * few seconds later; a replay job may wait for a worker that ends another; a mail server may be away for minutes; retention is due every
   * hour.
   */
  lateMs: {
    ingest: 60_000,
    events: 30_000,
    route: 30_000,
    deliver: 30_000,
    delay: 30_000,
    replay: 120_000,
    outbox: 30_000,
    notices: 300_000,
    upkeep: 7_200_000
  },
  /** Characters of an error that are shown of a role that fails. */
  failureShownLength: 300,
  /** How often the report is made, and after how long without a new one it tells nothing any more. */
  reportMs: 10_000,
  reportOldMs: 30_000,
  /** How long the log and the schema registry may take for it: together less than `reportOldMs` beside `reportMs`. */
  reportLogMs: 10_000,
  reportRegistryMs: 5_000,
  /** Partitions whose positions in the log are read at the same time for it. */
  positionsAtOnce: 8,
  /** Samples of a stage's backlog: 5 minutes of reports. A trend needs those of `trendMs`. */
  trendSamples: 30,
  trendMs: 60_000,
  /** A backlog that will be gone within this time is no fault, as in the alerts (ops/prometheus/alerts.yml). */
  drainingS: 900,
  /** Failed probes in a row that make a part `failed`: one may be a lost packet. */
  partProbes: 2,
  /** How often the schema registry is asked whether it has all schemas: three requests for each. */
  registryEveryMs: 60_000,
  /** A database that takes longer for one small statement is slow, and degraded if it is that for `databaseSlowForMs`. */
  databaseSlowMs: 500,
  databaseSlowForMs: 60_000,
  /** How long a statement may wait for a lock: much longer than any transaction of the service takes. */
  lockWaitMs: 10_000,
  /** The largest difference between a process's clock and the database's. Deadlines within a second still make sense. */
  clockOffsetMs: 2_000,
  /** Free disk space at DATA_DIR below which the part `disk` is degraded, and below which it has failed. */
  diskFreeBytes: { degraded: 5e9, failed: 5e8 },
  /** Overdue retries that are counted if no process moves them: 0.1 s for the database. */
  overdueRead: 100_000
} as const
