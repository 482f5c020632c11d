/**
 * Ledgers whose events the log lost before they were routed. A topic of events that was deleted and made again has another
 * id; one that lost its newest records ends below where it ended; retention may overtake a route that stands still. Each
 * look compares with the look before, which the database keeps, so a loss is found also after a restart. What is named may
 * be some ledgers too wide, and is never too narrow. A loss is named once.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { eventsTopic, parseLedgerEvent } from "../event/LedgerEvent.ts"
import type { Network } from "../event/Network.ts"
import { Log } from "../log/Log.ts"
import type { AccountId, WebhookId } from "../words/Ids.ts"
import { makeLogPlaces } from "./LogPlaces.ts"

/** Events that are read to find the first one that is kept: one, unless records are no events. */
const EVENTS_READ = 10

/** How long a process is silent until it is taken for dead. Longer than elsewhere: it might show a gap that it does not know. */
const SILENT_MS = 60_000

export interface LostLedgers {
  readonly network: Network
  readonly from: number
  readonly to: number
  /** Unix milliseconds. */
  readonly foundAt: number
}

export const makeLostLedgers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const log = yield* Log
  const places = yield* makeLogPlaces

  /** The newest ledger whose events are certainly gone; undefined if no event is kept. */
  const lostBelow = Effect.fnUntraced(function* (topic: string, start: number) {
    const records = yield* log.read({ topic, partition: 0, offset: start }, EVENTS_READ)
    const first = records.map(({ value }) => parseLedgerEvent(value)).find((event) => event !== undefined)
    // The first events of its ledger may be gone.
    return first && (first.position === 0 ? first.ledger_index - 1 : first.ledger_index)
  })

  return {
    /**
     * Looks at the network's topic, and returns whether what was read of it before this call may be relied on. `newest`:
     * the newest ledger, undefined if none is known.
     */
    look: Effect.fnUntraced(function* (network: Network, newest: number | undefined) {
      const topic = eventsTopic(network)
      const place = { topic, partition: 0 }
      const id = (yield* log.topicIds([topic])).get(topic)
      // The log is in the database, and goes back with it.
      if (id === undefined) return true
      const { end, start } = yield* log.offsets(place)
      const before = yield* places.last(topic)
      const routedTo = yield* log.committed("route", place)
      const isCut = before?.id === id && end < before.end
      const isOther = before !== undefined && before.id !== id
      const isOvertaken = routedTo > 0 && routedTo < start
      const wentBack = isCut || isOther || isOvertaken
      // Events that were appended after a cut are behind it: all up to now may be lost.
      const to = !wentBack ? undefined : isCut ? newest : ((yield* lostBelow(topic, start)) ?? newest)
      // Nothing says yet what is lost. The next look does.
      if (wentBack && to === undefined) return false
      if (before?.id === id && before.end === end && !wentBack) return true
      yield* Effect.gen(function* () {
        if (to !== undefined) {
          yield* sql`
            INSERT INTO lost_ledgers (network, from_ledger, to_ledger, found_at)
            SELECT network, routed_through + 1, ${to}, clock_timestamp() FROM routed_ledgers
            WHERE network = ${network} AND routed_through < ${to}`
          yield* sql`
            UPDATE routed_ledgers SET routed_through = ${to} WHERE network = ${network} AND routed_through < ${to}`
        }
        yield* places.keep(topic, { id, end })
      }).pipe(sql.withTransaction)
      return !wentBack
    }),

    /**
     * Makes the gaps of the webhooks that miss what was lost, and hands them to `tell` in the same transaction. Nothing
     * happens while a process of release 0.3 runs, which could not show them.
     */
    open: <E, R>(tell: (gaps: ReadonlyArray<OpenedGap>) => Effect.Effect<void, E, R>) =>
      Effect.gen(function* () {
        const older = sql`
          SELECT FROM processes WHERE release IS NULL AND stopped_at IS NULL
            AND seen_at > clock_timestamp() - ${SILENT_MS} * interval '1 millisecond'`
        const gaps = yield* sql<OpenedGap>`
          WITH lost AS (
            UPDATE lost_ledgers SET told_at = clock_timestamp()
            WHERE told_at IS NULL AND NOT EXISTS (${older}) RETURNING network, from_ledger, to_ledger, found_at
          ), made AS (
            INSERT INTO webhook_gaps (webhook_id, reason, began_at, ended_at, from_ledger, to_ledger)
            SELECT w.id, 'lost', found_at, found_at, lost.from_ledger, lost.to_ledger
            FROM lost JOIN webhooks w ON w.network = lost.network AND w.deleted_at IS NULL AND w.created_at < found_at
            WHERE NOT EXISTS (
              SELECT FROM webhook_gaps g WHERE g.webhook_id = w.id AND g.from_ledger <= lost.from_ledger
                AND (g.ended_at IS NULL OR g.to_ledger >= lost.to_ledger))
            ORDER BY w.id ON CONFLICT DO NOTHING RETURNING webhook_id, from_ledger, to_ledger
          )
          SELECT w.id AS "webhookId", w.account_id AS "accountId", w.network, from_ledger::float8 AS from,
                 to_ledger::float8 AS to
          FROM made JOIN webhooks w ON w.id = webhook_id ORDER BY w.id`
        yield* tell(gaps)
      }).pipe(sql.withTransaction)
  }
})

/** A gap `lost` that was made now. */
export interface OpenedGap {
  readonly webhookId: WebhookId
  readonly accountId: AccountId
  readonly network: Network
  readonly from: number
  readonly to: number
}

/** What was lost within the last `withinMs`, oldest first. */
export const readLostLedgers = Effect.fnUntraced(function* (withinMs: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<LostLedgers>`
    SELECT network, from_ledger::float8 AS from, to_ledger::float8 AS to,
           (extract(epoch FROM found_at) * 1000)::float8 AS "foundAt"
    FROM lost_ledgers WHERE found_at > clock_timestamp() - ${withinMs} * interval '1 millisecond'
    ORDER BY found_at, network`
})
