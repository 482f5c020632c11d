/** What `doctor` says of the Kafka cluster: whether it can be reached and logged in to, and whether its topics are right. */
import { Effect } from "effect"
import type { KafkaSettings, SettingsShape } from "../config/Config.ts"
import { planOf } from "../log/KafkaTopics.ts"
import type { TopicChange } from "../log/TopicPlan.ts"
import type { Fault } from "./Checks.ts"

export const START_KAFKA = "Start that Kafka, or correct KAFKA_BROKERS and what KAFKA_… says of logging in."

const detailOf = (changes: ReadonlyArray<TopicChange>): string =>
  changes.length === 0
    ? "reachable; the topics are as they should be"
    : `reachable; ${changes.length} changes to topics are made at the next start`

export const kafkaCheck = (
  kafka: KafkaSettings,
  settings: Pick<SettingsShape, "retentionEventsMs">
): Effect.Effect<string, Fault> =>
  planOf(kafka, settings).pipe(
    Effect.mapError(({ message }) => ({ detail: message, mend: START_KAFKA })),
    Effect.flatMap((changes) => {
      const left = changes.filter(({ risk }) => risk !== "none")
      return left.length === 0
        ? Effect.succeed(detailOf(changes))
        : Effect.fail({
            detail: `topic ${left[0]!.topic.name} and ${left.length - 1} more differ in a way that only an operator changes`,
            mend: "`ledgerhook topics diff` shows how; `ledgerhook topics apply --force` changes them."
          })
    })
  )
