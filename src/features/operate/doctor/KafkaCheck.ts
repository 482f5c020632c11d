/**
 * `doctor` checks the Kafka cluster: whether it can be reached and accepts the user, whether the user has the rights on
 * topics that ROLES need, whether its topics match topics/topics.json, and how long it takes until another process takes over from a dead one.
 */

import { Effect } from "effect"
import type { KafkaSettings, SettingsShape } from "../../../spine/config/Config.ts"
import { Limits } from "../../../spine/config/Limits.ts"
import type { MemberTimeout } from "../../../spine/log/kafka/Groups.ts"
import { loadKafka } from "../../../spine/log/kafka/LoadKafka.ts"
import { seconds } from "../../../spine/words/Words.ts"
import { operateLimits } from "../Limits.ts"
import { Fault, type Finding, finding, fine } from "./Finding.ts"

const GROUPS = "kafka groups"

export const memberTimeoutFinding = (timeout: MemberTimeout): Finding => {
  switch (timeout.kind) {
    case "short":
      return fine(GROUPS, `if a process dies, others take over its work within ${seconds(timeout.ms)}`)
    case "settable":
      return fine(
        GROUPS,
        `if a process dies, others take over its work after ${seconds(timeout.ms)}; the next start reduces that to ${seconds(Limits.leaseMs)}`
      )
    case "rejected":
      return {
        check: GROUPS,
        status: "warning",
        detail: `if a process dies, others take over its work only after ${seconds(timeout.ms)}, and the cluster does not allow this user to shorten that (${timeout.reason})`,
        fix: `Set group.consumer.min.session.timeout.ms of the brokers to ${Limits.leaseMs} or less, and allow this user to alter the configs of its groups; then restart the service.`
      }
  }
}

/** Checks the member timeout of the consumer groups. The cluster must be reachable. */
const groupsFinding = (kafka: KafkaSettings): Effect.Effect<Finding> =>
  loadKafka.pipe(
    Effect.flatMap(({ memberTimeoutOf }) => memberTimeoutOf(kafka)),
    Effect.map(memberTimeoutFinding),
    Effect.timeoutOrElse({
      duration: operateLimits.doctorCheckMs,
      orElse: () => Effect.fail({ message: `no answer within ${seconds(operateLimits.doctorCheckMs)}` })
    }),
    Effect.catch(({ message }) =>
      Effect.succeed<Finding>({
        check: GROUPS,
        status: "warning",
        detail: `it cannot be read how soon a dead process is detected: ${message}`,
        fix: "Allow this user to describe the configs of its groups."
      })
    )
  )

export const kafkaChecks = Effect.fnUntraced(function* (kafka: KafkaSettings, settings: SettingsShape) {
  const topics = Effect.gen(function* () {
    const { planOf, requireRights } = yield* loadKafka
    yield* requireRights(kafka, settings.roles)
    const changes = yield* planOf(kafka, settings)
    const [first, ...others] = changes.filter(({ risk }) => risk !== "none")
    if (first !== undefined) {
      return yield* new Fault({
        detail: `topic ${first.topic.name} and ${others.length} more differ from topics/topics.json, and are not changed automatically`,
        fix: "See the differences with `ledgerhook topics diff`, then change the topics with `ledgerhook topics apply --force`."
      })
    }
    return changes.length === 0
      ? "reachable; the topics match topics/topics.json"
      : `reachable; the next start makes ${changes.length} changes to topics`
  })
  const cluster = yield* finding(
    "kafka",
    "Start that Kafka cluster, correct KAFKA_BROKERS, KAFKA_SSL and the KAFKA_… settings for authentication, or grant what `ledgerhook topics acls` prints.",
    topics
  )
  return cluster.status === "ok" ? [cluster, yield* groupsFinding(kafka)] : [cluster]
})
