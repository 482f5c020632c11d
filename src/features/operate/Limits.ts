/** Limits of the model of health, and of `doctor`. */

export const operateLimits = {
  /** How long the database must fail, for the API, before `/readyz/traffic` does. */
  databaseFailedMs: 10_000,
  /**
   * How old the oldest item of a stage may be until the stage is late. A ledger closes every 3 to 4 s and is announced a
   * few seconds later; a replay job may wait for a worker that ends another; a mail server may be away for minutes;
   * retention is due every hour.
   */
  lateMs: 30_000,
  laterMs: { ingest: 60_000, replay: 120_000, notices: 300_000, upkeep: 7_200_000 },
  /** A database that takes longer for one small statement is slow, and degraded if it is that for `troubleMs`. */
  databaseSlowMs: 500,
  /** The largest difference between a process's clock and the database's. Deadlines within a second still make sense. */
  clockOffsetMs: 2_000,
  /** Free disk space at DATA_DIR below which the part `disk` is degraded. Below a tenth of it, it has failed. */
  diskFreeBytes: 5e9,
  /** How long one check of `doctor` may take. */
  doctorCheckMs: 5_000
} as const
