/** A topic that was deleted and made again: what a process and its group remember of it must not skip new records. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import * as KafkaLog from "../../../../src/spine/log/kafka/KafkaLog.ts"
import { Log } from "../../../../src/spine/log/Log.ts"
import { StartAnew } from "../../../../src/spine/log/StartAnew.ts"
import { kafkaBrokers, kafkaFor } from "../../../support/log/kafka.ts"
import { makeAgain } from "../../../support/log/madeAgain.ts"

const TOPIC = "xrpl.testnet.events"
const at = { topic: TOPIC, partition: 0 }

const append = (log: Log["Service"], count: number) =>
  log.transaction({
    append: Array.from({ length: count }, (_, n) => ({ topic: TOPIC, key: "testnet", value: String(n) }))
  })

describe.skipIf(kafkaBrokers().length === 0)("a topic that was deleted and made again", () => {
  it.live(
    "makes a running process start anew, and what is in it is read from its start",
    () =>
      Effect.gen(function* () {
        const kafka = yield* kafkaFor((topic) => topic === TOPIC)
        const told = yield* Deferred.make<string>()
        const open = Effect.map(
          Layer.build(Layer.fresh(KafkaLog.layer(kafka))).pipe(
            Effect.provideService(StartAnew, ({ message }) => Effect.asVoid(Deferred.succeed(told, message)))
          ),
          (context) => Context.get(context, Log)
        )
        /** Reads and commits until so many records have come, with their values. */
        const consumed = (log: Log["Service"], count: number) =>
          Effect.gen(function* () {
            const values: Array<string | null> = []
            const enough = yield* Deferred.make<void>()
            const reading = yield* log
              .consume({ group: "back", topics: [TOPIC] }, (partition) =>
                Effect.forever(
                  Effect.gen(function* () {
                    const records = yield* partition.take(100)
                    values.push(...records.map(({ value }) => value))
                    yield* partition.commit(records.at(-1)!.offset + 1)
                    if (values.length >= count) yield* Deferred.succeed(enough, undefined)
                  })
                )
              )
              .pipe(
                Effect.provideService(StartAnew, ({ message }) =>
                  Effect.asVoid(Deferred.succeed(told, message))
                ),
                Effect.forkChild
              )
            yield* Effect.timeout(Deferred.await(enough), "60 seconds")
            return { values, stop: Fiber.interrupt(reading) }
          })

        yield* Effect.gen(function* () {
          const log = yield* open
          yield* append(log, 3)
          const { stop } = yield* consumed(log, 3)
          const ids = yield* log.topicIds([TOPIC])
          assert.deepStrictEqual(yield* log.topicIds([TOPIC]), ids)
          yield* makeAgain(kafka, TOPIC)
          assert.notStrictEqual((yield* log.topicIds([TOPIC])).get(TOPIC), ids.get(TOPIC))
          // More than were read: the old position is no longer beyond the end.
          yield* append(log, 5)
          const message = yield* Effect.timeout(Deferred.await(told), "60 seconds")
          assert.match(message, /deleted and made again/)
          yield* stop
        }).pipe(Effect.scoped)

        yield* Effect.gen(function* () {
          const log = yield* open
          const { stop, values } = yield* consumed(log, 5)
          assert.deepStrictEqual(values, ["0", "1", "2", "3", "4"])
          assert.strictEqual(yield* log.committed("back", at), (yield* log.offsets(at)).end - 1)
          yield* stop
        }).pipe(Effect.scoped)
      }),
    240_000
  )
})
