/** `webhooks.config` is deleted and made again under a running service: no webhook is forgotten, and no event dropped. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { expectedEventIds } from "../../../src/features/simulator/Chain.ts"
import { CONFIG_TOPIC } from "../../../src/spine/domain/Webhook.ts"
import { makeReceiver } from "../../support/deliver/receiver.ts"
import { apiClient, createWebhook, waitUntil } from "../../support/http/apiClient.ts"
import { makeSimulatedLedger } from "../../support/ledger/simulatedLedger.ts"
import { kafkaBrokers, kafkaFor } from "../../support/log/kafka.ts"
import { makeAgain } from "../../support/log/madeAgain.ts"
import { startProcess } from "../../support/program/serviceProcess.ts"
import { ownDatabase } from "../../support/store/ownDatabase.ts"

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"

describe.skipIf(kafkaBrokers().length === 0)("the topic of webhooks", () => {
  it.live(
    "is made again, and every webhook goes on to get every event",
    () =>
      Effect.gen(function* () {
        const kafka = yield* kafkaFor(() => false)
        const database = yield* ownDatabase
        const ledger = yield* makeSimulatedLedger({
          seed: 5,
          networkId: 0,
          transactionsPerLedger: 10,
          hashing: "digest"
        })
        const receiver = yield* makeReceiver()
        const { match } = yield* startProcess(
          {
            DATABASE_URL: database.url,
            KAFKA_BROKERS: kafka.brokers.join(","),
            KAFKA_TOPIC_PREFIX: kafka.topicPrefix,
            ADMIN_KEY,
            SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
            XRPL_MAINNET_URLS: ledger.url,
            XRPL_MAINNET_START: String((yield* ledger.head).header.ledger_index),
            DELIVERY_ALLOW_HTTP: "true",
            DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true"
          },
          /Ledgerhook API: (\S+)/
        )
        const client = apiClient(match[1]!, ADMIN_KEY)
        for (const path of ["a", "b"])
          yield* createWebhook(client, { url: `${receiver.url}/${path}`, event_types: ["*"] })
        const expected: Array<string> = []
        const close = Effect.map(ledger.close, (closed) => {
          expected.push(...expectedEventIds(closed))
        })
        /** Both webhooks have all events. */
        const all = receiver.until((received) => {
          const of = (path: string) =>
            new Set(received.filter((one) => one.path.endsWith(path)).map(({ event }) => event.event_id))
          return [of("/a"), of("/b")].every((got) => expected.every((id) => got.has(id)))
        })
        yield* close
        yield* all
        const sql = yield* PgClient.make({ url: Redacted.make(database.url), maxConnections: 1 }).pipe(
          Effect.provide(Reactivity.layer)
        )
        // The database remembers which topic it was.
        yield* waitUntil(
          Effect.map(sql`SELECT FROM log_places WHERE topic = ${CONFIG_TOPIC}`, (rows) => rows.length > 0),
          "30 seconds"
        )
        yield* makeAgain(kafka, CONFIG_TOPIC)
        yield* close
        yield* all
        yield* close
        yield* all
        assert.isAbove(expected.length, 0)
      }).pipe(Effect.scoped),
    180_000
  )
})
