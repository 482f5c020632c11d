/** A partition that cannot be fetched keeps no other one waiting. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { DELIVERIES_TOPIC } from "../../../../src/spine/domain/Delivery.ts"
import * as KafkaLog from "../../../../src/spine/log/kafka/KafkaLog.ts"
import { Log } from "../../../../src/spine/log/Log.ts"
import { partitionOf, partitionsOf } from "../../../../src/spine/log/Topics.ts"
import { eventually } from "../../../support/deliver/delivering.ts"
import { kafkaBrokers, kafkaFor } from "../../../support/log/kafka.ts"

const GROUP = "deliver"
const BEYOND = 1_000
const partitions = partitionsOf(DELIVERIES_TOPIC)

describe.skipIf(kafkaBrokers().length === 0)("the other partitions of a broker", () => {
  it.live("are read while Kafka refuses the offset of one, and that one as soon as it does not", () =>
    Effect.gen(function* () {
      const kafka = yield* kafkaFor((topic) => topic === DELIVERIES_TOPIC)
      const log = Context.get(yield* Layer.build(KafkaLog.layer(kafka)), Log)
      // Its committed offset is beyond its end, as after an election of a leader that had lost the newest records.
      const refused = { topic: DELIVERIES_TOPIC, partition: 0, offset: BEYOND }
      yield* log.transaction({ append: [], commit: { group: GROUP, positions: [refused] } })
      const taken = new Map<number, number>()
      yield* Effect.forkScoped(
        log.consume({ group: GROUP, topics: [DELIVERIES_TOPIC] }, ({ partition, take }) =>
          Effect.forever(
            Effect.map(take(BEYOND), (records) =>
              taken.set(partition, (taken.get(partition) ?? 0) + records.length)
            )
          )
        )
      )
      const keys = Array.from({ length: 20 * partitions }, (_, n) => `key-${n}`)
      const append = keys.map((key) => ({ topic: DELIVERIES_TOPIC, key, value: key }))
      const others = new Set(keys.map((key) => partitionOf(DELIVERIES_TOPIC, key)).filter((n) => n !== 0))
      assert.strictEqual(others.size, partitions - 1)
      yield* log.transaction({ append })
      yield* eventually(Effect.sync(() => assert.sameMembers([...taken.keys()], [...others])))

      const key = keys.find((one) => partitionOf(DELIVERIES_TOPIC, one) === 0)!
      const enough = Array.from({ length: BEYOND }, () => ({ topic: DELIVERIES_TOPIC, key, value: key }))
      yield* log.transaction({ append: enough })
      yield* eventually(Effect.sync(() => assert.isAbove(taken.get(0) ?? 0, 0)))
    }).pipe(Effect.scoped)
  )
})
