/** The rolling upgrade of three processes on Kafka, from the program of the newest release to the present one. */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { kafkaBrokers, kafkaFor } from "../../support/log/kafka.ts"
import { ownDatabase } from "../../support/store/ownDatabase.ts"
import { newestRelease, releaseTitle } from "../../support/upgrade/releasedProgram.ts"
import { upgradeRun } from "../../support/upgrade/upgradeRun.ts"

describe.skipIf(kafkaBrokers().length === 0 || newestRelease === undefined)(releaseTitle, () => {
  it.live(
    "is replaced process by process, beside the present program: nothing is lost or sent twice",
    () =>
      Effect.gen(function* () {
        const { url } = yield* ownDatabase
        // Its topics: those that the older program creates.
        const kafka = yield* kafkaFor(() => false)
        yield* upgradeRun(
          {
            DATABASE_URL: url,
            KAFKA_BROKERS: kafka.brokers.join(","),
            KAFKA_TOPIC_PREFIX: kafka.topicPrefix
          },
          3
        )
      }).pipe(Effect.scoped),
    300_000
  )
})
