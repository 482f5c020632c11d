/**
 * What one stream gives, piece by piece: the events that match, in the log's order, from one offset on. It has a single
 * position, so nothing is missed or given twice where the log's past ends and new events begin: events that the tail still
 * holds are taken from there, older ones are read from the log. The next piece is made when the reader has taken the one
 * before; nothing else is kept for it.
 */
import { Clock, Deferred, Effect, Semaphore } from "effect"
import { StreamLimits } from "../../config/StreamLimits.ts"
import type { EventType } from "../../domain/EventType.ts"
import { eventsTopic } from "../../domain/LedgerEvent.ts"
import type { Network } from "../../domain/Network.ts"
import { EventLog } from "../../log/EventLog.ts"
import type { EventTail } from "./EventTail.ts"
import { type Ending, heartbeat, lastWords, type StreamEvent, streamEventOf } from "./Frames.ts"

export interface EventFilter {
  readonly network: Network
  /** Undefined: every type. */
  readonly eventTypes: ReadonlySet<EventType> | undefined
  readonly account: string | undefined
}

/** Where a stream begins: the offset of its first event, and the event before it. */
export interface Position {
  readonly next: number
  readonly id: string | undefined
}

export const makeStreamReader = Effect.fnUntraced(function* (options: {
  readonly filter: EventFilter
  readonly from: Position
  readonly tail: EventTail
  /** Of streams that read the log. */
  readonly reads: Semaphore.Semaphore
  readonly ended: Deferred.Deferred<Ending>
}) {
  const { ended, filter, from, reads, tail } = options
  const log = yield* EventLog
  const limits = yield* StreamLimits
  const { account, eventTypes, network } = filter
  const wants = (event: StreamEvent): boolean =>
    (eventTypes === undefined || eventTypes.has(event.eventType)) &&
    (account === undefined || event.accounts.includes(account))

  let { id, next } = from
  /** Read from the log, and not yet given. */
  let ahead: ReadonlyArray<StreamEvent> = []
  let sentId: string | undefined
  let wroteAt: number | undefined
  /** When it last had all events; undefined as long as it never had. */
  let currentAt = next >= tail.end ? yield* Clock.currentTimeMillis : undefined
  let ending: Ending | undefined
  let isOver = false

  /** The texts of the wanted events from `index` on, until they are a piece; how many events were passed. */
  const gather = (events: ReadonlyArray<StreamEvent>, index: number) => {
    let text = ""
    let end = index
    while (end < events.length && text.length < limits.pieceChars) {
      const event = events[end++]!
      if (wants(event)) {
        text += event.text
        sentId = event.eventId
      }
      id = event.eventId
      next = event.offset + 1
    }
    return { text, end }
  }

  const fromTail = () => {
    // Records without an event are none of `recent`: the end counts them.
    const { end: tailEnd, recent } = tail
    const { text, end } = gather(recent, tail.indexAt(next))
    if (end === recent.length) next = tailEnd
    return text
  }

  const fromLog = Effect.gen(function* () {
    if (ahead.length === 0) {
      // Asked for before reading: what is below it and is not read now is not in the log.
      const { start } = tail
      const records = yield* log
        .read({ topic: eventsTopic(network), partition: 0, offset: next }, limits.readRecords)
        .pipe(Semaphore.withPermits(reads, 1))
      ahead = records.map(streamEventOf).filter((event) => event !== undefined)
      if (ahead.length === 0) next = (records.at(-1)?.offset ?? start - 1) + 1
    }
    const { text, end } = gather(ahead, 0)
    ahead = ahead.slice(end)
    // Whatever is further back, everything else has its turn.
    yield* Effect.yieldNow
    return text
  })

  const step = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    if (ahead.length === 0 && next >= tail.end) {
      currentAt = nowMs
      const untilHeartbeat = Math.max(0, (wroteAt ?? nowMs) + limits.heartbeatMs - nowMs)
      yield* Effect.raceAllFirst([tail.reached(next), Deferred.await(ended), Effect.sleep(untilHeartbeat)])
      return ""
    }
    if (currentAt !== undefined && nowMs - currentAt > limits.behindMs) {
      ending = "slow"
      return ""
    }
    return ahead.length === 0 && next >= tail.start ? fromTail() : yield* fromLog
  })

  /** The next piece; undefined at the end. */
  const piece = Effect.gen(function* () {
    if (isOver) return undefined
    while (true) {
      ending ??= Deferred.isDoneUnsafe(ended) ? yield* Deferred.await(ended) : undefined
      if (ending !== undefined) {
        isOver = true
        return lastWords(ending)
      }
      // The first piece is a heartbeat: it tells the reader that the stream is open, and where it begins.
      const text = wroteAt === undefined ? "" : yield* step
      const nowMs = yield* Clock.currentTimeMillis
      const isDue = wroteAt === undefined || nowMs - wroteAt >= limits.heartbeatMs
      if (text === "" && (!isDue || ending !== undefined)) continue
      wroteAt = nowMs
      if (text !== "") return text
      const newId = id === sentId ? undefined : id
      sentId = id
      return heartbeat(newId)
    }
  }).pipe(
    Effect.catchTag(
      "EventLogError",
      Effect.fnUntraced(function* (error) {
        yield* Effect.logWarning("a stream ends: the log cannot be read", error)
        isOver = true
        ending = "log"
        return lastWords(ending)
      })
    )
  )

  return { piece, endedBecause: () => ending }
})
