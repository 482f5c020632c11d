/** The memory log of several clients passes the suite of all logs, and hands partitions over as Kafka does. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Result } from "effect"
import type { AssignedPartition, Log } from "../../../../src/spine/log/Log.ts"
import { makeSharedLog } from "../../../support/log/memory/SharedLog.ts"
import { testSettings } from "../../../support/program/settings.ts"
import { suite } from "../conformance/log.ts"

const TOPIC = "webhooks.deliveries"
const PARTITIONS = 24
const shared = (markers = false) => makeSharedLog(testSettings(), markers)

/** Joins the group and keeps the partitions that the client owns now. */
const joining = Effect.fnUntraced(function* (log: Log["Service"]) {
  const owned = new Map<number, AssignedPartition>()
  const fiber = yield* Effect.forkScoped(
    log.consume({ group: "g", topics: [TOPIC] }, (partition) =>
      Effect.sync(() => owned.set(partition.partition, partition)).pipe(
        Effect.andThen(Effect.never),
        Effect.ensuring(Effect.sync(() => owned.delete(partition.partition)))
      )
    )
  )
  return { owned, fiber }
})

/** Lets every fiber come to rest: nothing here waits for time. */
const settled = Effect.forEach(Array.from({ length: 100 }), () => Effect.yieldNow, { discard: true })

for (const markers of [false, true])
  describe(`shared log, one client${markers ? ", with transaction markers" : ""}`, () => {
    suite(
      Effect.sync(() => ({ dense: !markers, durable: true, open: Effect.sync(() => SHARED.connect().log) }))
    )
    let SHARED = shared(markers)
    it.beforeEach(() => {
      SHARED = shared(markers)
    })
  })

describe("shared log", () => {
  it.effect("shares the partitions of a group evenly, each with one owner", () =>
    Effect.gen(function* () {
      const log = shared()
      const one = yield* joining(log.connect().log)
      yield* settled
      assert.strictEqual(one.owned.size, PARTITIONS)
      const two = yield* joining(log.connect().log)
      yield* settled
      assert.deepStrictEqual([one.owned.size, two.owned.size], [PARTITIONS / 2, PARTITIONS / 2])
      yield* Fiber.interrupt(one.fiber)
      yield* settled
      assert.strictEqual(two.owned.size, PARTITIONS)
    }).pipe(Effect.scoped)
  )

  it.effect("moves the partitions of an expelled client at once, and refuses its commits", () =>
    Effect.gen(function* () {
      const log = shared()
      const frozen = log.connect(Effect.never)
      const one = yield* joining(frozen.log)
      yield* settled
      const lost = [...one.owned.values()]
      frozen.expel()
      const two = yield* joining(log.connect().log)
      yield* settled
      assert.strictEqual(two.owned.size, PARTITIONS)
      assert.isTrue(Result.isFailure(yield* Effect.result(lost[0]!.commit(1))))
      const commit = { group: "g", positions: [{ topic: TOPIC, partition: 0, offset: 1 }] }
      assert.isTrue(Result.isFailure(yield* Effect.result(frozen.log.transaction({ append: [], commit }))))
    }).pipe(Effect.scoped)
  )
})
