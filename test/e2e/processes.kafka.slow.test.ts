/**
 * Many processes on a real Kafka and PostgreSQL, as an operator spreads the roles: deliver processes are killed (-9) and
 * joined by others, the broker goes away and comes back, the process that takes the ledgers freezes. Nothing is lost,
 * next to nothing is sent twice, a webhook that wants one at a time gets its events in order, no ledger is taken twice.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { expectedEventIds } from "../../src/simulator/Chain.ts"
import { apiClient, createWebhook, waitUntil } from "../support/apiClient.ts"
import { databaseProxy } from "../support/databaseProxy.ts"
import { kafkaBrokers, kafkaFor } from "../support/kafka.ts"
import { makeDatabase } from "../support/postgres.ts"
import { makeReceiver, type Received } from "../support/receiver.ts"
import { startProcess, startService } from "../support/serviceProcess.ts"
import { makeSimulatedLedger } from "../support/simulatedLedger.ts"

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"
const SECRETS_KEY = Buffer.alloc(32, 7).toString("base64")

/** How many events go to ten webhooks each. */
const EVENTS = 2_000
const WEBHOOKS = 10
const KILLS = 3
/** How many ledgers close one by one before a kill in a steady flow. */
const STEADY_LEDGERS = 20
/** The part of the deliveries that all kills together may duplicate. */
const REPEATED_MAX = 0.01

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
    "share the work while deliver processes are killed and others join: all arrives, in order, and less than 1 % of it twice",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { environment, ledger } = yield* surroundings(5)
          const arrived = new Set<string>()
          const accept = ({ deliveryId }: Received) => {
            arrived.add(deliveryId)
            return 200
          }
          const ordered = yield* makeReceiver(accept)
          const quick = yield* makeReceiver(accept)
          const api = yield* startService({ ...environment, ROLES: "api,ingest,route,delay" })
          const client = apiClient(api.apiUrl, ADMIN_KEY)
          yield* createWebhook(client, { url: ordered.url, event_types: ["*"], max_in_flight: 1 })
          for (let i = 1; i < WEBHOOKS; i++)
            yield* createWebhook(client, { url: quick.url, event_types: ["*"] })
          yield* started(environment, "deliver")
          let victim = yield* started(environment, "deliver")

          const expected: Array<string> = []
          const arrivedBut = (missing: number) =>
            waitUntil(
              Effect.sync(() => arrived.size >= expected.length * WEBHOOKS - missing),
              "120 seconds"
            )
          for (let kill = 1; kill <= KILLS; kill++) {
            yield* closeUntil(ledger, expected, (EVENTS * kill) / (KILLS + 1))
            if (kill === 1) {
              // In the middle of a burst, when every window is full.
              yield* quick.until(({ length }) => length > (expected.length * WEBHOOKS) / 2)
            } else {
              // In a steady flow, when the other processes have caught up.
              yield* arrivedBut(0)
              for (let n = 0; n < STEADY_LEDGERS; n++) {
                yield* closeUntil(ledger, expected, expected.length + 1)
                yield* arrivedBut(WEBHOOKS)
              }
              const before = quick.received.length
              yield* closeUntil(ledger, expected, expected.length + 1)
              yield* quick.until(({ length }) => length > before)
            }
            yield* victim.kill
            victim = yield* started(environment, "deliver")
          }
          yield* closeUntil(ledger, expected, EVENTS)
          yield* arrivedBut(0)

          const deliveries = expected.length * WEBHOOKS
          const sent = ordered.received.length + quick.received.length
          assert.strictEqual(arrived.size, deliveries)
          // Recorded deliveries are never sent again. A kill duplicates only the requests under way at that moment.
          assert.isBelow((sent - deliveries) / deliveries, REPEATED_MAX)
          const firsts = [...new Set(ordered.received.map(({ event }) => event.event_id))]
          assert.deepStrictEqual(firsts, expected)
        })
      ),
    300_000
  )

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
