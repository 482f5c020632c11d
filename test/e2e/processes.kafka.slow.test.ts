/**
 * Several processes on a real Kafka and PostgreSQL, as an operator spreads the roles: the process that takes the ledgers
 * freezes, and no ledger is taken twice. faults.kafka.slow.test.ts kills processes.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { expectedEventIds } from "../../src/simulator/Chain.ts"
import { apiClient, createWebhook, waitUntil } from "../support/apiClient.ts"
import { databaseProxy } from "../support/databaseProxy.ts"
import { kafkaBrokers, kafkaFor } from "../support/kafka.ts"
import { makeDatabase } from "../support/postgres.ts"
import { makeReceiver } from "../support/receiver.ts"
import { startProcess, startService } from "../support/serviceProcess.ts"
import { makeSimulatedLedger } from "../support/simulatedLedger.ts"

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"
const SECRETS_KEY = Buffer.alloc(32, 7).toString("base64")

/** A database and topics of the test's own, and a ledger that closes when the test says so. */
const surroundings = Effect.fnUntraced(function* (transactionsPerLedger: number) {
  const kafka = yield* kafkaFor(() => false)
  const proxy = yield* databaseProxy
  const options = yield* makeDatabase
  const database = "database" in options ? String(options.database) : ""
  const address = proxy.connectionTo(database)
  const ledger = yield* makeSimulatedLedger({
    seed: 11,
    networkId: 0,
    transactionsPerLedger,
    hashing: "digest"
  })
  const environment = {
    DATABASE_URL: "url" in address ? Redacted.value(address.url) : "",
    KAFKA_BROKERS: kafka.brokers.join(","),
    KAFKA_TOPIC_PREFIX: kafka.topicPrefix,
    ADMIN_KEY,
    SECRETS_KEY,
    XRPL_MAINNET_URLS: ledger.url,
    XRPL_MAINNET_START: String((yield* ledger.head).header.ledger_index),
    DELIVERY_ALLOW_HTTP: "true",
    DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true"
  }
  return { environment, ledger }
})

const started = (environment: Readonly<Record<string, string>>, roles: string) =>
  startProcess({ ...environment, ROLES: roles, LOG_LEVEL: "info" }, /starting/)

const closeUntil = Effect.fnUntraced(function* (
  ledger: Effect.Success<ReturnType<typeof makeSimulatedLedger>>,
  expected: Array<string>,
  count: number
) {
  while (expected.length < count) expected.push(...expectedEventIds(yield* ledger.close))
})

describe.skipIf(kafkaBrokers().length === 0)("several processes on Kafka", () => {
  it.live(
    "take every ledger once, though the process that takes them freezes and wakes again",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { environment, ledger } = yield* surroundings(50)
          const receiver = yield* makeReceiver()
          const first = yield* started(environment, "ingest")
          const api = yield* startService({ ...environment, ROLES: "api,route,deliver,delay" })
          const client = apiClient(api.apiUrl, ADMIN_KEY)
          yield* createWebhook(client, { url: receiver.url, event_types: ["*"] })
          const expected: Array<string> = []
          yield* closeUntil(ledger, expected, 100)
          yield* receiver.until((received) => received.length >= expected.length)

          yield* started(environment, "ingest")
          yield* first.signal("SIGSTOP")
          yield* closeUntil(ledger, expected, 300)
          // Another process takes over within 15 s, when the lease has expired.
          yield* waitUntil(
            Effect.sync(() => receiver.received.length >= expected.length),
            "15 seconds"
          )
          yield* first.signal("SIGCONT")
          for (let more = 1; more <= 5; more++) {
            yield* closeUntil(ledger, expected, 300 + more * 40)
            yield* receiver.until((received) => received.length >= expected.length)
          }
          assert.deepStrictEqual(
            receiver.received.map(({ event }) => event.event_id).sort(),
            [...expected].sort()
          )
          const { body } = yield* client.call("GET", "/v1/ledgers/coverage")
          const [mainnet] = (body as unknown as { data: ReadonlyArray<{ ranges: ReadonlyArray<unknown> }> })
            .data
          assert.strictEqual(mainnet?.ranges.length, 1)
        })
      ),
    120_000
  )
})
