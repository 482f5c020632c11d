/**
 * The broker is away for seconds under a running service, which cannot commit or move retries meanwhile. Soon after the
 * broker is back, the webhook gets the retries that became due and the next events.
 */
import type { ServerResponse } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Schedule } from "effect"
import { expectedEventIds } from "../../../src/features/simulator/Chain.ts"
import { missing } from "../../kafka/broker.ts"
import { makeReceiver } from "../../support/deliver/receiver.ts"
import { apiClient, createWebhook, waitUntil } from "../../support/http/apiClient.ts"
import { makeSimulatedLedger } from "../../support/ledger/simulatedLedger.ts"
import { ownBroker } from "../../support/log/ownBroker.ts"
import { startProcess } from "../../support/program/serviceProcess.ts"
import { ownDatabase } from "../../support/store/ownDatabase.ts"

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"
/** Shorter and longer than a member's session, 10 s. */
const OUTAGE_SECONDS = [4, 15]
/** The first retry becomes due while the broker is away. */
const RETRY_DELAYS = ["5s", ...Array(8).fill("1m")].join()
/** A heartbeat and the longest wait between two tries of a commit, and as much for a slow machine. */
const RESUMED_MS = 8_000

describe.skipIf(missing() !== undefined)("a service whose broker is away", () => {
  it.live.each(OUTAGE_SECONDS)(
    "for %i s delivers seconds after the broker is back, and nothing twice",
    (outageSeconds) =>
      Effect.gen(function* () {
        const broker = yield* ownBroker
        const database = yield* ownDatabase
        const ledger = yield* makeSimulatedLedger({
          seed: 5,
          networkId: 0,
          transactionsPerLedger: 20,
          hashing: "digest"
        })
        let mode: "accept" | "refuse" | "hold" = "accept"
        const accepted = new Set<string>()
        let refused = 0
        /** Answers that the receiver keeps back, so that attempts end while there is no broker. */
        const held: Array<ServerResponse> = []
        const receiver = yield* makeReceiver(({ event }, response) => {
          if (mode === "refuse") {
            refused++
            return 503
          }
          accepted.add(event.event_id)
          if (mode === "accept") return 200
          held.push(response)
          return "handled"
        })
        const service = yield* startProcess(
          {
            DATABASE_URL: database.url,
            KAFKA_BROKERS: broker.brokers,
            ADMIN_KEY,
            SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
            XRPL_MAINNET_URLS: ledger.url,
            XRPL_MAINNET_START: String((yield* ledger.head).header.ledger_index),
            DELIVERY_RETRY_DELAYS: RETRY_DELAYS,
            DELIVERY_ALLOW_HTTP: "true",
            DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true"
          },
          /Ledgerhook API: (\S+)/
        )
        const client = apiClient(service.match[1]!, ADMIN_KEY)
        yield* createWebhook(client, { url: receiver.url, event_types: ["*"], max_in_flight: 20 })
        const expected = new Set<string>()
        const close = Effect.map(ledger.close, (closed) => {
          for (const id of expectedEventIds(closed)) expected.add(id)
        })
        const arrived = waitUntil(
          Effect.sync(() => accepted.size >= expected.size),
          "60 seconds"
        )
        yield* close
        yield* arrived

        mode = "refuse"
        yield* close
        yield* waitUntil(
          Effect.sync(() => accepted.size + refused >= expected.size),
          "30 seconds"
        )
        mode = "hold"
        yield* close
        yield* waitUntil(
          Effect.sync(() => held.length > 0),
          "30 seconds"
        )
        yield* Effect.promise(() => broker.stop())
        mode = "accept"
        for (const response of held) response.writeHead(200).end()
        yield* Effect.repeat(
          Effect.map(client.call("GET", "/healthz"), ({ status }) => assert.strictEqual(status, 200)),
          { schedule: Schedule.spaced("1 second"), times: outageSeconds }
        )
        yield* Effect.promise(() => broker.start())
        const backMs = yield* Clock.currentTimeMillis
        yield* close
        yield* arrived
        const resumedMs = (yield* Clock.currentTimeMillis) - backMs
        assert.isBelow(resumedMs, RESUMED_MS)
        assert.strictEqual(receiver.received.length, expected.size + refused)
      }).pipe(Effect.scoped),
    240_000
  )
})
