/**
 * What an event and a delivery cost, as docs/capacity.md says it, where they come from `npm run bench -- capacity` and
 * `npm run bench -- cluster`. CPU is in milliseconds, everything else in bytes.
 */

interface Cost {
  readonly program: number
  readonly database: number
  readonly wal: number
}

/** One process with all roles and the log in PostgreSQL. */
export const oneProcess = {
  event: { program: 0.13, database: 0.05, wal: 2_400, log: 140 },
  delivery: { program: 0.17, database: 0.12, wal: 1_900, log: 145 }
} as const satisfies Readonly<Record<string, Cost & { readonly log: number }>>

/** Processes that share the roles, on Kafka. `stages`: the program's CPU by the roles that only one process works on. */
export const several = {
  event: { program: 0.9, database: 0.3, broker: 0.6, wal: 4_900, log: 180, ingest: 0.4, route: 0.4 },
  delivery: { program: 0.2, database: 0.05, broker: 0.05, wal: 1_430, log: 122, ingest: 0, route: 0.02 }
} as const

/** Tables with their indexes, wherever the log is. */
export const kept = { event: 990 + 415, delivery: 957 + 674 } as const

/** In a process with the role `route`, and on disk. */
export const stored = {
  webhook: { memory: 900, disk: 1_600 },
  filter: { memory: 80, disk: 90 }
} as const
