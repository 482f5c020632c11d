/**
 * The broker, or the database, is stopped under a running service and started again a minute later: the process does not
 * die, the API serves what it can, nothing is lost, the lag drains, and what the API changed meanwhile reaches the
 * log in order, each change once.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Schedule } from "effect"
import { expectedEventIds } from "../../../src/features/simulator/Chain.ts"
import type { KafkaSettings } from "../../../src/spine/config/Config.ts"
import { DELIVERIES_TOPIC } from "../../../src/spine/domain/Delivery.ts"
import { CONFIG_TOPIC } from "../../../src/spine/domain/Webhook.ts"
import * as KafkaLog from "../../../src/spine/log/kafka/KafkaLog.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { partitionsOf } from "../../../src/spine/log/Topics.ts"
import { OUTBOX_ID_HEADER } from "../../../src/spine/store/outbox/OutboxPublisher.ts"
import { missing, startBroker } from "../../kafka/broker.ts"
import { makeReceiver } from "../../support/deliver/receiver.ts"
import { allDeliveries, apiClient, createWebhook, waitUntil } from "../../support/http/apiClient.ts"
import { makeSimulatedLedger } from "../../support/ledger/simulatedLedger.ts"
import { kafkaBrokers, kafkaFor } from "../../support/log/kafka.ts"
import { startService } from "../../support/program/serviceProcess.ts"
import { ownDatabase } from "../../support/store/ownDatabase.ts"

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"
/** Longer than sessions, transactions, leases and requests last. */
const OUTAGE_SECONDS = 60
const TEST_MS = 400_000

const ownBroker = Effect.acquireRelease(
  Effect.promise(async () => {
    const folder = mkdtempSync(join(tmpdir(), "ledgerhook-outage-"))
    return { folder, broker: await startBroker(folder) }
  }),
  ({ folder, broker }) =>
    Effect.promise(async () => {
      await broker.stop()
      rmSync(folder, { recursive: true, force: true })
    })
)

/** A service that delivers all events of a simulated ledger to one receiver. */
const delivering = Effect.fnUntraced(function* (
  kafka: Pick<KafkaSettings, "brokers" | "topicPrefix">,
  databaseUrl: string
) {
  const ledger = yield* makeSimulatedLedger({
    seed: 5,
    networkId: 0,
    transactionsPerLedger: 20,
    hashing: "digest"
  })
  const receiver = yield* makeReceiver()
  const service = yield* startService({
    DATABASE_URL: databaseUrl,
    KAFKA_BROKERS: kafka.brokers.join(","),
    KAFKA_TOPIC_PREFIX: kafka.topicPrefix,
    ADMIN_KEY,
    SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
    XRPL_MAINNET_URLS: ledger.url,
    XRPL_MAINNET_START: String((yield* ledger.head).header.ledger_index),
    DELIVERY_ALLOW_HTTP: "true",
    DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true"
  })
  const client = apiClient(service.apiUrl, ADMIN_KEY)
  const wanted = { url: receiver.url, event_types: ["*"] }
  const { id } = yield* createWebhook(client, wanted)
  const expected = new Set<string>()
  const arrived = () =>
    new Set(receiver.received.flatMap(({ event }) => (event.webhook_id === id ? [event.event_id] : [])))
  const status = (path: string) => Effect.map(client.call("GET", path), (answer) => answer.status)
  return {
    receiver,
    client,
    wanted,
    status,
    close: (ledgers: number) =>
      Effect.gen(function* () {
        for (let n = 0; n < ledgers; n++) {
          for (const event of expectedEventIds(yield* ledger.close)) expected.add(event)
        }
      }),
    /** Every event has arrived, and the delivery log says so. */
    drained: Effect.gen(function* () {
      yield* waitUntil(
        Effect.sync(() => arrived().size >= expected.size),
        "60 seconds"
      )
      assert.deepStrictEqual([...arrived()].sort(), [...expected].sort())
      yield* waitUntil(
        Effect.map(allDeliveries(client), (rows) => rows.every((row) => row.status === "delivered")),
        "30 seconds"
      )
    }),
    /** Checks every second while the outage lasts. */
    meanwhile: (look: Effect.Effect<void, Error>) =>
      Effect.repeat(look, { schedule: Schedule.spaced("1 second"), times: OUTAGE_SECONDS })
  }
})

/** Waits until every delivery record in the log has been handled and the groups have committed it. */
const noLag = Effect.gen(function* () {
  const log = yield* Log
  const lagging = yield* Effect.filter(
    Array.from({ length: partitionsOf(DELIVERIES_TOPIC) }, (_, partition) => ({
      topic: DELIVERIES_TOPIC,
      partition
    })),
    Effect.fnUntraced(function* (partition) {
      const last = yield* log.last(partition)
      return last !== undefined && last.offset >= (yield* log.committed("deliver", partition))
    }),
    { concurrency: "unbounded" }
  )
  return lagging.length === 0
})

// The test starts its own broker even if KAFKA_BROKERS names another.
describe
  .skipIf(missing() !== undefined || kafkaBrokers().length === 0)
  .concurrent("a service on Kafka and PostgreSQL", () => {
    it.live(
      "survives a minute without its broker: reads and changes continue, and then it catches up",
      () =>
        Effect.gen(function* () {
          const { broker } = yield* ownBroker
          const database = yield* ownDatabase
          const kafka: KafkaSettings = {
            ...(yield* kafkaFor(() => false)),
            brokers: [broker.brokers]
          }
          const { receiver, client, wanted, status, close, drained, meanwhile } = yield* delivering(
            kafka,
            database.url
          )
          yield* close(5)
          yield* drained

          yield* Effect.promise(() => broker.stop())
          yield* close(5)
          const { id } = yield* createWebhook(client, { ...wanted, max_in_flight: 1 })
          const changes = [1]
          yield* meanwhile(
            Effect.gen(function* () {
              assert.strictEqual(yield* status("/v1/deliveries"), 200)
              assert.strictEqual(yield* status("/v1/ledgers/coverage"), 503)
              const next = changes.length + 1
              const changed = yield* client.call("PATCH", `/v1/webhooks/${id}`, { max_in_flight: next })
              assert.strictEqual(changed.status, 200)
              changes.push(next)
            })
          )
          yield* Effect.promise(() => broker.start())
          yield* close(5)
          yield* drained
          yield* receiver.until((received) => received.some(({ event }) => event.webhook_id === id))

          const context = yield* Layer.build(KafkaLog.layer(kafka))
          const log = Context.get(context, Log)
          const records = yield* log.read({ topic: CONFIG_TOPIC, partition: 0, offset: 0 }, 1_000)
          const published = records.filter(({ key }) => key === id)
          assert.deepStrictEqual(
            published.map(({ value }) => JSON.parse(value ?? "").max_in_flight),
            changes
          )
          const outboxIds = records.map(({ headers }) => Number(headers[OUTBOX_ID_HEADER]))
          assert.deepStrictEqual(
            outboxIds,
            [...new Set(outboxIds)].sort((a, b) => a - b)
          )
          yield* waitUntil(Effect.provideService(noLag, Log, log), "30 seconds")
        }).pipe(Effect.scoped),
      TEST_MS
    )

    it.live(
      "survives a minute without its database: requests that need it answer 503, and then it catches up",
      () =>
        Effect.gen(function* () {
          const database = yield* ownDatabase
          const kafka = yield* kafkaFor(() => false)
          const { client, wanted, status, close, drained, meanwhile } = yield* delivering(kafka, database.url)
          yield* close(5)
          yield* drained

          yield* database.stop
          yield* close(5)
          yield* meanwhile(
            Effect.gen(function* () {
              assert.strictEqual(yield* status("/v1/deliveries"), 503)
              assert.strictEqual((yield* client.call("POST", "/v1/webhooks", wanted)).status, 503)
              assert.strictEqual(yield* status("/readyz"), 503)
              assert.strictEqual(yield* status("/healthz"), 200)
            })
          )
          yield* database.start
          yield* close(5)
          yield* drained
          assert.strictEqual(yield* status("/v1/deliveries"), 200)
          // Refused requests changed nothing.
          const { body } = yield* client.call("GET", "/v1/webhooks")
          assert.strictEqual((body as unknown as { data: ReadonlyArray<unknown> }).data.length, 1)
          const context = yield* Layer.build(KafkaLog.layer(kafka))
          yield* waitUntil(Effect.provideService(noLag, Log, Context.get(context, Log)), "30 seconds")
        }).pipe(Effect.scoped),
      TEST_MS
    )
  })
