/** A partition that cannot be fetched keeps no other one waiting. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Queue } from "effect"
import { DELIVERIES_TOPIC } from "../../../../src/spine/domain/Delivery.ts"
import { makeChannels } from "../../../../src/spine/log/kafka/Channel.ts"
import { makeFetcher } from "../../../../src/spine/log/kafka/Fetcher.ts"
import * as KafkaLog from "../../../../src/spine/log/kafka/KafkaLog.ts"
import { topicName } from "../../../../src/spine/log/kafka/Names.ts"
import { clientOptions } from "../../../../src/spine/log/kafka/Options.ts"
import { makeReader } from "../../../../src/spine/log/kafka/Reader.ts"
import { Log, type LogRecord } from "../../../../src/spine/log/Log.ts"
import { partitionOf } from "../../../../src/spine/log/Topics.ts"
import { kafkaBrokers, kafkaFor } from "../../../support/log/kafka.ts"

/** Kafka refuses it. */
const BEYOND = 1_000

describe.skipIf(kafkaBrokers().length === 0)("the other partitions of a broker", () => {
  it.live("are fetched while Kafka refuses the offset of one", () =>
    Effect.gen(function* () {
      const kafka = yield* kafkaFor((topic) => topic === DELIVERIES_TOPIC)
      const log = Context.get(yield* Layer.build(KafkaLog.layer(kafka)), Log)
      const openChannel = makeChannels(clientOptions(kafka))
      const channel = yield* openChannel
      const name = topicName(kafka, DELIVERIES_TOPIC)
      const { topicId } = yield* channel.leader(name, 0)
      const key = "key"
      const good = partitionOf(DELIVERIES_TOPIC, key)
      const fetchedFrom = Effect.fnUntraced(function* (partition: number, next: number) {
        const buffer = yield* Queue.unbounded<LogRecord>()
        return { topic: DELIVERIES_TOPIC, topicName: name, topicId, partition, buffer, next }
      })
      const refused = yield* fetchedFrom(good === 0 ? 1 : 0, BEYOND)
      const other = yield* fetchedFrom(good, 0)
      const { offsets } = makeReader(channel, () => name)
      const fetcher = makeFetcher({ openChannel, offsetsOf: offsets, onWentBack: () => Effect.void })
      yield* Effect.forkScoped(fetcher.run([refused, other]))
      for (const value of ["first", "second", "third"]) {
        yield* log.transaction({ append: [{ topic: DELIVERIES_TOPIC, key, value }] })
        const [record] = yield* fetcher.take(other, 1)
        assert.strictEqual(record?.value, value)
      }
    }).pipe(Effect.scoped)
  )
})
