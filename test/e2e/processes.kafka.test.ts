/**
 * Many processes on a real Kafka and PostgreSQL, as an operator spreads the roles: deliver processes are killed (-9) and
 * joined by others, the broker goes away and comes back, the process that takes the ledgers freezes. Nothing is lost,
 * next to nothing is sent twice, a webhook that wants one at a time gets its events in order, no ledger is taken twice.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { expectedEventIds, makeSimulatedLedger } from "../../src/ledger/simulated/SimulatedLedger.ts"
import { apiClient, createWebhook, waitUntil } from "../support/apiClient.ts"
import { databaseProxy } from "../support/databaseProxy.ts"
import { kafkaBrokers, kafkaFor } from "../support/kafka.ts"
import { makeDatabase } from "../support/postgres.ts"
import { makeReceiver } from "../support/receiver.ts"
import { startProcess, startService } from "../support/serviceProcess.ts"

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"
const SECRETS_KEY = Buffer.alloc(32, 7).toString("base64")

/** To ten webhooks each. */
const EVENTS = 2_000
const KILLS = 3
/** Part of the deliveries that each kill may repeat. */
const DUPLICATES_MAX = 0.01

/** A database and topics of the test's own, and a ledger that closes when it is told to. */
const surroundings = Effect.gen(function* () {
  const kafka = yield* kafkaFor(() => false)
  const proxy = yield* databaseProxy
  const options = yield* makeDatabase
  const database = "database" in options ? String(options.database) : ""
  const address = proxy.connectionTo(database)
  const ledger = yield* makeSimulatedLedger({
    seed: 11,
    networkId: 0,
    transactionsPerLedger: 50,
    closeEveryMs: "manual",
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
    "share the work while deliver processes are killed and others join: all arrives, in order, and hardly anything twice",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { environment, ledger } = yield* surroundings
          const ordered = yield* makeReceiver()
          const quick = yield* makeReceiver()
          const api = yield* startService({ ...environment, ROLES: "api,ingest,route,delay" })
          const client = apiClient(api.apiUrl, ADMIN_KEY)
          yield* createWebhook(client, { url: ordered.url, event_types: ["*"], max_in_flight: 1 })
          for (let i = 0; i < 9; i++) yield* createWebhook(client, { url: quick.url, event_types: ["*"] })
          yield* started(environment, "deliver")
          let victim = yield* started(environment, "deliver")

          const expected: Array<string> = []
          for (let kill = 1; kill <= KILLS; kill++) {
            yield* closeUntil(ledger, expected, (EVENTS * kill) / (KILLS + 1))
            yield* quick.until((received) => received.length >= (EVENTS * 9 * (kill - 0.5)) / (KILLS + 1))
            yield* victim.kill
            victim = yield* started(environment, "deliver")
          }
          yield* closeUntil(ledger, expected, EVENTS)
          const deliveries = expected.length * 10
          const arrived = () =>
            new Set([...ordered.received, ...quick.received].map(({ deliveryId }) => deliveryId)).size
          yield* waitUntil(
            Effect.sync(() => arrived() >= deliveries),
            "120 seconds"
          )

          const sent = ordered.received.length + quick.received.length
          assert.strictEqual(arrived(), deliveries)
          // A kill repeats what was on the way: at most a window, and as much again, of each webhook it had.
          assert.isBelow((sent - deliveries) / deliveries / KILLS, DUPLICATES_MAX)
          const firsts = [...new Set(ordered.received.map(({ event }) => event.event_id))]
          assert.deepStrictEqual(firsts, expected)
        })
      ),
    240_000
  )

  it.live(
    "take every ledger once, though the process that takes them freezes and wakes again",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { environment, ledger } = yield* surroundings
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
          // Taken over when the lease is over: within 15 s.
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
