/** Waits do not delay each other, or anything else, on a broker where nothing happens. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Option } from "effect"
import { DELIVERIES_TOPIC } from "../../../src/domain/Delivery.ts"
import { CONFIG_TOPIC } from "../../../src/domain/Webhook.ts"
import { EventLog } from "../../../src/log/EventLog.ts"
import * as KafkaEventLog from "../../../src/log/kafka/KafkaEventLog.ts"
import { kafkaBrokers, kafkaFor } from "../../support/kafka.ts"

const FOLLOWERS = 2
/** More than a request's timeout, and more than two long polls. */
const QUIET = "32 seconds"

describe.skipIf(kafkaBrokers().length === 0).concurrent("waits for records of quiet topics", () => {
  it.live(
    "last longer than a request may, without a failure, and end with the next record",
    () =>
      Effect.gen(function* () {
        const kafka = yield* kafkaFor((topic) => topic === CONFIG_TOPIC)
        const log = Context.get(yield* Layer.build(KafkaEventLog.layer(kafka)), EventLog)
        const followers = yield* Effect.forEach(Array.from({ length: FOLLOWERS }), () =>
          Effect.forkChild(log.awaitOffset({ topic: CONFIG_TOPIC, partition: 0, offset: 0 }))
        )
        const ended = yield* Effect.timeoutOption(Effect.raceAll(followers.map(Fiber.await)), QUIET)
        assert.isTrue(Option.isNone(ended))
        yield* log.transaction({ append: [{ topic: CONFIG_TOPIC, key: "k", value: "v" }] })
        yield* Effect.timeout(Fiber.joinAll(followers), "2 seconds")
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "are not delayed by one that was interrupted",
    () =>
      Effect.gen(function* () {
        const kafka = yield* kafkaFor((topic) => topic === CONFIG_TOPIC || topic === DELIVERIES_TOPIC)
        const log = Context.get(yield* Layer.build(KafkaEventLog.layer(kafka)), EventLog)
        const quiet = { topic: DELIVERIES_TOPIC, partition: 0, offset: 0 }
        yield* Effect.ignore(Effect.timeout(log.awaitOffset(quiet), "2 seconds"))
        const next = yield* Effect.forkChild(
          log.awaitOffset({ topic: CONFIG_TOPIC, partition: 0, offset: 0 })
        )
        assert.isTrue(Option.isNone(yield* Effect.timeoutOption(Fiber.await(next), "1 second")))
        yield* log.transaction({ append: [{ topic: CONFIG_TOPIC, key: "k", value: "v" }] })
        yield* Effect.timeout(Fiber.join(next), "2 seconds")
      }).pipe(Effect.scoped),
    60_000
  )
})
