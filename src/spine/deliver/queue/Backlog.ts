/**
 * The backlog of an actor's webhooks: rows that wait in PostgreSQL. Pages become work in the order of delivery ids.
 * Events are read from the log; a test delivery has its event in its row. If retention has dropped the event, the
 * delivery ends `failed`. Statements are retried until they succeed.
 */

import { Clock, Effect } from "effect"
import { type BacklogDelivery, type BacklogKind, DeliveryStore } from "../../deliveries/DeliveryStore.ts"
import { type LedgerEvent, parseLedgerEvent } from "../../event/LedgerEvent.ts"
import { StoredEvents } from "../../log/ledgers/StoredEvents.ts"
import { retryUntilSuccess } from "../../observe/RetryUntilSuccess.ts"
import type { WebhookId } from "../../words/Ids.ts"
import { DeliverLimits } from "../Limits.ts"
import { attemptKey, type LaneKind, type Work } from "../Work.ts"

export interface BacklogPage {
  /** How many rows were read. Fewer than `limit` means that this was the last page. */
  readonly rows: number
  readonly lastId: string
  readonly works: ReadonlyArray<Work>
  /** The first of the works that waits for its time, and for how long. A test delivery does not count. */
  readonly notDue?: { readonly place: number; readonly waitMs: number } | undefined
}

/** The row's times are of a process whose clock may be ahead: the wait is no longer than its whole delay. */
const waitOf = ({ nextAttemptAt, nextDelayMs, testEvent }: BacklogDelivery, nowMs: number): number =>
  testEvent === null ? Math.ceil(Math.min((nextAttemptAt ?? 0) - nowMs, nextDelayMs ?? 0)) : 0

const toWork = (row: BacklogDelivery, event: LedgerEvent, kind: BacklogKind): Work => {
  const attempt = row.attempts + 1
  return {
    key: attemptKey(row.id, attempt),
    deliveryId: row.id,
    attempt,
    seriesAttempt: attempt - row.seriesStart,
    event,
    kind: kind === "replays" ? "replays" : "live",
    isTest: row.testEvent !== null,
    acknowledge: undefined,
    queuedAt: 0,
    wasFree: false
  }
}

export const makeBacklog = Effect.gen(function* () {
  const deliveries = yield* DeliveryStore
  const storedEvents = yield* StoredEvents
  const { rowsAtOnce } = yield* DeliverLimits

  const readPage = Effect.fnUntraced(function* (
    webhookId: WebhookId,
    kind: BacklogKind,
    afterId: string,
    limit: number
  ) {
    const rows = yield* deliveries.backlogPage(webhookId, kind, afterId, limit)
    const first = rows[0]
    if (first === undefined) return { rows: 0, lastId: "", works: [] }
    // A webhook belongs to one network.
    const eventAt = yield* storedEvents.at(
      first.network,
      rows.flatMap((row) => row.position ?? [])
    )
    const now = yield* Clock.currentTimeMillis
    let notDue: BacklogPage["notDue"]
    const works: Array<Work> = []
    const gone: Array<string> = []
    for (const row of rows) {
      const event = row.position === null ? parseLedgerEvent(row.testEvent) : eventAt(row.position)
      if (event === undefined) {
        gone.push(row.id)
        continue
      }
      const waitMs = waitOf(row, now)
      if (waitMs > 0) notDue ??= { place: works.length, waitMs }
      works.push(toWork(row, event, kind))
    }
    if (gone.length > 0) yield* deliveries.fail(gone, "event no longer retained", now)
    return { rows: rows.length, lastId: rows.at(-1)!.id, works, notDue }
  })

  return {
    readPage: (
      webhookId: WebhookId,
      kind: BacklogKind,
      afterId: string,
      limit: number
    ): Effect.Effect<BacklogPage> =>
      readPage(webhookId, kind, afterId, limit).pipe(retryUntilSuccess("reading a page of the backlog")),

    /** Moves the rows of these works to the backlog. Rows that are missing are made. */
    move: Effect.fnUntraced(function* (lane: LaneKind, works: ReadonlyArray<Work>) {
      for (let i = 0; i < works.length; i += rowsAtOnce) {
        yield* deliveries
          .moveToBacklog(works.slice(i, i + rowsAtOnce), lane)
          .pipe(retryUntilSuccess("moving deliveries to the backlog"))
      }
    }),

    /** Ends deliveries of deleted webhooks. Rows that are missing are made. */
    end: Effect.fnUntraced(function* (works: ReadonlyArray<Work>) {
      if (works.length === 0) return
      const now = yield* Clock.currentTimeMillis
      yield* deliveries
        .failUnwritten(works, "webhook deleted", now)
        .pipe(retryUntilSuccess("ending deliveries of deleted webhooks"))
    })
  }
})
