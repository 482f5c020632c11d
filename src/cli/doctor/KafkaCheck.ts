/**
 * What `doctor` says of the Kafka cluster: whether it can be reached and logged in to, whether its topics are right, and
 * how long deliveries wait when a process dies.
 */
import { Effect } from "effect"
import type { KafkaSettings, SettingsShape } from "../../config/Config.ts"
import { Limits } from "../../config/Limits.ts"
import type { MemberTimeout } from "../../log/kafka/Groups.ts"
import { loadKafka } from "../../log/kafka/LoadKafka.ts"
import type { TopicChange } from "../../log/kafka/TopicPlan.ts"
import type { Fault, Finding } from "./Finding.ts"

export const START_KAFKA = "Start that Kafka, or correct KAFKA_BROKERS and what KAFKA_… says of logging in."

const detailOf = (changes: ReadonlyArray<TopicChange>): string =>
  changes.length === 0
    ? "reachable; the topics are as they should be"
    : `reachable; ${changes.length} changes to topics are made at the next start`

export const kafkaCheck = (
  kafka: KafkaSettings,
  settings: Pick<SettingsShape, "retentionEventsMs">
): Effect.Effect<string, Fault> =>
  loadKafka.pipe(
    Effect.flatMap(({ planOf }) => planOf(kafka, settings)),
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

const seconds = (ms: number): string => `${ms / 1_000} s`

const findingOf = (timeout: MemberTimeout): Pick<Finding, "status" | "detail" | "mend"> => {
  switch (timeout.kind) {
    case "short":
      return {
        status: "ok",
        detail: `what a process had is taken over within ${seconds(timeout.ms)} of its death`,
        mend: ""
      }
    case "settable":
      return {
        status: "ok",
        detail: `what a process had is taken over after ${seconds(timeout.ms)}; the next start makes that ${seconds(Limits.kafkaMemberMs)}`,
        mend: ""
      }
    case "refused":
      return {
        status: "warning",
        detail: `what a process had is taken over ${seconds(timeout.ms)} after its death, and the cluster does not let this user shorten that (${timeout.reason})`,
        mend: `Set group.consumer.min.session.timeout.ms of the brokers to ${Limits.kafkaMemberMs} or less, and let this user alter the configs of its groups; the next start does the rest.`
      }
  }
}

/** Of a cluster that can be reached. */
export const groupsFinding = (kafka: KafkaSettings): Effect.Effect<Finding> =>
  loadKafka.pipe(
    Effect.flatMap(({ memberTimeoutOf }) => memberTimeoutOf(kafka)),
    Effect.map(findingOf),
    Effect.timeoutOrElse({
      duration: Limits.doctorCheckMs,
      orElse: () => Effect.fail({ message: `no answer within ${seconds(Limits.doctorCheckMs)}` })
    }),
    Effect.catch(({ message }) =>
      Effect.succeed({
        status: "warning" as const,
        detail: `how soon a process's death is noticed is not known: ${message}`,
        mend: "Let this user describe the configs of its groups."
      })
    ),
    Effect.map((found) => ({ check: "kafka groups", ...found }))
  )
