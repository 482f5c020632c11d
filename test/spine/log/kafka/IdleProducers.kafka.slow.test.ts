/** Kafka forgets the ids of producers that were idle for days. Their next transactions succeed all the same. */
import { assert, describe, it } from "@effect/vitest"
import { listTransactionsV1 } from "@platformatic/kafka"
import { Context, Effect, Layer } from "effect"
import { DELIVERIES_TOPIC } from "../../../../src/spine/domain/Delivery.ts"
import { makeChannels } from "../../../../src/spine/log/kafka/Channel.ts"
import * as KafkaLog from "../../../../src/spine/log/kafka/KafkaLog.ts"
import { topicName } from "../../../../src/spine/log/kafka/Names.ts"
import { clientOptions } from "../../../../src/spine/log/kafka/Options.ts"
import { Log } from "../../../../src/spine/log/Log.ts"
import { missing } from "../../../kafka/broker.ts"
import { waitUntil } from "../../../support/http/apiClient.ts"
import { kafkaFor } from "../../../support/log/kafka.ts"
import { ownBrokerWith } from "../../../support/log/ownBroker.ts"

/** As after seven idle days with Kafka's defaults. */
const FORGETFUL = {
  "transactional.id.expiration.ms": 1_000,
  "transaction.remove.expired.transaction.cleanup.interval.ms": 500,
  "producer.id.expiration.ms": 1_000
}

const append = [{ topic: DELIVERIES_TOPIC, key: "k", value: "v" }]
const commit = { group: "deliver", positions: [{ topic: DELIVERIES_TOPIC, partition: 0, offset: 0 }] }

describe.skipIf(missing() !== undefined)("producers that Kafka has forgotten", () => {
  it.live(
    "write their next transaction without an error, all at once, and fence nobody who came after them",
    () =>
      Effect.gen(function* () {
        const broker = yield* ownBrokerWith({ more: FORGETFUL })
        const kafka = yield* kafkaFor((topic) => topic === DELIVERIES_TOPIC, [broker.brokers])
        const log = Context.get(yield* Layer.build(KafkaLog.layer(kafka)), Log)
        const channel = yield* makeChannels(clientOptions(kafka))
        const known = Effect.gen(function* () {
          const { broker: id } = yield* channel.leader(topicName(kafka, DELIVERIES_TOPIC), 0)
          const { transactionStates } = yield* channel.call(listTransactionsV1.api, id, [], [], -1n, "")
          return transactionStates.length
        })
        const forgotten = waitUntil(
          Effect.map(known, (ids) => ids === 0),
          "60 seconds"
        )
        const several = Effect.all(
          Array.from({ length: 50 }, () => log.transaction({ append, commit })),
          { concurrency: "unbounded" }
        )
        const writer = yield* log.exclusive("ingest.testnet")
        yield* several
        yield* writer.transaction({ append })
        assert.isAbove(yield* known, 1)

        yield* forgotten
        yield* several
        yield* writer.transaction({ append })

        yield* forgotten
        const next = yield* log.exclusive("ingest.testnet")
        assert.strictEqual((yield* Effect.flip(writer.transaction({ append }))).operation, "append")
        yield* next.transaction({ append })
      }).pipe(Effect.scoped),
    180_000
  )
})
