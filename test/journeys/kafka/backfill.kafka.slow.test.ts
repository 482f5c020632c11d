/** History on a real Kafka and PostgreSQL: separate processes fetch and replay, and the fetching one is killed. */
import { describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { backfillRun, pastMainnet } from "../../support/journeys/backfillRun.ts"
import { kafkaBrokers, kafkaFor } from "../../support/log/kafka.ts"
import { startProcess, startService } from "../../support/program/serviceProcess.ts"
import { databaseProxy } from "../../support/store/databaseProxy.ts"
import { makeDatabase } from "../../support/store/postgres.ts"

describe.skipIf(kafkaBrokers().length === 0)(
  "a replay from before the service's first ledger, on Kafka",
  () => {
    it.live(
      "brings each event of the time, once for each delivery, though who fetches them is killed",
      () =>
        Effect.gen(function* () {
          const kafka = yield* kafkaFor(() => false)
          const proxy = yield* databaseProxy
          const options = yield* makeDatabase
          const address = proxy.connectionTo("database" in options ? String(options.database) : "")
          const past = yield* pastMainnet
          const environment = {
            ...past.environment,
            DATABASE_URL: "url" in address ? Redacted.value(address.url) : "",
            KAFKA_BROKERS: kafka.brokers.join(","),
            KAFKA_TOPIC_PREFIX: kafka.topicPrefix,
            SECRETS_KEY: Buffer.alloc(32, 7).toString("base64")
          }
          const started = (roles: string) =>
            startProcess({ ...environment, ROLES: roles, LOG_LEVEL: "info" }, /starting/)
          const api = yield* startService({ ...environment, ROLES: "api,events,route,delay" })
          const victim = yield* started("ingest")
          yield* started("ingest,deliver,replay")
          yield* backfillRun(api, past, Effect.as(victim.kill, api))
        }).pipe(Effect.scoped),
      420_000
    )
  }
)
