/** A ledger that no server can list, with the log on a real Kafka: the order is in the database, the hole in the log. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { skipRun } from "../../support/journeys/skipRun.ts"
import { kafkaBrokers, kafkaFor } from "../../support/log/kafka.ts"

describe.skipIf(kafkaBrokers().length === 0)("a ledger that no server can list, on Kafka", () => {
  it.live(
    "is skipped by an operator's order",
    () =>
      Effect.gen(function* () {
        const cwd = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-skip-"))),
          (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
        )
        const kafka = yield* kafkaFor(() => false)
        yield* skipRun(cwd, {
          DATA_DIR: join(cwd, "data"),
          KAFKA_BROKERS: kafka.brokers.join(","),
          KAFKA_TOPIC_PREFIX: kafka.topicPrefix
        })
      }).pipe(Effect.scoped),
    240_000
  )
})
