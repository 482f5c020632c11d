/**
 * A page of a webhook's parked deliveries, as work: the rows in order of their ids, with their events read back from
 * the log; a test delivery's event stands in its row. A row whose event retention has dropped is ended: it can never be
 * sent.
 */
import { Clock, Effect } from "effect"
import { Limits } from "../config/Limits.ts"
import { patiently } from "../config/Retrying.ts"
import { eventsTopic, type LedgerEvent, parseLedgerEvent } from "../domain/LedgerEvent.ts"
import type { Network } from "../domain/Network.ts"
import { EventLog } from "../log/EventLog.ts"
import { DeliveryStore, type ParkedDelivery, type ParkedKind } from "../storage/DeliveryStore.ts"
import type { Work } from "./Lane.ts"

export interface BacklogPage {
  /** How many parked rows there were, at most `limit`. */
  readonly rows: number
  readonly lastId: string
  readonly works: ReadonlyArray<Work>
}

/** Events that stand this close together are read in one piece. */
const READ_GAP = 50

export const makeBacklog = Effect.gen(function* () {
  const deliveries = yield* DeliveryStore
  const log = yield* EventLog

  /** The events at `offsets` (ascending) of a network's topic. */
  const readEvents = Effect.fnUntraced(function* (network: Network, offsets: ReadonlyArray<number>) {
    const found = new Map<number, LedgerEvent>()
    let next = 0
    while (next < offsets.length) {
      const first = offsets[next]!
      let last = first
      while (next < offsets.length && offsets[next]! - last <= READ_GAP) last = offsets[next++]!
      let from = first
      while (from <= last) {
        const count = Math.min(last - from + 1, Limits.takeBatchRecords)
        const records = yield* log.read({ topic: eventsTopic(network), partition: 0, offset: from }, count)
        for (const record of records) {
          const event = parseLedgerEvent(record.value)
          if (event !== undefined) found.set(record.offset, event)
        }
        const reached = records.at(-1)?.offset
        if (reached === undefined) break
        from = reached + 1
      }
    }
    return found
  })

  const toWork = (row: ParkedDelivery, event: LedgerEvent, kind: ParkedKind): Work => ({
    deliveryId: row.id,
    attempt: row.attempts + 1,
    seriesAttempt: row.attempts + 1 - row.seriesStart,
    event,
    kind: kind === "replays" ? "replays" : "live",
    settled: undefined
  })

  return (webhookId: string, kind: ParkedKind, afterId: string, limit: number): Effect.Effect<BacklogPage> =>
    Effect.gen(function* () {
      const rows = yield* deliveries.parkedPage(webhookId, kind, afterId, limit)
      const first = rows[0]
      if (first === undefined) return { rows: 0, lastId: "", works: [] }
      // A webhook belongs to one network.
      const offsets = [...new Set(rows.flatMap((row) => row.eventOffset ?? []))].sort((a, b) => a - b)
      const events = yield* readEvents(first.network, offsets)
      const works: Array<Work> = []
      const gone: Array<string> = []
      for (const row of rows) {
        const event = row.eventOffset === null ? parseLedgerEvent(row.testEvent) : events.get(row.eventOffset)
        if (event === undefined) gone.push(row.id)
        else works.push(toWork(row, event, kind))
      }
      if (gone.length > 0) {
        yield* deliveries.fail(gone, "event no longer retained", yield* Clock.currentTimeMillis)
      }
      return { rows: rows.length, lastId: rows.at(-1)!.id, works }
    }).pipe(patiently("reading parked deliveries"))
})
