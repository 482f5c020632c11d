/** `ledgerhook move` to PostgreSQL and Kafka, killed and run again, and back to an embedded store. */
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { moveRun } from "../../support/journeys/moveRun.ts"
import { kafkaBrokers, kafkaFor } from "../../support/log/kafka.ts"
import { ownDatabase } from "../../support/store/ownDatabase.ts"

describe.skipIf(kafkaBrokers().length === 0)("a store with unfinished work", () => {
  it.live(
    "moves to PostgreSQL and Kafka and back, and the service continues at each place",
    () =>
      Effect.gen(function* () {
        const { url } = yield* ownDatabase
        const { brokers, topicPrefix } = yield* kafkaFor(() => false)
        const prefix = { KAFKA_TOPIC_PREFIX: topicPrefix }
        const list = brokers.join(",")
        yield* moveRun({
          killFirst: true,
          places: (folder) => [
            { environment: { ...prefix, DATA_DIR: join(folder, "first") }, flags: [] },
            {
              environment: {
                ...prefix,
                DATABASE_URL: url,
                KAFKA_BROKERS: list,
                DATA_DIR: join(folder, "first")
              },
              flags: ["--database-url", url, "--kafka-brokers", list]
            },
            {
              environment: { ...prefix, DATA_DIR: join(folder, "last") },
              flags: ["--data-dir", join(folder, "last")]
            }
          ]
        })
      }).pipe(Effect.scoped),
    400_000
  )
})
