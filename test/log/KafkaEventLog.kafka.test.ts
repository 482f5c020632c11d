/** The log on a real Kafka keeps what every log keeps. */
import { describe } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { EventLog } from "../../src/log/EventLog.ts"
import * as KafkaEventLog from "../../src/log/KafkaEventLog.ts"
import { suite } from "../conformance/eventLog.ts"
import { kafkaBrokers, kafkaFor } from "../support/kafka.ts"

const subject = Effect.map(
  kafkaFor((topic) => !topic.startsWith("webhooks.delay.") && !/main|dev/.test(topic)),
  (kafka) => ({
    dense: false,
    durable: true,
    open: Effect.map(Layer.build(KafkaEventLog.layer(kafka)), (context) => Context.get(context, EventLog))
  })
)

describe.skipIf(kafkaBrokers().length === 0)("Kafka event log", () => {
  suite(subject)
})
