/**
 * Reads the event index: pages, newest ledger first, and one event by its id. For each wanted network and type the
 * newest rows are read, at most as many as a page has, and merged. Within a network ledgers close one after the
 * other, so a range of ledgers is a range of time.
 */

import { Context, Effect, Layer, Option } from "effect"
import { eventTypes as allTypes, type EventType } from "../../spine/event/EventType.ts"
import type { Network } from "../../spine/event/Network.ts"
import { column } from "../../spine/store/Columns.ts"
import { ReadSql } from "../../spine/store/Sql.ts"
import type { EventId } from "../../spine/words/Ids.ts"
import { secondsBetween, timeOf } from "./CloseTimes.ts"
import type { WantedEvents } from "./EventCounts.ts"
import { transactionLedgers, useBlockRanges } from "./TransactionLedgers.ts"

/** Position in a page's order: close time, network, ledger, position in the ledger, each descending. */
export interface EventPlace {
  /** Unix seconds. */
  readonly closeTime: number
  readonly network: Network
  readonly ledgerIndex: number
  readonly position: number
}

export interface EventRow extends EventPlace {
  readonly eventId: EventId
  readonly eventType: EventType
  /** JSON. */
  readonly payload: string
  /** JSON of the fields that may be included; null if there are none. */
  readonly included: string | null
}

export interface EventFilter {
  readonly networks: ReadonlyArray<Network>
  /** Empty means every type. */
  readonly eventTypes: ReadonlyArray<EventType>
  readonly account: string | undefined
  /** Both inclusive. */
  readonly ledgerIndexMin: number | undefined
  readonly ledgerIndexMax: number | undefined
  /** Both exclusive. Unix milliseconds, possibly with a fraction. */
  readonly since: number | undefined
  readonly until: number | undefined
}

export class EventQueries extends Context.Service<EventQueries>()("ledgerhook/storage/EventQueries", {
  make: Effect.gen(function* () {
    const sql = yield* ReadSql
    const columns = sql`
      network, extract(epoch FROM close_time)::float8 AS "closeTime", ledger_index::float8 AS "ledgerIndex",
      position, event_id AS "eventId", event_type AS "eventType", payload, included`
    const newestFirst = sql`close_time DESC, network DESC, ledger_index DESC, position DESC`

    const list = (
      { networks, eventTypes, account, since, until, ...ledgers }: EventFilter,
      after: EventPlace | undefined,
      limit: number
    ) => {
      const { from, before } = secondsBetween(since, until)
      const { ledgerIndexMin: first = 0, ledgerIndexMax: last = Number.MAX_SAFE_INTEGER } = ledgers
      const byLedger = first > 0 || last < Number.MAX_SAFE_INTEGER
      // A literal: for a parameter PostgreSQL expects many more rows.
      const rows = sql.literal(String(limit))
      const time = (unixSeconds: number) => sql`${timeOf(unixSeconds)}::timestamptz`
      const ledger = (index: number) => sql`${String(index)}::bigint`
      const closing = (end: "first" | "last") => sql`(
        SELECT close_time FROM events WHERE network = wanted.network AND ${
          end === "first"
            ? sql`ledger_index >= ${ledger(first)} ORDER BY ledger_index`
            : sql`ledger_index <= ${ledger(last)} ORDER BY ledger_index DESC`
        } LIMIT 1)`
      // MATERIALIZED: the times of the ledgers are read once for each network, not for each type.
      const wanted = sql`
        WITH wanted AS MATERIALIZED (
          SELECT network${byLedger ? sql`, ${closing("first")} AS since, ${closing("last")} AS until` : sql``}
          FROM unnest(${column(networks)}::text[]) AS wanted (network)
        )`
      const conditions = [
        sql`network = wanted.network AND close_time >= ${time(from)} AND close_time < ${time(before)}`,
        sql`event_type = types.type`,
        ...(account === undefined ? [] : [sql`account = ${account}`]),
        ...(byLedger
          ? [
              // Compared together with the close time, the order of all indexes: otherwise PostgreSQL would have to
              // sort.
              sql`(close_time, ledger_index) >= (since, ${ledger(first)})`,
              sql`(close_time, ledger_index) <= (until, ${ledger(last)}) AND close_time BETWEEN since AND until`
            ]
          : []),
        // No index has this order: `close_time <=` uses the index, the row comparison filters the rest.
        ...(after === undefined
          ? []
          : [
              sql`close_time <= ${time(after.closeTime)} AND (close_time, network, ledger_index, position)
                < (${time(after.closeTime)}, ${after.network}, ${ledger(after.ledgerIndex)}, ${after.position}::int)`
            ])
      ]
      const page = sql`
        SELECT found.* FROM wanted
        CROSS JOIN unnest(${column(eventTypes.length === 0 ? allTypes : eventTypes)}::text[]) AS types (type)
        CROSS JOIN LATERAL (
          SELECT * FROM ${sql(account === undefined ? "events" : "event_accounts")} WHERE ${sql.and(conditions)}
          ORDER BY close_time DESC, ledger_index DESC, position DESC LIMIT ${rows}
        ) AS found ORDER BY ${newestFirst} LIMIT ${rows}`
      // `event_accounts` has only the position of an event, so the events are joined.
      const events = sql`
        SELECT event.* FROM (${page}) AS page CROSS JOIN LATERAL (
          SELECT * FROM events
          WHERE network = page.network AND ledger_index = page.ledger_index AND position = page.position
            AND close_time = page.close_time LIMIT 1
        ) AS event`
      return sql<EventRow>`
        ${wanted} SELECT ${columns} FROM (${account === undefined ? page : events}) AS page ORDER BY ${newestFirst}`
    }

    /** An event has a row for each of its accounts. */
    const ofAccounts = (
      { network, eventTypes = allTypes, accounts = [], from, before }: WantedEvents,
      limit: number
    ) =>
      sql`
        SELECT event.* FROM (
          SELECT DISTINCT close_time, ledger_index, position FROM event_accounts
          WHERE network = ${network} AND account = ANY((SELECT ${column(accounts)}::text[])::text[])
            AND event_type = ANY(${column(eventTypes)}::text[])
            AND close_time >= ${timeOf(from)}::timestamptz AND close_time < ${timeOf(before)}::timestamptz
          ORDER BY close_time DESC, ledger_index DESC, position DESC LIMIT ${sql.literal(String(limit))}
        ) AS page CROSS JOIN LATERAL (
          SELECT * FROM events
          WHERE network = ${network} AND ledger_index = page.ledger_index AND position = page.position
            AND close_time = page.close_time LIMIT 1
        ) AS event`

    const ofTypes = ({ network, eventTypes = allTypes, from, before }: WantedEvents, limit: number) =>
      sql`
        SELECT * FROM events
        WHERE network = ${network} AND event_type = ANY(${column(eventTypes)}::text[])
          AND close_time >= ${timeOf(from)}::timestamptz AND close_time < ${timeOf(before)}::timestamptz
        ORDER BY close_time DESC, ledger_index DESC, position DESC LIMIT ${sql.literal(String(limit))}`

    return {
      /** Newest first, from `after` on. */
      list,

      /** The newest of these events, newest first. All events of the time are sorted, so it should be short. */
      newest: (wanted: WantedEvents, limit: number) =>
        sql<EventRow>`
          SELECT ${columns}
          FROM (${wanted.accounts === undefined ? ofTypes(wanted, limit) : ofAccounts(wanted, limit)}) AS page
          ORDER BY ${newestFirst}`,

      /** The event with that id. The id contains its ledger. */
      find: (network: Network, ledgerIndex: number, eventId: EventId) =>
        sql<EventRow>`
          SELECT ${columns} FROM events
          WHERE network = ${network} AND ledger_index = ${ledgerIndex}::bigint AND event_id = ${eventId}
          LIMIT 1`.pipe(Effect.map((rows) => Option.fromNullishOr(rows[0]))),

      /**
       * The ledgers with this transaction, usually one, that closed at `sinceMs` or later. The hash is in upper case.
       */
      ledgersOf: (network: Network, transaction: string, sinceMs: number) =>
        Effect.andThen(useBlockRanges(sql), transactionLedgers(sql, network, transaction, sinceMs)).pipe(
          sql.withTransaction,
          Effect.map((rows) => rows.map(({ ledgerIndex }) => ledgerIndex))
        )
    }
  })
}) {
  static readonly layer = Layer.effect(EventQueries, EventQueries.make)
}
