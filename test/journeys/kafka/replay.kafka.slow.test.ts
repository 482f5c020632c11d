/** Replays on a real Kafka and PostgreSQL: two processes run the jobs, two deliver, and one of each kind is killed. */
import { describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { replayEndings } from "../../support/journeys/replayEndings.ts"
import { replayRun, simulatedMainnet } from "../../support/journeys/replayRun.ts"
import { kafkaBrokers, kafkaFor } from "../../support/log/kafka.ts"
import { startProcess, startService } from "../../support/program/serviceProcess.ts"
import { databaseProxy } from "../../support/store/databaseProxy.ts"
import { makeDatabase } from "../../support/store/postgres.ts"

describe.skipIf(kafkaBrokers().length === 0)("a replay on Kafka", () => {
  it.live(
    "brings each event again as it came the first time, though its worker and an actor are killed",
    () =>
      Effect.gen(function* () {
        const kafka = yield* kafkaFor(() => false)
        const proxy = yield* databaseProxy
        const options = yield* makeDatabase
        const address = proxy.connectionTo("database" in options ? String(options.database) : "")
        const { environment: network, ledger } = yield* simulatedMainnet
        const environment = {
          ...network,
          DATABASE_URL: "url" in address ? Redacted.value(address.url) : "",
          KAFKA_BROKERS: kafka.brokers.join(","),
          KAFKA_TOPIC_PREFIX: kafka.topicPrefix,
          SECRETS_KEY: Buffer.alloc(32, 7).toString("base64")
        }
        const started = (roles: string) =>
          startProcess({ ...environment, ROLES: roles, LOG_LEVEL: "info" }, /starting/)
        const api = yield* startService({ ...environment, ROLES: "api,ingest,events,route,delay" })
        const victim = yield* started("deliver,replay")
        yield* started("deliver,replay")
        const { client, expected } = yield* replayRun(api, ledger, Effect.as(victim.kill, api))
        yield* replayEndings(client, expected, environment)
      }).pipe(Effect.scoped),
    480_000
  )
})
