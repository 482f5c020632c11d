/**
 * Sends events at a steady pace to webhooks, some of which misbehave, and measures the deliveries to those that answer
 * at once. The receiver is arrivalsProgram.ts.
 */
import { Effect } from "effect"
import type { Arrival } from "./arrivalsProgram.ts"
import type { Child } from "./Child.ts"
import { queueWorks, worksOf } from "./delivering.ts"
import { quantile } from "./rounds.ts"
import { appendEvents, makeEvents } from "./webhooks.ts"

const BODY_BYTES = 1_024

export interface Paced {
  /** Deliveries to the good webhooks per second. */
  readonly perSecond: number
  /** Median of the times from the append of the work to the log until its request arrives. */
  readonly p50Ms: number
  readonly p99Ms: number
}

export interface PacedOptions {
  readonly receiver: Child
  readonly accountId: string
  /** How many of the webhooks, counted from the first, answer at once. */
  readonly good: number
}

const now = () => performance.timeOrigin + performance.now()

/**
 * Queues `count` events for the webhooks, one every `everyMs`, and waits until the good ones have theirs. Events of
 * one `series` are the same.
 */
export const deliverPaced = Effect.fnUntraced(function* (
  { receiver, accountId, good }: PacedOptions,
  webhookIds: ReadonlyArray<string>,
  count: number,
  everyMs: number,
  series: number
) {
  const events = makeEvents(count, BODY_BYTES, series)
  const offsets = yield* appendEvents(events)
  const queuedAt = new Map<string, number>()
  const arrived = new Map<string, number>()
  const take = Effect.map(receiver.ask("arrivals"), (answer) => {
    // Sent by support/arrivalsProgram.ts.
    for (const [id, path, atMs] of answer as ReadonlyArray<Arrival>)
      if (path === "/hook" && queuedAt.has(id) && !arrived.has(id)) arrived.set(id, atMs)
  })
  const began = now()
  for (const [i, event] of events.entries()) {
    const waitMs = began + i * everyMs - now()
    if (waitMs > 0) yield* Effect.sleep(waitMs)
    const works = worksOf([event], webhookIds)
    // It makes no difference here which account owns the rows.
    yield* queueWorks(works, accountId, new Map([[event.event_id, offsets[i]!]]))
    const queued = now()
    for (const { delivery_id } of works.slice(0, good)) queuedAt.set(delivery_id, queued)
  }
  while (arrived.size < count * good) {
    yield* take
    yield* Effect.sleep(20)
  }
  const waited = [...arrived].map(([id, atMs]) => atMs - queuedAt.get(id)!)
  const paced: Paced = {
    perSecond: (count * good * 1_000) / (Math.max(...arrived.values()) - began),
    p50Ms: quantile(waited, 0.5),
    p99Ms: quantile(waited, 0.99)
  }
  return paced
})
