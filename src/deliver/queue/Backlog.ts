/**
 * Reads a page of a webhook's backlog and makes work of it, in the order of delivery ids. Events are read from the
 * log; a test delivery has its event in its row. If retention has dropped the event, the delivery ends `failed`.
 */
import { Clock, Effect } from "effect"
import { StoredEvents } from "../../coverage/StoredEvents.ts"
import { type LedgerEvent, parseLedgerEvent } from "../../domain/LedgerEvent.ts"
import { retryUntilSuccess } from "../../observability/RetryUntilSuccess.ts"
import {
  type BacklogDelivery,
  type BacklogKind,
  DeliveryStore
} from "../../storage/deliveries/DeliveryStore.ts"
import type { Work } from "./Lane.ts"
import { attemptKey } from "./MemoryBudget.ts"

export interface BacklogPage {
  /** How many rows were read. Fewer than `limit` means that this was the last page. */
  readonly rows: number
  readonly lastId: string
  readonly works: ReadonlyArray<Work>
}

export const makeBacklog = Effect.gen(function* () {
  const deliveries = yield* DeliveryStore
  const backlogEvents = yield* StoredEvents

  const toWork = (row: BacklogDelivery, event: LedgerEvent, kind: BacklogKind): Work => {
    const attempt = row.attempts + 1
    return {
      key: attemptKey(row.id, attempt),
      deliveryId: row.id,
      attempt,
      seriesAttempt: attempt - row.seriesStart,
      event,
      kind: kind === "replays" ? "replays" : "live",
      acknowledge: undefined,
      queuedAt: 0,
      wasFree: false
    }
  }

  return (webhookId: string, kind: BacklogKind, afterId: string, limit: number): Effect.Effect<BacklogPage> =>
    Effect.gen(function* () {
      const rows = yield* deliveries.backlogPage(webhookId, kind, afterId, limit)
      const first = rows[0]
      if (first === undefined) return { rows: 0, lastId: "", works: [] }
      // A webhook belongs to one network.
      const eventAt = yield* backlogEvents.at(
        first.network,
        rows.flatMap((row) => row.position ?? [])
      )
      const works: Array<Work> = []
      const gone: Array<string> = []
      for (const row of rows) {
        const event = row.position === null ? parseLedgerEvent(row.testEvent) : eventAt(row.position)
        if (event === undefined) gone.push(row.id)
        else works.push(toWork(row, event, kind))
      }
      if (gone.length > 0) {
        yield* deliveries.fail(gone, "event no longer retained", yield* Clock.currentTimeMillis)
      }
      return { rows: rows.length, lastId: rows.at(-1)!.id, works }
    }).pipe(retryUntilSuccess("reading a page of the backlog"))
})
