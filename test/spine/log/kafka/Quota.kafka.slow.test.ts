/** A quota of Kafka makes work slower. It is no failure, and the part `log` says it. */
import { assert, describe, it } from "@effect/vitest"
import { Admin } from "@platformatic/kafka"
import { Context, Effect, Layer } from "effect"
import { DELIVERIES_TOPIC } from "../../../../src/spine/domain/Delivery.ts"
import * as KafkaLog from "../../../../src/spine/log/kafka/KafkaLog.ts"
import { clientOptions } from "../../../../src/spine/log/kafka/Options.ts"
import { Log } from "../../../../src/spine/log/Log.ts"
import { watchLog } from "../../../../src/spine/log/LogHealth.ts"
import { partitionOf } from "../../../../src/spine/log/Topics.ts"
import { Health } from "../../../../src/spine/observe/Health.ts"
import { kafkaBrokers, kafkaFor } from "../../../support/log/kafka.ts"

/** Bytes a second. */
const QUOTA = 20_000
const RECORDS = 8
const RECORD_BYTES = 20_000

describe.skipIf(kafkaBrokers().length === 0)("a quota of Kafka", () => {
  it.live(
    "delays what is written and read, without a failure",
    () =>
      Effect.gen(function* () {
        const shared = yield* kafkaFor((topic) => topic === DELIVERIES_TOPIC)
        const kafka = { ...shared, clientId: `quota-${shared.topicPrefix}` }
        const admin = yield* Effect.acquireRelease(
          Effect.sync(() => new Admin(clientOptions(shared))),
          (opened) => Effect.promise(() => opened.close())
        )
        const limit = (key: "producer_byte_rate" | "consumer_byte_rate") =>
          ({ key, value: QUOTA, remove: false }) as const
        yield* Effect.promise(() =>
          admin.alterClientQuotas({
            entries: [
              {
                entities: [{ entityType: "client-id", entityName: kafka.clientId }],
                ops: [limit("producer_byte_rate"), limit("consumer_byte_rate")]
              }
            ]
          })
        )
        const log = Context.get(yield* Layer.build(KafkaLog.layer(kafka)), Log)
        const health = yield* Health
        yield* Effect.provideService(watchLog, Log, log)
        // Random, because values are compressed.
        const value = () =>
          Buffer.from(crypto.getRandomValues(new Uint8Array(RECORD_BYTES))).toString("base64")
        for (let i = 0; i < RECORDS; i++)
          yield* log.transaction({ append: [{ topic: DELIVERIES_TOPIC, key: "k", value: value() }] })
        let offset = 0
        let found = 0
        while (found < RECORDS) {
          const partition = partitionOf(DELIVERIES_TOPIC, "k")
          const records = yield* log.read({ topic: DELIVERIES_TOPIC, partition, offset }, 2)
          found += records.length
          offset = (records.at(-1)?.offset ?? offset) + 1
        }
        assert.strictEqual(found, RECORDS)
        const part = yield* health.get("log")
        assert.strictEqual(part?.status, "degraded")
        assert.include(part?.detail, "the brokers throttle this user")
      }).pipe(Effect.scoped, Effect.provide(Health.layer)),
    180_000
  )
})
