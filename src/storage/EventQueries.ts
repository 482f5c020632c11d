/**
 * The event log's reading side: pages, newest ledger first, and one event by its id. Whatever the filters, a page is the
 * newest of a few index ranges, one for each network and event type wanted; each is read from its newest end and no
 * further than the page is long. Within a network ledgers close one after the other, so a ledger stands for a time.
 */
import { Context, Effect, Layer, Option } from "effect"
import type { SqlError, Statement } from "effect/sql"
import type { EventType } from "../domain/EventType.ts"
import type { Network } from "../domain/Network.ts"
import { column } from "./Columns.ts"
import {
  type EventPlace,
  type EventRange,
  eventRanges,
  type Place,
  type Span,
  spanBetween
} from "./EventRanges.ts"
import { ReadSql } from "./Sql.ts"

export interface EventRow extends EventPlace {
  readonly eventId: string
  readonly eventType: EventType
  /** JSON. */
  readonly payload: string
}

export interface EventFilter {
  readonly networks: ReadonlyArray<Network>
  /** None means every type. */
  readonly eventTypes: ReadonlyArray<EventType>
  readonly account: string | undefined
  /** Both inclusive. */
  readonly ledgerIndexMin: number | undefined
  readonly ledgerIndexMax: number | undefined
  /** Both exclusive; Unix milliseconds, possibly with a fraction. */
  readonly since: number | undefined
  readonly until: number | undefined
}

const timeOf = ({ closeTime }: Place): string => new Date(closeTime * 1_000).toISOString()

export class EventQueries extends Context.Service<
  EventQueries,
  {
    /** Newest first, those that come after `after`. */
    readonly list: (
      filter: EventFilter,
      after: EventPlace | undefined,
      limit: number
    ) => Effect.Effect<ReadonlyArray<EventRow>, SqlError.SqlError>
    /** The event of that id, which is one of the ledger's. */
    readonly find: (
      network: Network,
      ledgerIndex: number,
      eventId: string
    ) => Effect.Effect<Option.Option<EventRow>, SqlError.SqlError>
  }
>()("ledgerhook/storage/EventQueries") {
  static readonly layer = Layer.effect(
    EventQueries,
    Effect.gen(function* () {
      const sql = yield* ReadSql
      const columns = sql`
        network, extract(epoch FROM close_time)::float8 AS "closeTime", ledger_index::float8 AS "ledgerIndex",
        position, event_id AS "eventId", event_type AS "eventType", payload`
      /** Written into the statement: PostgreSQL counts on many more rows for a number it does not know. */
      const number = (value: number) => sql.literal(String(value))
      const newestFirst = sql`close_time DESC, network DESC, ledger_index DESC, position DESC`

      /**
       * What a statement is to look for, row by row, as a table it can join. Neither the values nor their number are then
       * known to PostgreSQL when it plans, so its plan serves them all and is made once, not for every page.
       */
      const table = (rows: ReadonlyArray<unknown>, columns: ReadonlyArray<Statement.Fragment>) =>
        sql`(SELECT * FROM unnest(${sql.csv(columns)}) LIMIT ${number(rows.length)})`

      /** Of the filter's ledgers, by network: from the first to the last that has events. */
      const ledgerSpans = Effect.fnUntraced(function* (filter: EventFilter) {
        const { networks, ledgerIndexMin = 0, ledgerIndexMax = Number.MAX_SAFE_INTEGER } = filter
        if (filter.ledgerIndexMin === undefined && filter.ledgerIndexMax === undefined) {
          return new Map(networks.map((network) => [network, spanBetween(undefined, undefined)]))
        }
        const wanted = table(networks, [
          sql`${column(networks)}::text[]`,
          sql`${column(networks.map(() => ledgerIndexMin))}::bigint[]`,
          sql`${column(networks.map(() => ledgerIndexMax))}::bigint[]`
        ])
        const rows = yield* sql<{
          readonly network: Network
          readonly fromTime: number
          readonly fromLedger: number
          readonly toTime: number
          readonly toLedger: number
        }>`
          SELECT wanted.network,
            extract(epoch FROM first.close_time)::float8 AS "fromTime", first.ledger_index::float8 AS "fromLedger",
            extract(epoch FROM last.close_time)::float8 AS "toTime", last.ledger_index::float8 AS "toLedger"
          FROM ${wanted} AS wanted (network, min, max)
          CROSS JOIN LATERAL (
            SELECT close_time, ledger_index FROM events
            WHERE network = wanted.network AND ledger_index >= min ORDER BY ledger_index LIMIT 1
          ) AS first CROSS JOIN LATERAL (
            SELECT close_time, ledger_index FROM events
            WHERE network = wanted.network AND ledger_index <= max ORDER BY ledger_index DESC LIMIT 1
          ) AS last`
        return new Map(
          rows.map(({ network, fromTime, fromLedger, toTime, toLedger }): [Network, Span] => [
            network,
            {
              from: { closeTime: fromTime, ledgerIndex: fromLedger, position: 0 },
              before: { closeTime: toTime, ledgerIndex: toLedger + 1, position: 0 }
            }
          ])
        )
      })

      const read = (filter: EventFilter, ranges: ReadonlyArray<EventRange>, limit: number) => {
        const { eventTypes, account } = filter
        const scans = ranges.flatMap((range) =>
          (eventTypes.length === 0 ? [null] : eventTypes).map((type) => ({ ...range, type }))
        )
        const places = (of: (range: EventRange) => Place) => [
          sql`${column(scans.map((scan) => timeOf(of(scan))))}::timestamptz[]`,
          sql`${column(scans.map((scan) => of(scan).ledgerIndex))}::bigint[]`,
          sql`${column(scans.map((scan) => of(scan).position))}::int[]`
        ]
        const wanted = table(scans, [
          sql`${column(scans.map(({ network }) => network))}::text[]`,
          sql`${column(scans.map(({ type }) => type))}::text[]`,
          sql`${column(scans.map(() => account ?? null))}::text[]`,
          ...places(({ from }) => from),
          ...places(({ before }) => before)
        ])
        const conditions = [
          sql`network = wanted.network`,
          sql`(close_time, ledger_index, position) >= (from_time, from_ledger, from_position)`,
          sql`(close_time, ledger_index, position) < (before_time, before_ledger, before_position)`,
          // Said again for the choice of partitions, which does not look into rows.
          sql`close_time BETWEEN from_time AND before_time`,
          // The indexes by time are for queries that say so: migration 0007.
          eventTypes.length === 0 ? sql`position >= 0` : sql`event_type = wanted.type`,
          ...(account === undefined ? [] : [sql`account = wanted.account`])
        ]
        const page = sql`
          SELECT found.* FROM ${wanted} AS wanted (network, type, account, from_time, from_ledger, from_position,
            before_time, before_ledger, before_position)
          CROSS JOIN LATERAL (
            SELECT * FROM ${sql(account === undefined ? "events" : "event_accounts")} WHERE ${sql.and(conditions)}
            ORDER BY close_time DESC, ledger_index DESC, position DESC LIMIT ${number(limit)}
          ) AS found ORDER BY ${newestFirst} LIMIT ${number(limit)}`
        // An account's rows hold no more than the place of an event.
        const events =
          account === undefined
            ? page
            : sql`
                SELECT event.* FROM (${page}) AS page CROSS JOIN LATERAL (
                  SELECT * FROM events
                  WHERE network = page.network AND ledger_index = page.ledger_index AND position = page.position
                    AND close_time = page.close_time LIMIT 1
                ) AS event`
        return sql<EventRow>`SELECT ${columns} FROM (${events}) AS page ORDER BY ${newestFirst}`
      }

      return EventQueries.of({
        list: Effect.fnUntraced(function* (filter, after, limit) {
          const spans = yield* ledgerSpans(filter)
          const ranges = eventRanges(spanBetween(filter.since, filter.until), spans, after)
          return ranges.length === 0 ? [] : yield* read(filter, ranges, limit)
        }),

        find: (network, ledgerIndex, eventId) =>
          sql<EventRow>`
            SELECT ${columns} FROM events
            WHERE network = ${network} AND ledger_index = ${ledgerIndex}::bigint AND event_id = ${eventId}
            LIMIT 1`.pipe(Effect.map((rows) => Option.fromNullishOr(rows[0])))
      })
    })
  )
}
