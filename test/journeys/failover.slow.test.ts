/**
 * The embedded log in a PostgreSQL whose standby is behind takes its place. What was written last is then gone: records,
 * rows and positions together. The service goes on by itself from what the new primary has.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expectedEventIds } from "../../src/features/simulator/Chain.ts"
import { freePort } from "../kafka/javaServer.ts"
import { makeReceiver } from "../support/deliver/receiver.ts"
import { apiClient, createWebhook, waitUntil } from "../support/http/apiClient.ts"
import { makeSimulatedLedger } from "../support/ledger/simulatedLedger.ts"
import { startProgram } from "../support/program/program.ts"
import { startProcess, startService } from "../support/program/serviceProcess.ts"
import { failoverPair } from "../support/store/failoverPair.ts"
import { postgresPrograms } from "../support/store/systemPostgres.ts"

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"

const pairInFolder = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-failover-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  // The servers run as another user.
  chmodSync(folder, 0o777)
  return { folder, pair: yield* failoverPair(join(folder, "servers")) }
})

const partOf = (apiUrl: string, path: string) =>
  Effect.promise(async () => {
    const response = await fetch(`${apiUrl}${path}`)
    return { status: response.status, text: await response.text() }
  })

describe.skipIf(postgresPrograms === undefined)("a failover to a standby", () => {
  it.live(
    "that was behind loses no event and no ledger, and the service says meanwhile that it has a standby",
    () =>
      Effect.gen(function* () {
        const { folder, pair } = yield* pairInFolder
        const ledger = yield* makeSimulatedLedger({ seed: 7, networkId: 0, transactionsPerLedger: 5 })
        const receiver = yield* makeReceiver()
        const first = (yield* ledger.head).header.ledger_index
        const environment = {
          // The service starts anew in its process, at the same address.
          PORT: String(yield* Effect.promise(freePort)),
          DATA_DIR: join(folder, "data"),
          DATABASE_URL: pair.url,
          ADMIN_KEY,
          XRPL_MAINNET_URLS: ledger.url,
          XRPL_MAINNET_START: String(first),
          DELIVERY_ALLOW_HTTP: "true",
          DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true"
        }
        const { apiUrl } = yield* startService(environment)
        yield* createWebhook(apiClient(apiUrl, ADMIN_KEY), { url: receiver.url, event_types: ["*"] })
        const expected = new Set<string>()
        const closeSome = Effect.gen(function* () {
          for (let i = 0; i < 4; i++) for (const id of expectedEventIds(yield* ledger.close)) expected.add(id)
        })
        const allCame = Effect.timeout(
          receiver.until((received) => {
            const came = new Set(received.map(({ event }) => event.event_id))
            return [...expected].every((id) => came.has(id))
          }),
          "90 seconds"
        )
        yield* closeSome
        yield* allCame
        yield* pair.stopReplication
        yield* closeSome
        yield* allCame

        yield* pair.lead("standby")
        yield* pair.crashPrimary
        yield* waitUntil(
          Effect.map(partOf(apiUrl, "/readyz/database"), ({ status, text }) => {
            return status === 503 && /is a standby/.test(text)
          }),
          "30 seconds"
        )
        assert.strictEqual((yield* apiClient(apiUrl, ADMIN_KEY).call("GET", "/v1/webhooks")).status, 503)
        yield* closeSome
        yield* pair.promote
        yield* allCame
        yield* waitUntil(
          Effect.map(partOf(apiUrl, "/readyz"), ({ status }) => status === 200),
          "30 seconds"
        )

        const last = (yield* ledger.head).header.ledger_index
        const range = ["--from", String(first + 1), "--to", String(last), "--network", "mainnet", "--json"]
        const verifying = yield* startProgram(["ledger", "verify", ...range], { cwd: folder, environment })
        yield* verifying.ended
        assert.deepInclude(JSON.parse(verifying.stdout()), { ok: true, ledgers: last - first })
      }).pipe(Effect.scoped),
    240_000
  )

  it.live(
    "that has not ended yet: the start waits for the primary, and so does `ledgerhook migrate`",
    () =>
      Effect.gen(function* () {
        const { folder, pair } = yield* pairInFolder
        yield* pair.lead("standby")
        const environment = { DATA_DIR: join(folder, "data"), DATABASE_URL: pair.url, XRPL_MAINNET_URLS: "" }
        const migrating = yield* startProcess(environment, /is a standby.*Waiting/, undefined, ["migrate"])
        const starting = yield* startProcess(environment, /the start waits for PostgreSQL: .*is a standby/)
        yield* pair.crashPrimary
        yield* pair.promote
        yield* waitUntil(
          Effect.sync(() => /Ledgerhook API: /.test(starting.output())),
          "60 seconds"
        )
        yield* waitUntil(
          Effect.sync(() => /Applied|up to date/.test(migrating.output())),
          "60 seconds"
        )
      }).pipe(Effect.scoped),
    240_000
  )

  it.live(
    "whose synchronous standby is away: the process says that commits wait, answers 503, and goes on afterwards",
    () =>
      Effect.gen(function* () {
        const { folder, pair } = yield* pairInFolder
        const ledger = yield* makeSimulatedLedger({ seed: 7, networkId: 0, transactionsPerLedger: 5 })
        const { apiUrl } = yield* startService({
          DATA_DIR: join(folder, "data"),
          DATABASE_URL: pair.url,
          ADMIN_KEY,
          XRPL_MAINNET_URLS: ledger.url
        })
        const client = apiClient(apiUrl, ADMIN_KEY)
        const webhook = { url: "https://hooks.example.com/a", event_types: ["*"] }
        yield* createWebhook(client, webhook)
        yield* pair.stopReplication
        yield* pair.commitsWait(true)
        const answersWith = (path: string, wanted: number) =>
          waitUntil(
            Effect.map(partOf(apiUrl, path), ({ status }) => status === wanted),
            "30 seconds"
          )
        const { status } = yield* Effect.timeout(client.call("POST", "/v1/webhooks", webhook), "15 seconds")
        assert.strictEqual(status, 503)
        yield* answersWith("/readyz/database", 503)
        assert.match(
          (yield* partOf(apiUrl, "/readyz/database")).text,
          /commits wait for a synchronous standby/
        )
        yield* answersWith("/readyz/traffic", 503)
        yield* pair.commitsWait(false)
        yield* answersWith("/readyz/traffic", 200)
        yield* createWebhook(client, webhook)
      }).pipe(Effect.scoped),
    240_000
  )
})
