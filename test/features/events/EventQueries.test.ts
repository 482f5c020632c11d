/** The cost of a page of events: PostgreSQL reads about as many rows as the page shows. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { EventIndex } from "../../../src/features/events/EventIndex.ts"
import { type EventFilter, EventQueries } from "../../../src/features/events/EventQueries.ts"
import { addresses, eventOf } from "../../support/deliver/events.ts"
import { settingsLayer } from "../../support/program/settings.ts"
import { TestDatabase } from "../../support/store/postgres.ts"

const BEGIN = Date.parse("2026-09-01T00:00:00Z")
const LEDGERS = 600
const EVENTS_PER_LEDGER = 10
const DAYS = 80
const LIMIT = 21
/** More executions than PostgreSQL plans anew before it may keep a plan. */
const CALLS = 8

const [inAll, rare] = addresses
const momentAt = (part: number) => BEGIN + part * DAYS * 86_400_000
const old = { since: momentAt(0.2), until: momentAt(0.3) }
const oldLedgers = { ledgerIndexMin: LEDGERS * 0.2, ledgerIndexMax: LEDGERS * 0.3 }

const filters: ReadonlyArray<Partial<EventFilter>> = [
  {},
  { networks: ["testnet", "devnet"] },
  { eventTypes: ["payment.xrp"] },
  { eventTypes: ["check.cancelled"] },
  { eventTypes: ["nft.burned"] },
  { eventTypes: ["payment.xrp", "check.cancelled"] },
  { account: inAll },
  { account: rare },
  { account: inAll, eventTypes: ["check.cancelled"] },
  { account: rare, eventTypes: ["payment.xrp"] },
  old,
  oldLedgers,
  { ...oldLedgers, eventTypes: ["check.cancelled"] },
  { ...old, account: inAll, eventTypes: ["check.cancelled"] },
  { ...old, ...oldLedgers, account: rare }
]

const seeded = Array.from({ length: LEDGERS * EVENTS_PER_LEDGER }, (_, number) => {
  const ledger = Math.floor(number / EVENTS_PER_LEDGER)
  const timestamp = `${new Date(momentAt(ledger / LEDGERS)).toISOString().slice(0, 19)}Z`
  return eventOf({
    network: "testnet",
    ledgerIndex: 1 + ledger,
    position: number % EVENTS_PER_LEDGER,
    type: number % 500 === 0 ? "check.cancelled" : "payment.xrp",
    timestamp,
    accounts: number % 300 === 0 ? [inAll, rare] : [inAll]
  })
})

layer(
  Layer.mergeAll(EventIndex.layer, EventQueries.layer).pipe(
    Layer.provideMerge(TestDatabase),
    Layer.provideMerge(settingsLayer())
  )
)("event queries", (it) => {
  it.effect("read few more rows than they show, for any filters", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* EventIndex
      const queries = yield* EventQueries
      yield* store.insert(seeded, BEGIN)
      yield* sql`ANALYZE events`
      yield* sql`ANALYZE event_accounts`
      const rowsRead = Effect.map(
        sql<{ readonly rows: number }>`
          SELECT sum(seq_tup_read + idx_tup_fetch)::float8 AS rows FROM pg_stat_xact_user_tables
          WHERE relname LIKE 'event%'`,
        ([row]) => row!.rows
      )
      for (const some of filters) {
        const filter: EventFilter = {
          networks: ["testnet"],
          eventTypes: [],
          account: undefined,
          ledgerIndexMin: undefined,
          ledgerIndexMax: undefined,
          since: undefined,
          until: undefined,
          ...some
        }
        // Only within a transaction are the counts exact at once.
        const costs = yield* Effect.replicateEffect(
          Effect.gen(function* () {
            const before = yield* rowsRead
            yield* queries.list(filter, undefined, LIMIT)
            return (yield* rowsRead) - before
          }),
          CALLS
        ).pipe(sql.withTransaction)
        assert.isAtMost(Math.max(...costs), 4 * LIMIT, JSON.stringify({ some, costs }))
      }
    })
  )
})
