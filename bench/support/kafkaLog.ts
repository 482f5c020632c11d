/**
 * Compares the Kafka adapter with the bare client of the same library, on its own broker. Both use the same records,
 * batches, compression and request sizes. Appending compares with an idempotent producer without transactions. Reading,
 * by offset and in a group, compares with fetches whose records are unpacked and not used.
 */

import { Consumer, FetchIsolationLevels, Producer, stringSerializers } from "@platformatic/kafka"
import { Deferred, Effect, Fiber } from "effect"
import { READ_RECORDS } from "../../src/features/replay/EventReader.ts"
import type { KafkaSettings } from "../../src/spine/config/Config.ts"
import { Settings } from "../../src/spine/config/Config.ts"
import { Limits } from "../../src/spine/config/Limits.ts"
import { stageLimits } from "../../src/spine/config/StageLimits.ts"
import { ensureTopics } from "../../src/spine/log/kafka/ClusterTopics.ts"
import * as KafkaLog from "../../src/spine/log/kafka/KafkaLog.ts"
import { clientOptions } from "../../src/spine/log/kafka/Options.ts"
import { logLimits } from "../../src/spine/log/Limits.ts"
import { Log, type NewRecord } from "../../src/spine/log/Log.ts"
import { brokers } from "./kafka.ts"
import { inRounds, timed } from "./rounds.ts"
import { settingsLayer } from "./store.ts"

const PLAIN_PREFIX = "plain."

const closing = <A extends { readonly close: () => Promise<unknown> }>(make: () => A) =>
  Effect.acquireRelease(Effect.sync(make), (made) => Effect.promise(() => made.close()))

const makePlain = Effect.fnUntraced(function* (kafka: KafkaSettings) {
  const producer = yield* closing(
    () =>
      new Producer({
        ...clientOptions(kafka),
        serializers: stringSerializers,
        idempotent: true,
        compression: "zstd"
      })
  )
  const consumer = yield* closing(() => new Consumer({ ...clientOptions(kafka), groupId: "plain" }))
  return {
    append: (batch: ReadonlyArray<NewRecord>) =>
      Effect.promise(() =>
        producer.send({
          messages: batch.map(({ topic, key, value }) => ({
            topic: PLAIN_PREFIX + topic,
            key,
            value: value ?? ""
          }))
        })
      ),
    /** Partition 0 from its beginning. */
    read: (topic: string, count: number) =>
      Effect.promise(async () => {
        const name = PLAIN_PREFIX + topic
        const metadata = await consumer.metadata({ topics: [name] })
        const known = metadata.topics.get(name)
        if (known === undefined) throw new Error(`there is no topic ${name}`)
        let offset = 0n
        while (offset < count) {
          const { responses } = await consumer.fetch({
            node: known.partitions[0]!.leader,
            maxBytes: Limits.recordsBytes,
            isolationLevel: FetchIsolationLevels.READ_UNCOMMITTED,
            topics: [
              {
                topicId: known.id,
                partitions: [
                  {
                    partition: 0,
                    currentLeaderEpoch: -1,
                    fetchOffset: offset,
                    lastFetchedEpoch: -1,
                    partitionMaxBytes: logLimits.logBatchBytes
                  }
                ]
              }
            ]
          })
          const last = responses[0]?.partitions[0]?.records?.at(-1)
          if (last !== undefined) offset = last.firstOffset + BigInt(last.lastOffsetDelta) + 1n
        }
      })
  }
})

const readAll = Effect.fnUntraced(function* (topic: string, count: number) {
  const log = yield* Log
  let offset = 0
  for (let read = 0; read < count; ) {
    const records = yield* log.read({ topic, partition: 0, offset }, READ_RECORDS)
    read += records.length
    offset = records.at(-1)!.offset + 1
  }
})

/** Milliseconds from the partition's assignment on, in a group of its own. */
const consumeAll = Effect.fnUntraced(function* (topic: string, count: number, group: string) {
  const log = yield* Log
  const took = yield* Deferred.make<number>()
  const consumer = yield* Effect.forkChild(
    log.consume(
      { group, topics: [topic] },
      Effect.fnUntraced(function* ({ take }) {
        let read = 0
        const ms = yield* timed(
          Effect.repeat(
            Effect.map(take(stageLimits.takeBatchRecords), ({ length }) => (read += length)),
            {
              until: () => read >= count
            }
          )
        )
        yield* Deferred.succeed(took, ms)
        return yield* Effect.never
      })
    )
  )
  const ms = yield* Deferred.await(took)
  yield* Fiber.interrupt(consumer)
  return ms
})

/** Milliseconds of both sides in each round. All records are in one partition, and each round reads all of them. */
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
    const plain = yield* makePlain(kafka)
    return yield* Effect.gen(function* () {
      const log = yield* Log
      let records = 0
      return yield* inRounds(
        rounds,
        Effect.fnUntraced(function* (round: number) {
          const batches = batchesOf(round)
          const { topic } = batches[0]![0]!
          records += batches.flat().length
          const appended = {
            log: yield* timed(
              Effect.forEach(batches, (append) => log.transaction({ append }), { discard: true })
            ),
            plain: yield* timed(Effect.forEach(batches, plain.append, { discard: true }))
          }
          const plainRead = yield* timed(plain.read(topic, records))
          return {
            records,
            appended,
            read: { log: yield* timed(readAll(topic, records)), plain: plainRead },
            consumed: { log: yield* consumeAll(topic, records, `bench.${round}`), plain: plainRead }
          }
        })
      )
    }).pipe(Effect.provide(KafkaLog.layer(kafka)))
  })
  const kafkaBrokers = yield* brokers
  return yield* work.pipe(
    Effect.scoped,
    Effect.provide(settingsLayer({ KAFKA_BROKERS: kafkaBrokers, KAFKA_TOPIC_PREFIX: "log." }))
  )
})
