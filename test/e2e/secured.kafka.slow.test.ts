/** A cluster that accepts only TLS clients that log in (SCRAM-SHA-512). */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expectedEventIds } from "../../src/simulator/Chain.ts"
import { missing, startBroker } from "../kafka/broker.ts"
import { apiClient, createWebhook } from "../support/apiClient.ts"
import { certificates } from "../support/certificates.ts"
import { makeReceiver } from "../support/receiver.ts"
import { startService } from "../support/serviceProcess.ts"
import { makeSimulatedLedger } from "../support/simulatedLedger.ts"

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"
const PASSWORD = "correct-horse"

const secured = Effect.acquireRelease(
  Effect.promise(async () => {
    const folder = mkdtempSync(join(tmpdir(), "ledgerhook-secured-"))
    const { key, cert } = certificates.localhost
    const [pem, authority] = [join(folder, "server.pem"), join(folder, "authority.pem")]
    writeFileSync(pem, `${key}\n${cert}\n`)
    writeFileSync(authority, cert)
    const broker = await startBroker(folder, {
      secured: { users: { ledgerhook: PASSWORD }, pem }
    })
    return { folder, broker, authority }
  }),
  ({ folder, broker }) =>
    Effect.promise(async () => {
      await broker.stop()
      rmSync(folder, { recursive: true, force: true })
    })
)

// The test starts its own broker even if KAFKA_BROKERS names another.
describe.skipIf(missing() !== undefined)("a secured Kafka", () => {
  it.live(
    "is used with TLS and a login, and a wrong password gives one sentence that does not show it",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { folder, broker, authority } = yield* secured
          const ledger = yield* makeSimulatedLedger({
            seed: 5,
            networkId: 0,
            transactionsPerLedger: 10,
            hashing: "digest"
          })
          const receiver = yield* makeReceiver()
          const environment = {
            DATA_DIR: join(folder, "data-dir"),
            KAFKA_BROKERS: broker.brokers,
            KAFKA_SSL: "true",
            KAFKA_SASL_MECHANISM: "SCRAM-SHA-512",
            KAFKA_USERNAME: "ledgerhook",
            KAFKA_PASSWORD: PASSWORD,
            // An operator trusts the company's own certificate authority in this way.
            NODE_EXTRA_CA_CERTS: authority,
            ADMIN_KEY,
            XRPL_MAINNET_URLS: ledger.url,
            XRPL_MAINNET_START: String((yield* ledger.head).header.ledger_index),
            DELIVERY_ALLOW_HTTP: "true",
            DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true"
          }
          const refused = yield* Effect.flip(startService({ ...environment, KAFKA_PASSWORD: "wrong-secret" }))
          assert.match(refused.message, /ledgerhook: KAFKA_BROKERS: .+\.\n/)
          assert.notInclude(refused.message, "wrong-secret")

          const service = yield* startService(environment)
          yield* createWebhook(apiClient(service.apiUrl, ADMIN_KEY), {
            url: receiver.url,
            event_types: ["*"]
          })
          const expected = expectedEventIds(yield* ledger.close)
          yield* receiver.until((received) => received.length >= expected.length)
          assert.deepStrictEqual(
            receiver.received.map(({ event }) => event.event_id).sort(),
            [...expected].sort()
          )
        })
      ),
    120_000
  )
})
