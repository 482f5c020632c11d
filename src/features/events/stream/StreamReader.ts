/**
 * Makes the pieces of one stream: the events that match, in the log's order, from one offset on. A stream has a
 * single position, so it neither misses nor repeats an event between past and new events. It reads events from the
 * tail if the tail has them, and otherwise from the log. It makes a piece only after the client has taken the
 * previous piece, so nothing is queued.
 */
import { Deferred, Effect } from "effect"
import { Limits } from "../../../spine/config/Limits.ts"
import type { EventType } from "../../../spine/event/EventType.ts"
import type { Includable } from "../../../spine/event/Include.ts"
import { eventsTopic } from "../../../spine/event/LedgerEvent.ts"
import type { Network } from "../../../spine/event/Network.ts"
import { Log } from "../../../spine/log/Log.ts"
import { monotonicNow } from "../../../spine/words/Monotonic.ts"
import type { EventTail } from "./EventTail.ts"
import { type Ending, heartbeat, lastWords, type StreamEvent, streamEventOf, textWith } from "./Frames.ts"
import { StreamLimits } from "./Limits.ts"

export interface EventFilter {
  readonly network: Network
  /** Undefined: every type. */
  readonly eventTypes: ReadonlySet<EventType> | undefined
  readonly account: string | undefined
}

/** The start of a stream: the offset of its first event, and the event before it. */
export interface Position {
  readonly next: number
  readonly id: string | undefined
}

export const makeStreamReader = Effect.fnUntraced(function* (options: {
  readonly filter: EventFilter
  readonly include: ReadonlyArray<Includable>
  readonly from: Position
  readonly tail: EventTail
  /** Runs a read of the log when it is the turn of the stream's account. */
  readonly inTurn: <A, E>(read: Effect.Effect<A, E>) => Effect.Effect<A, E>
  readonly ended: Deferred.Deferred<Ending>
}) {
  const { ended, filter, from, include, inTurn, tail } = options
  const log = yield* Log
  const limits = yield* StreamLimits
  const { account, eventTypes, network } = filter
  const wants = (event: StreamEvent): boolean =>
    (eventTypes === undefined || eventTypes.has(event.eventType)) &&
    (account === undefined || event.accounts.includes(account))

  let { id, next } = from
  /** Read from the log, and not sent yet. */
  let ahead: ReadonlyArray<StreamEvent> = []
  let sentId: string | undefined
  let wroteAt: number | undefined
  /** When the stream last had all events; undefined if it never had. */
  let currentAt = next >= tail.end ? yield* monotonicNow : undefined
  let ending: Ending | undefined
  let isOver = false

  /** The texts of the wanted events from `index` on, up to one piece, and the index after the last event read. */
  const gather = (events: ReadonlyArray<StreamEvent>, index: number) => {
    let text = ""
    let end = index
    while (end < events.length && text.length < limits.pieceChars) {
      const event = events[end++]!
      if (wants(event)) {
        text += textWith(event, include)
        sentId = event.eventId
      }
      id = event.eventId
      next = event.offset + 1
    }
    return { text, end }
  }

  const fromTail = () => {
    // `recent` has no entry for a record without an event; `end` counts it.
    const { end: tailEnd, recent } = tail
    const { text, end } = gather(recent, tail.indexAt(next))
    if (end === recent.length) next = tailEnd
    return text
  }

  const fromLog = Effect.gen(function* () {
    if (ahead.length === 0) {
      // The end is read before the records. If this read does not return a record below that end, the log does not
      // have it.
      const { start } = tail
      const read = log.read({ topic: eventsTopic(network), partition: 0, offset: next }, limits.readRecords)
      const { events, last } = yield* inTurn(
        Effect.map(read, (records) => ({
          events: records.map(streamEventOf).filter((event) => event !== undefined),
          last: records.at(-1)
        }))
      )
      ahead = events
      if (ahead.length === 0) next = (last?.offset ?? start - 1) + 1
    }
    const { text, end } = gather(ahead, 0)
    ahead = ahead.slice(end)
    // A long catch-up must not block other work.
    yield* Effect.yieldNow
    return text
  })

  const step = Effect.gen(function* () {
    const nowMs = yield* monotonicNow
    if (ahead.length === 0 && next >= tail.end) {
      currentAt = nowMs
      const untilHeartbeat = Math.max(0, (wroteAt ?? nowMs) + Limits.heartbeatMs - nowMs)
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
      // The first piece is a heartbeat. It shows the reader that the stream is open and where it begins.
      const text = wroteAt === undefined ? "" : yield* step
      const nowMs = yield* monotonicNow
      const isDue = wroteAt === undefined || nowMs - wroteAt >= Limits.heartbeatMs
      if (text === "" && (!isDue || ending !== undefined)) continue
      wroteAt = nowMs
      if (text !== "") return text
      const newId = id === sentId ? undefined : id
      sentId = id
      return heartbeat(newId)
    }
  }).pipe(
    Effect.catchTag(
      "LogError",
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
