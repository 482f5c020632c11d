/**
 * Keeps the newest events of a network in memory, for all of its streams. One fiber polls the end of the log while the
 * scope is open. The number of events is limited: the oldest are dropped, and a stream that is further behind reads the
 * log itself. While the log cannot be read, no events arrive; then reading resumes where it stopped.
 */
import { Effect, Latch, type Scope } from "effect"
import { eventsTopic } from "../../../spine/event/LedgerEvent.ts"
import type { Network } from "../../../spine/event/Network.ts"
import { Log, type LogError, type LogRecord } from "../../../spine/log/Log.ts"
import { retryUntilSuccess } from "../../../spine/observe/RetryUntilSuccess.ts"
import { type StreamEvent, streamEventOf } from "./Frames.ts"
import { StreamLimits } from "./Limits.ts"

/** Between reads of a network's newest events, which all its streams share. Ledgers close every 3 to 5 s. */
const POLL_MS = 200

export interface EventTail {
  /** All events from this offset to `end` are in `recent`. */
  readonly start: number
  /** The offset after the last record read. */
  readonly end: number
  /** The id of the last event read, or of the log's last event at the start. */
  readonly lastId: string | undefined
  /** Index in `recent` of the first event at `offset` or beyond. */
  readonly indexAt: (offset: number) => number
  readonly recent: ReadonlyArray<StreamEvent>
  /** Waits until the end is beyond `offset`. */
  readonly reached: (offset: number) => Effect.Effect<void>
}

interface Most {
  readonly recentEvents: number
  readonly recentChars: number
}

/** Events are dropped at this multiple of the limits, many at once, since dropping copies the array. */
const SLACK = 1.5

const charsOf = ({ included, text }: StreamEvent): number =>
  text.length + included.memos.length + included.balance_changes.length

class Tail implements EventTail {
  start: number
  end: number
  lastId: string | undefined
  recent: Array<StreamEvent> = []
  #chars = 0
  #advanced = Latch.makeUnsafe()
  readonly #most: Most

  constructor(last: LogRecord | undefined, most: Most) {
    this.end = last === undefined ? 0 : last.offset + 1
    this.start = this.end
    this.lastId = last && streamEventOf(last)?.eventId
    this.#most = most
  }

  indexAt(offset: number): number {
    let [low, high] = [0, this.recent.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.recent[middle]!.offset < offset) low = middle + 1
      else high = middle
    }
    return low
  }

  reached(offset: number): Effect.Effect<void> {
    return Effect.suspend(() =>
      this.end > offset
        ? Effect.void
        : Effect.flatMap(Latch.await(this.#advanced), () => this.reached(offset))
    )
  }

  push(records: ReadonlyArray<LogRecord>): void {
    for (const record of records) {
      const event = streamEventOf(record)
      this.end = record.offset + 1
      if (event === undefined) continue
      this.recent.push(event)
      this.#chars += charsOf(event)
      this.lastId = event.eventId
    }
    this.#trim()
    const waiting = this.#advanced
    this.#advanced = Latch.makeUnsafe()
    waiting.openUnsafe()
  }

  #trim(): void {
    const { recentChars, recentEvents } = this.#most
    if (this.recent.length <= SLACK * recentEvents && this.#chars <= SLACK * recentChars) return
    let drop = 0
    while (this.recent.length - drop > recentEvents || this.#chars > recentChars)
      this.#chars -= charsOf(this.recent[drop++]!)
    this.recent.splice(0, drop)
    this.start = this.recent[0]?.offset ?? this.end
  }
}

export const makeTail = Effect.fnUntraced(function* (
  network: Network
): Effect.fn.Return<EventTail, LogError, Log | Scope.Scope> {
  const log = yield* Log
  const limits = yield* StreamLimits
  const partition = { topic: eventsTopic(network), partition: 0 }
  const tail = new Tail(yield* log.last(partition), limits)
  const follow = Effect.gen(function* () {
    const records = yield* log.read({ ...partition, offset: tail.end }, limits.readRecords)
    if (records.length === 0) yield* Effect.sleep(POLL_MS)
    else tail.push(records)
  })
  yield* follow.pipe(
    retryUntilSuccess(`reading new events of ${network} for streams`),
    Effect.forever,
    Effect.forkScoped
  )
  return tail
})
