/** Reading events for the backlog, from a log that counts its reads. */

import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { type EventPosition, historyEventsTopic } from "../../../../src/spine/domain/Backfill.ts"
import { eventsTopic } from "../../../../src/spine/event/LedgerEvent.ts"
import { logLimits } from "../../../../src/spine/log/Limits.ts"
import { Log } from "../../../../src/spine/log/Log.ts"
import { StoredEvents } from "../../../../src/spine/log/ledgers/StoredEvents.ts"
import { eventOf } from "../../../support/deliver/events.ts"
import * as MemoryLog from "../../../support/log/memory/MemoryLog.ts"
import { settingsLayer } from "../../../support/program/settings.ts"

const PIECE = logLimits.eventPieceRecords
const TOPIC = eventsTopic("mainnet")

const idOf = (topic: string, offset: number) => `${topic} ${offset}`

/** Appends events to a topic that already has `from` events. */
const append = (topic: string, from: number, count: number) =>
  Effect.flatMap(Log, (log) =>
    log.transaction({
      append: Array.from({ length: count }, (_, i) => ({
        topic,
        key: "mainnet",
        value: JSON.stringify({ ...eventOf({}), event_id: idOf(topic, from + i) })
      }))
    })
  )

const idsOf = Effect.fnUntraced(function* (positions: ReadonlyArray<EventPosition>) {
  const parked = yield* StoredEvents
  const eventAt = yield* parked.at("mainnet", positions)
  return positions.map((position) => eventAt(position)?.event_id)
})
const idsAt = (offsets: ReadonlyArray<number>) =>
  idsOf(offsets.map((offset) => ({ fromHistory: false, offset, eventId: idOf(TOPIC, offset) })))

/** Runs a test on a new log; the test gets the list of the log's reads. */
const onLog = <E, R>(
  test: (reads: ReadonlyArray<number>) => Effect.Effect<void, E, R | StoredEvents | Log>
) => {
  const reads: Array<number> = []
  const counting = Layer.effect(
    Log,
    Effect.map(Log, (log) =>
      Log.of({
        ...log,
        read: (from, max) =>
          Effect.suspend(() => {
            reads.push(from.offset)
            return log.read(from, max)
          })
      })
    )
  ).pipe(Layer.provide(MemoryLog.layer), Layer.provide(settingsLayer({})))
  return test(reads).pipe(Effect.provide(StoredEvents.layer.pipe(Layer.provideMerge(counting))))
}

describe("events of the backlog", () => {
  it.effect("are read from the log once, however many pages need them", () =>
    onLog((reads) =>
      Effect.gen(function* () {
        yield* append(TOPIC, 0, 3 * PIECE)
        const offsets = [1, 2, PIECE - 1, PIECE, 2 * PIECE + 5, 2]
        const pages = yield* Effect.all(
          Array.from({ length: 20 }, () => idsAt(offsets)),
          { concurrency: "unbounded" }
        )
        for (const page of pages)
          assert.deepStrictEqual(
            page,
            offsets.map((offset) => idOf(TOPIC, offset))
          )
        assert.deepStrictEqual(reads, [0, PIECE, 2 * PIECE])
      })
    )
  )

  it.effect("are found at the end of the log, which grows", () =>
    onLog(() =>
      Effect.gen(function* () {
        yield* append(TOPIC, 0, 5)
        assert.deepStrictEqual(yield* idsAt([4]), [idOf(TOPIC, 4)])
        yield* append(TOPIC, 5, 5)
        assert.deepStrictEqual(yield* idsAt([4, 9]), [idOf(TOPIC, 4), idOf(TOPIC, 9)])
        assert.deepStrictEqual(yield* idsAt([10]), [undefined])
      })
    )
  )

  it.effect("are read from the history topic if their rows say so", () =>
    onLog(() =>
      Effect.gen(function* () {
        const history = historyEventsTopic("mainnet")
        yield* append(TOPIC, 0, 3)
        yield* append(history, 0, 3)
        const positions = [TOPIC, history].map((topic) => ({
          fromHistory: topic === history,
          offset: 2,
          eventId: idOf(topic, 2)
        }))
        assert.deepStrictEqual(yield* idsOf(positions), [idOf(TOPIC, 2), idOf(history, 2)])
      })
    )
  )

  it.effect("are gone if another event has their place, because the topic was made again", () =>
    onLog(() =>
      Effect.gen(function* () {
        yield* append(TOPIC, 0, 3)
        const positions = [{ fromHistory: false, offset: 2, eventId: "of the topic before" }]
        assert.deepStrictEqual(yield* idsOf(positions), [undefined])
      })
    )
  )

  it.effect("are dropped from the cache when others are used more recently", () =>
    onLog((reads) =>
      Effect.gen(function* () {
        const pieces = logLimits.eventPieces + 1
        for (let i = 0; i < pieces; i++) yield* append(TOPIC, i * PIECE, PIECE)
        for (let i = 0; i < pieces; i++) yield* idsAt([i * PIECE])
        assert.strictEqual(reads.length, pieces)
        yield* idsAt([(pieces - 1) * PIECE, PIECE])
        assert.strictEqual(reads.length, pieces)
        yield* idsAt([0])
        assert.strictEqual(reads.length, pieces + 1)
      })
    )
  )
})
