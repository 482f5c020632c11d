/** Deletes a topic of a Kafka cluster, and makes it again as a start does. */
import { Admin } from "@platformatic/kafka"
import { Effect } from "effect"
import type { KafkaSettings } from "../../../src/spine/config/Config.ts"
import { applyPlan, planOf } from "../../../src/spine/log/kafka/ClusterTopics.ts"
import { topicName } from "../../../src/spine/log/kafka/Names.ts"
import { clientOptions } from "../../../src/spine/log/kafka/Options.ts"
import { waitUntil } from "../http/apiClient.ts"
import { testSettings } from "../program/settings.ts"

export const makeAgain = Effect.fnUntraced(function* (kafka: KafkaSettings, name: string) {
  const topic = topicName(kafka, name)
  const admin = new Admin(clientOptions(kafka))
  yield* Effect.promise(() => admin.deleteTopics({ topics: [topic] }))
  yield* Effect.promise(() => admin.close())
  const missing = Effect.map(planOf(kafka, testSettings()), (changes) =>
    changes.filter((change) => change.topic.name === topic)
  )
  // A broker acknowledges a deletion before it shows it.
  yield* waitUntil(
    Effect.map(missing, ({ length }) => length > 0),
    "30 seconds"
  )
  yield* applyPlan(kafka, yield* missing)
})
