/**
 * What an event and a delivery cost, from `npm run bench -- capacity` and `npm run bench -- cluster`. docs/capacity.md has
 * the same figures and says how they were measured. CPU is in milliseconds, everything else in bytes.
 */

/** One process with all roles, and the log in PostgreSQL. */
export const oneProcess = {
  event: { program: 0.13, database: 0.05, wal: 2_400, log: 140 },
  delivery: { program: 0.17, database: 0.12, wal: 1_900, log: 145 }
} as const

/** Processes that share the roles, on Kafka. `log` is in Kafka, one copy. */
export const several = {
  event: {
    processes: { api: 0.03, ingest: 0.27, "events,route": 0.19, "deliver,delay": 0.02, replay: 0 },
    database: 0.07,
    broker: 0.29,
    wal: 2_000,
    log: 220
  },
  delivery: {
    processes: { api: 0, ingest: 0, "events,route": 0.03, "deliver,delay": 0.1, replay: 0 },
    database: 0.04,
    broker: 0.003,
    wal: 1_600,
    log: 130
  },
  /** Busy cores of five processes, PostgreSQL and Kafka while nothing happens. */
  idle: { program: 0.05, database: 0.01, broker: 0.03 }
} as const

/** Tables with their indexes, wherever the log is. */
export const kept = { event: 990 + 415, delivery: 957 + 674 } as const

/** In a process with the role `route`, and on disk. */
export const stored = {
  webhook: { memory: 900, disk: 1_600 },
  filter: { memory: 80, disk: 90 }
} as const
