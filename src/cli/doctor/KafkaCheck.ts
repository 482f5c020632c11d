/**
 * What `doctor` says of the Kafka cluster: whether it can be reached and logged in to, whether its topics are right, and
 * how long deliveries wait when a process dies.
 */
import { Effect } from "effect"
import type { KafkaSettings, SettingsShape } from "../../config/Config.ts"
import { Limits } from "../../config/Limits.ts"
import type { MemberTimeout } from "../../log/kafka/Groups.ts"
import { loadKafka } from "../../log/kafka/LoadKafka.ts"
import { Fault, type Finding, finding, fine } from "./Finding.ts"

const seconds = (ms: number): string => `${ms / 1_000} s`

const GROUPS = "kafka groups"

const findingOf = (timeout: MemberTimeout): Finding => {
  switch (timeout.kind) {
    case "short":
      return fine(GROUPS, `what a process had is taken over within ${seconds(timeout.ms)} of its death`)
    case "settable":
      return fine(
        GROUPS,
        `what a process had is taken over after ${seconds(timeout.ms)}; the next start makes that ${seconds(Limits.kafkaMemberMs)}`
      )
    case "refused":
      return {
        check: GROUPS,
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
      Effect.succeed<Finding>({
        check: GROUPS,
        status: "warning",
        detail: `how soon a process's death is noticed is not known: ${message}`,
        mend: "Let this user describe the configs of its groups."
      })
    )
  )

export const kafkaChecks = Effect.fnUntraced(function* (kafka: KafkaSettings, settings: SettingsShape) {
  const topics = Effect.gen(function* () {
    const { planOf } = yield* loadKafka
    const changes = yield* planOf(kafka, settings)
    const [first, ...others] = changes.filter(({ risk }) => risk !== "none")
    if (first !== undefined) {
      return yield* new Fault({
        detail: `topic ${first.topic.name} and ${others.length} more differ in a way that only an operator changes`,
        mend: "`ledgerhook topics diff` shows how; `ledgerhook topics apply --force` changes them."
      })
    }
    return changes.length === 0
      ? "reachable; the topics are as they should be"
      : `reachable; ${changes.length} changes to topics are made at the next start`
  })
  const cluster = yield* finding(
    "kafka",
    "Start that Kafka, or correct KAFKA_BROKERS and what KAFKA_… says of logging in.",
    topics
  )
  return cluster.status === "ok" ? [cluster, yield* groupsFinding(kafka)] : [cluster]
})
