/** The real Kafka that tests run against: where global setup found or started one. */
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { inject } from "vitest"
import type { KafkaSettings } from "../../../src/spine/config/Config.ts"
import { applyPlan, planOf } from "../../../src/spine/log/kafka/ClusterTopics.ts"
import { testSettings } from "../program/settings.ts"

/** Empty if there is no Kafka. */
export const kafkaBrokers = (): ReadonlyArray<string> =>
  inject("kafkaBrokers")
    .split(",")
    .filter((broker) => broker !== "")

/** Settings with the test's own topic prefix on the shared cluster; creates the topics that `wanted` accepts. */
export const kafkaFor = Effect.fnUntraced(function* (
  wanted: (topic: string) => boolean,
  brokers: ReadonlyArray<string> = kafkaBrokers()
) {
  const kafka: KafkaSettings = {
    brokers,
    ssl: false,
    sasl: undefined,
    clientId: "test",
    topicPrefix: `t${randomUUID().slice(0, 8)}.`,
    schemaRegistryUrl: undefined
  }
  const changes = yield* planOf(kafka, testSettings({ RAW_TRANSACTIONS: "true" }))
  yield* applyPlan(
    kafka,
    changes.filter(({ topic }) => wanted(topic.name.slice(kafka.topicPrefix.length)))
  )
  return kafka
})
