/** One stream on a virtual clock: heartbeats, the change from past to new events, and why the stream ends. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { makeBlockReader } from "../../../../src/features/events/follow/Blocks.ts"
import { makeTail } from "../../../../src/features/events/stream/EventTail.ts"
import type { Ending } from "../../../../src/features/events/stream/Frames.ts"
import { StreamLimits } from "../../../../src/features/events/stream/Limits.ts"
import { type EventFilter, makeStreamReader } from "../../../../src/features/events/stream/StreamReader.ts"
import type { Includable } from "../../../../src/spine/event/Include.ts"
import { Log, LogError } from "../../../../src/spine/log/Log.ts"
import { offsetOfEvent } from "../../../../src/spine/log/ledgers/EventPosition.ts"
import * as MemoryLog from "../../../support/log/memory/MemoryLog.ts"
import { settingsLayer } from "../../../support/program/settings.ts"
import { stepWallClock } from "../../../support/program/wallClock.ts"
import { appendLedgers, appendNoise, ledgersOf } from "../eventStream.ts"

const everything: EventFilter = { network: "mainnet", eventTypes: undefined, account: undefined }

/** A stream from `next` on, by default from the current end of the log. */
const start = Effect.fnUntraced(function* (
  next?: number,
  filter: EventFilter = everything,
  include: ReadonlyArray<Includable> = []
) {
  const tail = yield* makeTail("mainnet")
  const ended = yield* Deferred.make<Ending>()
  const { endedBecause, piece } = yield* makeStreamReader({
    filter,
    include,
    from: { next: next ?? tail.end, id: tail.lastId },
    tail,
    inTurn: (read) => read,
    ended
  })
  const read = makeBlockReader()
  const blocks = Effect.map(piece, (text) => read(text ?? ""))
  return { tail, ended, endedBecause, piece, blocks }
})

type Stream = Effect.Success<ReturnType<typeof start>>

/** The ids of the next `count` events. The clock advances while there are none. */
const nextIds = Effect.fnUntraced(function* ({ blocks }: Stream, count: number) {
  const ids: Array<string> = []
  const taking = yield* Effect.forkChild(
    Effect.gen(function* () {
      while (ids.length < count)
        for (const { data, id } of yield* blocks) if (data !== undefined) ids.push(id!)
    })
  )
  while (taking.pollUnsafe() === undefined) yield* TestClock.adjust(50)
  yield* Fiber.join(taking)
  return ids
})

const error = (text: string | undefined) => {
  const [block] = makeBlockReader()(text ?? "")
  assert.strictEqual(block?.event, "error")
  return JSON.parse(block?.data ?? "").error
}

const limits = (changed: object) =>
  Layer.effect(
    StreamLimits,
    Effect.map(StreamLimits, (standard) => ({ ...standard, ...changed }))
  )

const small = limits({ recentEvents: 6, readRecords: 5, pieceChars: 1_000 })
const logs = Layer.mergeAll(MemoryLog.layer, small).pipe(Layer.provide(settingsLayer()))

describe("a stream", () => {
  it.effect("sends a heartbeat every 15 s, which says how far it has read when nothing matched", () =>
    Effect.gen(function* () {
      const events = ledgersOf({ first: 10, count: 2 })
      yield* appendLedgers(events.slice(0, 4))
      const { piece } = yield* start(undefined, { ...everything, account: "rNobody" })
      assert.strictEqual(yield* piece, `: keep-alive\nid: ${events[3]!.event_id}\n\n`)
      const silent = yield* Effect.forkChild(piece)
      yield* TestClock.adjust("14 seconds")
      yield* appendLedgers(events.slice(4))
      assert.isUndefined(silent.pollUnsafe())
      yield* TestClock.adjust("1 seconds")
      assert.strictEqual(yield* Fiber.join(silent), `: keep-alive\nid: ${events[7]!.event_id}\n\n`)
      const again = yield* Effect.forkChild(piece)
      yield* TestClock.adjust("15 seconds")
      assert.strictEqual(yield* Fiber.join(again), ": keep-alive\n\n")
    }).pipe(Effect.scoped, Effect.provide(logs))
  )

  it.effect(
    "is the whole log in order, from memory or the database, without records that are no events",
    () =>
      Effect.gen(function* () {
        const events = ledgersOf({ first: 10, count: 12 })
        const ids = events.map(({ event_id }) => event_id)
        yield* appendLedgers(events.slice(0, 16))
        yield* appendNoise("mainnet", 7)
        const stream = yield* start(0)
        assert.deepStrictEqual(yield* nextIds(stream, 3), ids.slice(0, 2 + 1))
        // The tail moves past the records that it keeps.
        yield* appendLedgers(events.slice(16, 40))
        yield* appendNoise("mainnet", 2)
        yield* TestClock.adjust("1 seconds")
        assert.isAbove(stream.tail.start, 16)
        assert.deepStrictEqual(yield* nextIds(stream, 37), ids.slice(3, 40))
        yield* appendLedgers(events.slice(40))
        assert.deepStrictEqual(yield* nextIds(stream, 8), ids.slice(40))
      }).pipe(
        Effect.scoped,
        Effect.provide(
          Layer.mergeAll(MemoryLog.layer, limits({ recentEvents: 6, readRecords: 5, pieceChars: 1 })).pipe(
            Layer.provide(settingsLayer())
          )
        )
      )
  )

  for (const ms of [-3_600_000, 3_600_000]) {
    it.effect(`keeps its heartbeat and goes on if the wall clock is set by ${ms / 1_000} s`, () =>
      Effect.gen(function* () {
        const stream = yield* start()
        yield* stream.piece
        const silent = yield* Effect.forkChild(stream.piece)
        yield* TestClock.adjust("10 seconds")
        yield* stepWallClock(ms)
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual(yield* Fiber.join(silent), ": keep-alive\n\n")
        const events = ledgersOf({ first: 10, count: 1 })
        yield* appendLedgers(events)
        yield* stepWallClock(ms)
        assert.deepStrictEqual(
          yield* nextIds(stream, events.length),
          events.map(({ event_id }) => event_id)
        )
        assert.isUndefined(stream.endedBecause())
      }).pipe(Effect.scoped, Effect.provide(logs))
    )
  }

  it.effect("ends if its reader has been behind for a minute, and says that the reader is too slow", () =>
    Effect.gen(function* () {
      const stream = yield* start()
      yield* stream.piece
      yield* appendLedgers(ledgersOf({ first: 10, count: 2 }))
      assert.isNotEmpty(yield* nextIds(stream, 1))
      yield* appendLedgers(ledgersOf({ first: 12, count: 100 }))
      // The reader takes this long for one piece.
      yield* TestClock.adjust("61 seconds")
      assert.deepInclude(error(yield* stream.piece), { code: "TOO_SLOW" })
      assert.strictEqual(stream.endedBecause(), "slow")
      assert.isUndefined(yield* stream.piece)
    }).pipe(Effect.scoped, Effect.provide(logs))
  )

  it.effect("may take any time to catch up", () =>
    Effect.gen(function* () {
      const events = ledgersOf({ first: 10, count: 20 })
      yield* appendLedgers(events)
      const stream = yield* start(0)
      const ids: Array<string> = []
      while (ids.length < events.length) {
        yield* TestClock.adjust("61 seconds")
        for (const { data, id } of yield* stream.blocks) if (data !== undefined) ids.push(id!)
      }
      assert.deepStrictEqual(
        ids,
        events.map(({ event_id }) => event_id)
      )
    }).pipe(Effect.scoped, Effect.provide(logs))
  )

  it.effect("ends at once when it is asked to, also while it waits", () =>
    Effect.gen(function* () {
      const { ended, piece } = yield* start()
      yield* piece
      const waiting = yield* Effect.forkChild(piece)
      yield* Deferred.succeed(ended, "key")
      assert.deepInclude(error(yield* Fiber.join(waiting)), { code: "UNAUTHORIZED" })
      assert.isUndefined(yield* piece)
    }).pipe(Effect.scoped, Effect.provide(logs))
  )

  it.effect("ends if the log is unavailable, and says that it may be resumed", () =>
    Effect.gen(function* () {
      const log = yield* Log
      yield* appendLedgers(ledgersOf({ first: 10, count: 4 }))
      const { endedBecause, piece } = yield* start(0).pipe(
        Effect.provideService(Log, {
          ...log,
          read: ({ topic }) => Effect.fail(new LogError({ operation: "read", topic, cause: "away" }))
        })
      )
      yield* piece
      assert.deepInclude(error(yield* piece), { code: "UNAVAILABLE" })
      assert.strictEqual(endedBecause(), "log")
    }).pipe(Effect.scoped, Effect.provide(logs))
  )
})

describe("an event's place in the log", () => {
  it.effect("is found by its id, and that of an event that is not there is not", () =>
    Effect.gen(function* () {
      const log = yield* Log
      const events = ledgersOf({ first: 10, count: 40, perLedger: 3 })
      yield* appendLedgers(events)
      for (const [offset, { event_id }] of events.entries())
        assert.strictEqual(yield* offsetOfEvent(log, "mainnet", event_id), offset)
      const hash = "A".repeat(64)
      for (const ledger of ["9", "20", "50", "4294967295", "99999999999999999999"])
        assert.isUndefined(yield* offsetOfEvent(log, "mainnet", `xrpl:${ledger}:${hash}:payment.xrp`))
      assert.isUndefined(yield* offsetOfEvent(log, "testnet", events[0]!.event_id))
    }).pipe(Effect.provide(logs))
  )
})
