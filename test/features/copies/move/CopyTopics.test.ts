/** Topics are copied once each, also if the copy is interrupted, and offsets of the copies are known exactly. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import {
  compareCopies,
  copyPartition,
  finishCopies
} from "../../../../src/features/copies/move/CopyTopics.ts"
import { makeOffsetMap } from "../../../../src/features/copies/move/OffsetMap.ts"
import { Log, type NewRecord } from "../../../../src/spine/log/Log.ts"
import { faultyLog } from "../../../support/log/faultyLog.ts"
import * as MemoryLog from "../../../support/log/memory/MemoryLog.ts"
import { settingsLayer } from "../../../support/program/settings.ts"

const newLog = Effect.map(
  Layer.build(Layer.fresh(MemoryLog.layer).pipe(Layer.provide(settingsLayer()))),
  Context.get(Log)
)
const partition = { topic: "xrpl.mainnet.events", partition: 0 }
const recordsOf = (count: number, from = 0) =>
  Array.from(
    { length: count },
    (_, i): NewRecord => ({
      topic: partition.topic,
      key: "mainnet",
      value: `event ${from + i}`,
      headers: { n: String(i) },
      timestamp: 1_000 + i
    })
  )
const all = (log: Log["Service"]) => log.read({ ...partition, offset: 0 }, 10_000)
const options = { partition, from: 0, onCopied: () => Effect.void }

describe("a copied topic", () => {
  it.effect("has the records of the other, with their headers and times", () =>
    Effect.gen(function* () {
      const [source, target] = [yield* newLog, yield* newLog]
      yield* source.transaction({ append: recordsOf(1_200) })
      yield* copyPartition(source, target, options)
      assert.deepStrictEqual(yield* all(target), yield* all(source))
    }).pipe(Effect.scoped)
  )

  it.effect("continues after an interruption without a gap or a duplicate", () =>
    Effect.gen(function* () {
      const [source, target] = [yield* newLog, yield* newLog]
      yield* source.transaction({ append: recordsOf(1_200) })
      let copied = 0
      const onCopied = (records: number) => {
        copied += records
        return Effect.die(new Error("killed"))
      }
      yield* Effect.exit(copyPartition(source, target, { ...options, onCopied }))
      assert.isAbove(copied, 0)
      assert.isBelow((yield* all(target)).length, 1_200)
      yield* copyPartition(source, target, options)
      assert.deepStrictEqual(yield* all(target), yield* all(source))
    }).pipe(Effect.scoped)
  )

  it.effect("has each record once, though transactions fail before or after they have landed", () =>
    Effect.gen(function* () {
      const [source, plain] = [yield* newLog, yield* newLog]
      yield* source.transaction({ append: recordsOf(1_200) })
      const faulty = faultyLog(["before", "after", "before", "before"]).pipe(
        Layer.provide(Layer.succeed(Log, plain))
      )
      const target = Context.get(yield* Layer.build(faulty), Log)
      const copying = yield* Effect.forkScoped(copyPartition(source, target, options))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(copying)
      assert.deepStrictEqual(yield* all(plain), yield* all(source))
    }).pipe(Effect.scoped, Effect.provide(Logger.layer([])))
  )

  it.effect("keeps the records of a unit in one transaction", () =>
    Effect.gen(function* () {
      const [source, target] = [yield* newLog, yield* newLog]
      yield* source.transaction({ append: recordsOf(1_500) })
      const sizes: Array<number> = []
      const counting = {
        ...target,
        transaction: (given: Parameters<typeof target.transaction>[0]) => {
          sizes.push(given.append.length)
          return target.transaction(given)
        }
      }
      yield* copyPartition(source, counting, { ...options, units: [{ offset: 100, records: 900 }] })
      assert.deepStrictEqual(sizes, [100, 900, 500])
    }).pipe(Effect.scoped)
  )

  it.effect("is not made in a topic that contains other records, also not those of an earlier move", () =>
    Effect.gen(function* () {
      const [source, target] = [yield* newLog, yield* newLog]
      yield* source.transaction({ append: recordsOf(3) })
      yield* copyPartition(source, target, options)
      yield* finishCopies(target, [partition])
      const { message } = yield* Effect.flip(copyPartition(source, target, options))
      assert.match(message, /^the topic xrpl\.mainnet\.events of the other log contains records already; /)
    }).pipe(Effect.scoped)
  )

  it.effect("is refused if it differs from its original", () =>
    Effect.gen(function* () {
      const [source, target] = [yield* newLog, yield* newLog]
      yield* source.transaction({ append: recordsOf(3) })
      yield* target.transaction({ append: [...recordsOf(2), ...recordsOf(1, 9)] })
      const { message } = yield* Effect.flip(compareCopies(source, target, partition))
      assert.match(message, /^the copy differs from the original at xrpl\.mainnet\.events\/0@2: /)
    }).pipe(Effect.scoped)
  )
})

describe("offsets", () => {
  it("of records, of gaps between them, before the first and after the last are translated", () => {
    // Records 100, 101, 103 (102 is a transaction marker) of a log that ends at 105 are 0, 1 and 2 of one that ends at 3.
    const { add, finish } = makeOffsetMap({ start: 100, end: 105 }, { start: 0, end: 3 })
    for (const [i, from] of [100, 101, 103].entries()) add(from, i)
    const { next, runs } = finish()
    assert.deepStrictEqual(
      [98, 99, 100, 101, 102, 103, 104, 105, 106].map(next),
      [-2, -1, 0, 1, 2, 2, 3, 3, 4]
    )
    assert.strictEqual(runs.length, 4)
  })

  it("of an empty topic are those of its ends", () => {
    const { next } = makeOffsetMap({ start: 5, end: 5 }, { start: 0, end: 0 }).finish()
    assert.deepStrictEqual([4, 5, 6].map(next), [-1, 0, 1])
  })
})
