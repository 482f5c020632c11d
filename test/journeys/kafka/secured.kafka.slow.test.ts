/** Clusters that accept only TLS clients that log in: with SCRAM-SHA-512, with a certificate, with tokens. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { expectedEventIds } from "../../../src/features/simulator/Chain.ts"
import { missing, type Secured, startBroker } from "../../kafka/broker.ts"
import { makeReceiver } from "../../support/deliver/receiver.ts"
import { apiClient, createWebhook, waitUntil } from "../../support/http/apiClient.ts"
import { makeSimulatedLedger } from "../../support/ledger/simulatedLedger.ts"
import { startProcess, startService } from "../../support/program/serviceProcess.ts"
import { certificates } from "../../support/servers/certificates.ts"
import { makeTokenServer } from "../../support/servers/tokenServer.ts"

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"
const PASSWORD = "correct-horse"

/** A broker with TLS, a ledger and a receiver. Returns the settings that reach them, without a login. */
const securedBy = Effect.fnUntraced(function* (
  secured: (files: Readonly<Record<"authority" | "key" | "otherCert" | "otherKey", string>>) => Secured
): Effect.fn.Return<Surroundings, never, Scope.Scope> {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-secured-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const { localhost, other } = certificates
  const pem = file("server.pem", `${localhost.key}\n${localhost.cert}\n`)
  const files = {
    authority: file("authority.pem", localhost.cert),
    key: file("key.pem", localhost.key),
    otherCert: file("other.pem", other.cert),
    otherKey: file("other.key", other.key)
  }
  const broker = yield* Effect.acquireRelease(
    Effect.promise(() => startBroker(folder, { secured: { pem, ...secured(files) } })),
    (started) => Effect.promise(started.stop)
  )
  const ledger = yield* makeSimulatedLedger({
    seed: 5,
    networkId: 0,
    transactionsPerLedger: 10,
    hashing: "digest"
  })
  const environment = {
    DATA_DIR: join(folder, "data-dir"),
    KAFKA_BROKERS: broker.brokers,
    KAFKA_SSL: "true",
    // An operator trusts the company's own certificate authority in this way.
    NODE_EXTRA_CA_CERTS: files.authority,
    ADMIN_KEY,
    XRPL_MAINNET_URLS: ledger.url,
    XRPL_MAINNET_START: String((yield* ledger.head).header.ledger_index),
    DELIVERY_ALLOW_HTTP: "true",
    DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true"
  }
  return { broker, environment, files, ledger }
})

interface Surroundings {
  readonly broker: Awaited<ReturnType<typeof startBroker>>
  readonly environment: Readonly<Record<string, string>>
  readonly files: Readonly<Record<"authority" | "key" | "otherCert" | "otherKey", string>>
  readonly ledger: Effect.Success<ReturnType<typeof makeSimulatedLedger>>
}

const refusal = (environment: Readonly<Record<string, string>>) =>
  Effect.map(Effect.flip(startService(environment)), ({ message }) => message)

/** Closes a ledger, and waits until a webhook of the service has all of its events. */
const delivers = Effect.fnUntraced(function* (apiUrl: string, { ledger }: Surroundings) {
  const receiver = yield* makeReceiver()
  const client = apiClient(apiUrl, ADMIN_KEY)
  yield* createWebhook(client, { url: receiver.url, event_types: ["*"] })
  const expected = expectedEventIds(yield* ledger.close)
  yield* receiver.until((received) => received.length >= expected.length)
  assert.deepStrictEqual(receiver.received.map(({ event }) => event.event_id).sort(), [...expected].sort())
})

// The tests start their own brokers even if KAFKA_BROKERS names another.
describe.skipIf(missing() !== undefined)("a secured Kafka", () => {
  it.live(
    "is used with TLS and a login, and a wrong password gives one sentence that does not show it",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const its = yield* securedBy(() => ({ users: { ledgerhook: PASSWORD } }))
          const environment = {
            ...its.environment,
            KAFKA_SASL_MECHANISM: "SCRAM-SHA-512",
            KAFKA_USERNAME: "ledgerhook",
            KAFKA_PASSWORD: PASSWORD
          }
          const refused = yield* refusal({ ...environment, KAFKA_PASSWORD: "wrong-secret" })
          assert.match(refused, /ledgerhook: KAFKA_BROKERS: .+\.\n/)
          assert.notInclude(refused, "wrong-secret")
          const service = yield* startService(environment)
          yield* delivers(service.apiUrl, its)
        })
      ),
    120_000
  )

  it.live(
    "is used with a client certificate, and none, a wrong one or a missing file give one sentence",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const its = yield* securedBy(({ authority }) => ({ clientAuthority: authority }))
          const { authority, key, otherCert, otherKey } = its.files
          assert.match(yield* refusal(its.environment), /ledgerhook: KAFKA_BROKERS: .*certificate.*\.\n/i)
          const wrong = { ...its.environment, KAFKA_SSL_CERT: otherCert, KAFKA_SSL_KEY: otherKey }
          assert.match(yield* refusal(wrong), /ledgerhook: KAFKA_BROKERS: .*certificate.*\.\n/i)
          const environment = { ...its.environment, KAFKA_SSL_CERT: authority, KAFKA_SSL_KEY: key }
          assert.include(
            yield* refusal({ ...environment, KAFKA_SSL_KEY: "/none.key" }),
            "ledgerhook: KAFKA_SSL_KEY: the file /none.key cannot be read (ENOENT).\n"
          )
          const service = yield* startService(environment)
          yield* delivers(service.apiUrl, its)
        })
      ),
    120_000
  )

  it.live(
    "is used with tokens, which are replaced in time, and each fault of the endpoint gives one sentence",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const tokens = yield* makeTokenServer({ id: "ledgerhook", secret: PASSWORD }, TOKEN_LIFE_S)
          const { audience, keysUrl } = tokens
          const its = yield* securedBy(() => ({ oauth: { keysUrl, audience }, loginMs: LOGIN_MS }))
          const environment = {
            ...its.environment,
            KAFKA_SASL_MECHANISM: "OAUTHBEARER",
            KAFKA_USERNAME: "ledgerhook",
            KAFKA_PASSWORD: PASSWORD,
            KAFKA_OAUTH_TOKEN_URL: tokens.tokenUrl,
            KAFKA_OAUTH_SCOPE: "kafka"
          }
          const endpoint = `KAFKA_OAUTH_TOKEN_URL: the endpoint at ${new URL(tokens.tokenUrl).host}`
          const refused = yield* refusal({ ...environment, KAFKA_PASSWORD: "wrong-secret" })
          assert.include(
            refused,
            `${endpoint} gives no token to this client (HTTP 401: invalid_client, unknown client)`
          )
          assert.notInclude(refused, "wrong-secret")
          for (const [how, sentence] of [
            ["silent", "did not answer within 4 s"],
            ["nonsense", "sent an answer without a token"],
            ["endless", "sent more than 65536 bytes"]
          ] as const) {
            tokens.answer(how)
            assert.include(yield* refusal(environment), `${endpoint} ${sentence}`)
          }
          const away = { ...environment, KAFKA_OAUTH_TOKEN_URL: "http://127.0.0.1:1/token" }
          assert.include(yield* refusal(away), "the endpoint at 127.0.0.1:1 cannot be reached")

          tokens.answer("token")
          const service = yield* startProcess(environment, /Ledgerhook API: (\S+)/)
          const apiUrl = service.match[1]!
          yield* delivers(apiUrl, its)
          // Every connection logs in again several times, each time with a token that lives for longer.
          const given = tokens.given()
          yield* waitUntil(
            Effect.sync(() => tokens.given() >= given + RENEWALS),
            "60 seconds"
          )
          yield* delivers(apiUrl, its)
          assert.notMatch(service.output(), /"level":"(?:WARN|ERROR)"|WARN|ERROR/i)

          // While the endpoint is away, connections fail once the last token has ended. Then all goes on.
          tokens.answer("silent")
          yield* waitUntil(
            Effect.sync(() => service.output().includes(endpoint)),
            "60 seconds"
          )
          tokens.answer("token")
          yield* delivers(apiUrl, its)
        })
      ),
    240_000
  )
})

const TOKEN_LIFE_S = 6
const LOGIN_MS = 5_000
const RENEWALS = 3
