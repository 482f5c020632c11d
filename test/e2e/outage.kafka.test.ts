/**
 * The broker, and then the database, go away under a running service and come back: no process dies, the API goes on
 * with what it can, nothing is lost, and the lag drains.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { expectedEventIds, makeSimulatedLedger } from "../../src/ledger/simulated/SimulatedLedger.ts"
import { startBroker } from "../kafka/broker.ts"
import { apiClient, createWebhook, waitUntil } from "../support/apiClient.ts"
import { databaseProxy } from "../support/databaseProxy.ts"
import { kafkaBrokers } from "../support/kafka.ts"
import { makeDatabase } from "../support/postgres.ts"
import { makeReceiver } from "../support/receiver.ts"
import { startService } from "../support/serviceProcess.ts"

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"

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

describe.skipIf(kafkaBrokers().length === 0)("a service on Kafka", () => {
  it.live(
    "outlives its broker and its database, loses nothing, and answers meanwhile",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { broker } = yield* ownBroker
          const proxy = yield* databaseProxy
          const options = yield* makeDatabase
          const address = proxy.connectionTo("database" in options ? String(options.database) : "")
          const ledger = yield* makeSimulatedLedger({
            seed: 5,
            networkId: 0,
            transactionsPerLedger: 20,
            closeEveryMs: "manual",
            hashing: "digest"
          })
          const receiver = yield* makeReceiver()
          const service = yield* startService({
            DATABASE_URL: "url" in address ? Redacted.value(address.url) : "",
            KAFKA_BROKERS: broker.brokers,
            ADMIN_KEY,
            SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
            XRPL_MAINNET_URLS: ledger.url,
            XRPL_MAINNET_START: String((yield* ledger.head).header.ledger_index),
            DELIVERY_ALLOW_HTTP: "true",
            DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true"
          })
          const client = apiClient(service.apiUrl, ADMIN_KEY)
          const wanted = { url: receiver.url, event_types: ["*"] }
          yield* createWebhook(client, wanted)
          const expected = new Set<string>()
          const close = (ledgers: number) =>
            Effect.gen(function* () {
              for (let n = 0; n < ledgers; n++) {
                for (const id of expectedEventIds(yield* ledger.close)) expected.add(id)
              }
            })
          const arrived = () => new Set(receiver.received.map(({ event }) => event.event_id)).size
          const drained = waitUntil(
            Effect.sync(() => arrived() >= expected.size),
            "60 seconds"
          )
          yield* close(5)
          yield* drained

          yield* Effect.promise(() => broker.stop())
          yield* close(5)
          // Only the database is needed for these, and the change waits in the outbox.
          assert.strictEqual((yield* client.call("GET", "/v1/deliveries")).status, 200)
          const second = yield* createWebhook(client, wanted)
          assert.strictEqual((yield* client.call("GET", `/v1/webhooks/${second.id}`)).status, 200)
          yield* Effect.promise(() => broker.start())
          yield* drained
          yield* close(5)
          yield* drained
          yield* receiver.until((received) => received.some(({ event }) => event.webhook_id === second.id))

          yield* proxy.cut
          assert.strictEqual((yield* client.call("GET", "/v1/deliveries")).status, 503)
          yield* close(5)
          yield* proxy.restore
          yield* drained
          assert.strictEqual((yield* client.call("GET", "/v1/deliveries")).status, 200)
        })
      ),
    180_000
  )
})
