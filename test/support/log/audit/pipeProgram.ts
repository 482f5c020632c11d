/**
 * Moves records from one topic to another until it is killed, as the stages do: it appends and commits in one
 * transaction, and restarts at the committed offset after a failure. It is a separate process, so a test can freeze
 * and kill it.
 */
import { Effect } from "effect"
import * as KafkaLog from "../../../../src/spine/log/kafka/KafkaLog.ts"
import { Log, sourceOf } from "../../../../src/spine/log/Log.ts"
import { retryUntilSuccess } from "../../../../src/spine/observe/RetryUntilSuccess.ts"
import { PIPE_FROM, PIPE_GROUP, PIPE_TO, SOURCE } from "./Books.ts"

const BATCH = 100

const pipe = Effect.gen(function* () {
  const log = yield* Log
  process.stdout.write("piping\n")
  return yield* log
    .consume({ group: PIPE_GROUP, topics: [PIPE_FROM] }, (partition) =>
      Effect.gen(function* () {
        const records = yield* partition.take(BATCH)
        yield* log.transaction({
          append: records.map((record) => ({
            topic: PIPE_TO,
            key: record.key,
            value: record.value,
            headers: { [SOURCE]: sourceOf(record) }
          })),
          commit: {
            group: PIPE_GROUP,
            positions: [
              { topic: PIPE_FROM, partition: partition.partition, offset: records.at(-1)!.offset + 1 }
            ]
          }
        })
      }).pipe(Effect.forever)
    )
    .pipe(retryUntilSuccess("piping"))
})

const kafka = KafkaLog.layer({
  brokers: (process.env["KAFKA_BROKERS"] ?? "").split(","),
  ssl: false,
  sasl: undefined,
  clientId: "pipe",
  topicPrefix: process.env["KAFKA_TOPIC_PREFIX"] ?? "",
  schemaRegistryUrl: undefined
})

await Effect.runPromise(Effect.provide(pipe, kafka).pipe(Effect.scoped))
