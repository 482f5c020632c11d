/**
 * A customer with a test key and a service without servers for testnet: signed events of the simulated ledger arrive
 * through the whole chain, free of charge, while the webhook is active. The chain is one through pauses and kill -9;
 * once testnet has servers, their chain begins beside it.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { networkIds } from "../../src/spine/event/Network.ts"
import { makeReceiver, signatureHolds } from "../support/deliver/receiver.ts"
import { type ApiClient, apiClient, createWebhook, waitUntil } from "../support/http/apiClient.ts"
import { makeSimulatedLedger } from "../support/ledger/simulatedLedger.ts"
import { runProgram } from "../support/program/program.ts"
import { startService } from "../support/program/serviceProcess.ts"

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"
const SERVER_FIRST_LEDGER = 12_000_000

interface Range {
  readonly first: { readonly ledger_index: number }
  readonly last: { readonly ledger_index: number }
  readonly ledgers: number
  readonly simulated: boolean
}

interface Coverage {
  readonly head: { readonly ledger_index: number } | null
  readonly ranges: ReadonlyArray<Range>
}

/** Testnet's coverage, as the API shows it. */
const testnet = (client: ApiClient) =>
  Effect.map(client.call("GET", "/v1/ledgers/coverage"), ({ body }) => {
    // The response has the contract's shape. The assertions check its values.
    const { data } = body as unknown as { readonly data: ReadonlyArray<Coverage> }
    return data[0]!
  })
const ranges = (client: ApiClient) => Effect.map(testnet(client), (one) => one.ranges)

const isIdle = (client: ApiClient) =>
  Effect.map(
    client.call("GET", "/readyz"),
    ({ body, status }) =>
      status === 200 && JSON.stringify(body["parts"]?.["ledger.testnet"]).includes("Idle: no active webhook")
  )

describe("a test network without servers", () => {
  it.live(
    "is played for active webhooks, in one whole chain, until it has servers",
    () =>
      Effect.gen(function* () {
        const folder = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-simulated-"))),
          (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
        )
        const environment = {
          DATA_DIR: folder,
          ADMIN_KEY,
          XRPL_MAINNET_URLS: "",
          DELIVERY_ALLOW_HTTP: "true",
          DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true"
        }
        const receiver = yield* makeReceiver()
        const more = (count: number) => {
          const before = receiver.received.length
          return receiver
            .until((received) => received.length >= before + count)
            .pipe(Effect.timeout("60 seconds"))
        }

        let service = yield* startService(environment)
        const created = yield* apiClient(service.apiUrl, ADMIN_KEY).call("POST", "/v1/api-keys", {
          name: "trial",
          scopes: ["admin"],
          environment: "test"
        })
        const key = String(created.body["key"])
        let client = apiClient(service.apiUrl, key)
        assert.isTrue(yield* isIdle(client))
        assert.deepInclude(yield* testnet(client), { head: null, ranges: [] })

        const { id, secret } = yield* createWebhook(client, { url: receiver.url, event_types: ["*"] })
        yield* more(5)
        const become = (status: string) => client.call("PATCH", `/v1/webhooks/${id}`, { status })
        yield* become("disabled")
        yield* waitUntil(isIdle(client), "60 seconds")
        const paused = yield* ranges(client)
        assert.lengthOf(paused, 1)

        yield* service.kill
        service = yield* startService(environment)
        client = apiClient(service.apiUrl, key)
        yield* waitUntil(isIdle(client), "60 seconds")
        assert.deepStrictEqual(yield* ranges(client), paused)

        yield* become("active")
        yield* more(5)
        const [played, ...others] = yield* ranges(client)
        assert.deepStrictEqual(others, [])
        assert.strictEqual(played!.first.ledger_index, paused[0]!.first.ledger_index)
        assert.isAbove(played!.last.ledger_index, paused[0]!.last.ledger_index)
        const isHeadShown = Effect.map(
          testnet(client),
          ({ head }) => (head?.ledger_index ?? 0) >= played!.last.ledger_index
        )
        yield* waitUntil(isHeadShown, "10 seconds")
        const { body } = yield* client.call("GET", "/v1/account")
        assert.strictEqual((body["usage"] as unknown as { deliveries: number }).deliveries, 0)
        for (const one of receiver.received) {
          assert.isTrue(signatureHolds(secret, one))
          assert.strictEqual(one.event["network"], "testnet")
        }

        const { code, stdout } = runProgram(
          [
            ...["ledger", "verify", "--network", "testnet"],
            ...["--from", String(played!.first.ledger_index), "--to", String(played!.last.ledger_index)]
          ],
          { cwd: folder, environment: { DATA_DIR: folder } }
        )
        assert.strictEqual(code, 0, stdout)
        assert.include(stdout, `${played!.ledgers} complete`)

        yield* service.kill
        const server = yield* makeSimulatedLedger({
          seed: 11,
          networkId: networkIds.testnet,
          transactionsPerLedger: 10,
          firstLedgerIndex: SERVER_FIRST_LEDGER
        })
        service = yield* startService({
          ...environment,
          XRPL_TESTNET_URLS: server.url,
          XRPL_TESTNET_START: String(SERVER_FIRST_LEDGER)
        })
        client = apiClient(service.apiUrl, key)
        yield* server.close
        yield* receiver
          .until((received) =>
            received.some(({ event }) => Number(event["ledger_index"]) === SERVER_FIRST_LEDGER + 1)
          )
          .pipe(Effect.timeout("60 seconds"))
        const [before, now] = yield* ranges(client)
        assert.strictEqual(before!.first.ledger_index, played!.first.ledger_index)
        assert.isAtLeast(before!.last.ledger_index, played!.last.ledger_index)
        assert.deepInclude(before, { simulated: true })
        assert.deepInclude(now, { simulated: false, ledgers: 2 })
        assert.strictEqual(now!.last.ledger_index, SERVER_FIRST_LEDGER + 1)
      }),
    240_000
  )
})
