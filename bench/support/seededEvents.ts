/**
 * An event index of any size, made by PostgreSQL itself: 400 days of two test networks, whatever the number of events.
 * Whole partitions are filled before they are attached, so that each index is built once. One account is in all events,
 * the others are among 20,000. A few of these are in most events; how few changes from week to week. Rare values are
 * equally rare in any size: 40 events of a type, and 80 of an account, all of the 40 among them.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { PARTITION_DAYS } from "../../src/features/events/EventIndex.ts"
import type { EventType } from "../../src/spine/event/EventType.ts"

const DAY_MS = 86_400_000
const DAYS = 400
const PARTITION_MS = PARTITION_DAYS * DAY_MS
/** Where a partition begins. */
const BEGIN_MS = Math.floor(Date.parse("2025-10-01T00:00:00Z") / PARTITION_MS) * PARTITION_MS
const END_MS = BEGIN_MS + Math.ceil((DAYS * DAY_MS) / PARTITION_MS) * PARTITION_MS

const EVENTS_PER_LEDGER = 40
const FIRST_LEDGER = 10_000_000
const RARE_EVENTS = 40

export const IN_ALL = "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"
export const RARE_ACCOUNT = "rrrrrrrrrrrrrrrrrrrrBZbvji"
/** How many accounts share the events between them. */
export const SEEDED_ACCOUNTS = 20_000
export const COMMON_TYPE: EventType = "payment.xrp"
export const RARE_TYPE: EventType = "check.cancelled"

/** The moment, and the ledger, at that part of the 400 days. */
export const momentAt = (part: number): number => BEGIN_MS + part * DAYS * DAY_MS
export const ledgerAt = (events: number, part: number): number =>
  FIRST_LEDGER + Math.floor((part * events) / EVENTS_PER_LEDGER)

export const seedEvents = Effect.fnUntraced(function* (events: number) {
  const sql = yield* SqlClient.SqlClient
  const ledgers = events / EVENTS_PER_LEDGER
  const stepMs = (DAYS * DAY_MS) / ledgers
  const at = (unixMs: number) => sql.literal(`'${new Date(unixMs).toISOString()}'`)
  yield* sql`SET maintenance_work_mem = '256MB'`
  for (let from = BEGIN_MS, number = 0; from < END_MS; from += PARTITION_MS, number++) {
    const [first, last] = [from, from + PARTITION_MS].map((edge) => Math.ceil((edge - BEGIN_MS) / stepMs))
    const [eventsTable, accountsTable] = [sql(`seeded_events_${number}`), sql(`seeded_accounts_${number}`)]
    yield* sql`CREATE TABLE ${eventsTable} (LIKE events)`
    yield* sql`CREATE TABLE ${accountsTable} (LIKE event_accounts)`
    yield* sql`
      INSERT INTO ${eventsTable} (network, ledger_index, position, close_time, event_type, event_id, payload)
      SELECT CASE ledger % 5 WHEN 0 THEN 'devnet' ELSE 'testnet' END, ${FIRST_LEDGER} + ledger, position,
        to_timestamp(floor((${BEGIN_MS}::float8 + ledger * ${stepMs}::float8) / 1000)), type,
        'xrpl:' || ${FIRST_LEDGER} + ledger || ':' || hash || ':' || type,
        '{"tx_hash":"' || hash || '","sender":"rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX",'
        || '"receiver":"rLXrxX6X9Ep8mvWwDaw3ooRehYfqDjnzdJ","amount":"' || ledger * 1000 + position || '"}'
      FROM generate_series(${first!}::int, ${Math.min(last!, ledgers) - 1}::int) AS ledger,
        generate_series(0, ${EVENTS_PER_LEDGER - 1}) AS position,
        LATERAL (SELECT upper(md5(ledger || ' ' || position) || md5(position || ' ' || ledger)) AS hash,
          CASE WHEN (ledger * ${EVENTS_PER_LEDGER} + position) % ${events / RARE_EVENTS} = 7 THEN ${RARE_TYPE}
               WHEN position < 20 THEN ${COMMON_TYPE} WHEN position < 32 THEN 'dex.offer_created'
               ELSE 'trustline.modified' END AS type) AS made`
    yield* sql`
      INSERT INTO ${accountsTable} (network, event_type, account, close_time, ledger_index, position)
      SELECT network, event_type, account, close_time, ledger_index, position FROM ${eventsTable},
        LATERAL (SELECT (ledger_index - ${FIRST_LEDGER}) * ${EVENTS_PER_LEDGER} + position AS number) AS counted,
        LATERAL (SELECT ('x' || md5(number::text))::bit(32)::bigint / 4294967296.0::float8 AS chance) AS thrown,
        LATERAL (VALUES (${IN_ALL}),
          ('r' || md5(floor(${SEEDED_ACCOUNTS} * power(chance, 3 + sin(number * 300.0::float8 / ${events})))::text)),
          (CASE WHEN number % ${events / RARE_EVENTS / 2} = 7 THEN ${RARE_ACCOUNT} END)) AS involved (account)
      WHERE account IS NOT NULL`
    for (const [parent, table] of [
      ["events", eventsTable] as const,
      ["event_accounts", accountsTable] as const
    ])
      yield* sql`ALTER TABLE ${sql(parent)} ATTACH PARTITION ${table}
                 FOR VALUES FROM (${at(from)}) TO (${at(from + PARTITION_MS)})`
  }
  yield* sql`
    INSERT INTO event_hours (network, event_type, hour, events)
    SELECT network, event_type, date_trunc('hour', close_time, 'UTC'), count(*) FROM events GROUP BY 1, 2, 3`
  yield* sql`VACUUM (ANALYZE) events`
  yield* sql`VACUUM (ANALYZE) event_accounts`
})
