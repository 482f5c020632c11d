/** The Kafka adapter's appends beside those of a bare producer of the same library: same records, batches and settings. */
import { Producer, stringSerializers } from "@platformatic/kafka"
import { Effect } from "effect"
import { Settings } from "../../src/config/Config.ts"
import { EventLog, type NewRecord } from "../../src/log/EventLog.ts"
import * as KafkaEventLog from "../../src/log/KafkaEventLog.ts"
import { clientOptions } from "../../src/log/KafkaOptions.ts"
import { ensureTopics } from "../../src/log/KafkaTopics.ts"
import { brokers } from "./kafka.ts"
import { inRounds, timed } from "./rounds.ts"
import { settingsLayer } from "./store.ts"

const PLAIN_PREFIX = "plain."

/** Milliseconds of both sides in each round, on a broker of its own. */
export const measureKafka = Effect.fnUntraced(function* (
  batchesOf: (round: number) => ReadonlyArray<ReadonlyArray<NewRecord>>,
  rounds: number
) {
  const work = Effect.gen(function* () {
    const settings = yield* Settings
    const { kafka } = settings
    if (kafka === undefined) throw new Error("KAFKA_BROKERS is not set")
    yield* ensureTopics(kafka, settings)
    yield* ensureTopics({ ...kafka, topicPrefix: PLAIN_PREFIX }, settings)
    const producer = yield* Effect.acquireRelease(
      Effect.sync(
        () =>
          new Producer({
            ...clientOptions(kafka),
            serializers: stringSerializers,
            idempotent: true,
            compression: "zstd"
          })
      ),
      (made) => Effect.promise(() => made.close())
    )
    const plain = (batch: ReadonlyArray<NewRecord>) =>
      Effect.promise(() =>
        producer.send({
          messages: batch.map(({ topic, key, value }) => ({
            topic: PLAIN_PREFIX + topic,
            key,
            value: value ?? ""
          }))
        })
      )
    return yield* Effect.gen(function* () {
      const log = yield* EventLog
      return yield* inRounds(
        rounds,
        Effect.fnUntraced(function* (round: number) {
          const batches = batchesOf(round)
          return {
            log: yield* timed(
              Effect.forEach(batches, (append) => log.transaction({ append }), { discard: true })
            ),
            plain: yield* timed(Effect.forEach(batches, plain, { discard: true }))
          }
        })
      )
    }).pipe(Effect.provide(KafkaEventLog.layer(kafka)))
  })
  const kafkaBrokers = yield* brokers
  return yield* work.pipe(
    Effect.scoped,
    Effect.provide(settingsLayer({ KAFKA_BROKERS: kafkaBrokers, KAFKA_TOPIC_PREFIX: "log." }))
  )
})
