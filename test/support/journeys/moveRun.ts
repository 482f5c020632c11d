/**
 * Moves a store with unfinished work from place to place. At each place the service continues: every event of every
 * ledger is delivered under one id, retries are made when they are due, and the chain of ledgers is whole.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { expectedEventIds } from "../../../src/features/simulator/Chain.ts"
import { makeReceiver, signatureHolds } from "../deliver/receiver.ts"
import { type ApiClient, allDeliveries, apiClient, createWebhook, waitUntil } from "../http/apiClient.ts"
import { makeSimulatedLedger } from "../ledger/simulatedLedger.ts"
import { startProgram } from "../program/program.ts"
import { startService } from "../program/serviceProcess.ts"

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"

/** Where a store is: settings, and the flags of `move` that name it. A folder is a place below the test's own. */
export interface Place {
  readonly environment: Readonly<Record<string, string>>
  readonly flags: ReadonlyArray<string>
}

export interface MoveRun {
  readonly places: (folder: string) => ReadonlyArray<Place>
  /** Kill the first move when it has printed or done something; undefined: let it end. */
  readonly killFirst?: boolean
}

const detailsOf = (client: ApiClient, ids: ReadonlyArray<string>) =>
  Effect.forEach(ids, (id) => Effect.map(client.call("GET", `/v1/deliveries/${id}`), ({ body }) => body))

export const moveRun = ({ places: placesIn, killFirst = false }: MoveRun) =>
  Effect.gen(function* () {
    const cwd = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-move-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    const ledger = yield* makeSimulatedLedger({
      seed: 13,
      networkId: 0,
      transactionsPerLedger: 30,
      hashing: "digest"
    })
    const seen = new Set<string>()
    const receiver = yield* makeReceiver(({ deliveryId }, response) => {
      const attempt = seen.has(deliveryId) ? 2 : 1
      const kind = seen.size % 5
      seen.add(deliveryId)
      if (attempt === 2 || kind > 1) return 200
      // One kind is due after the move, the other not during the test.
      response.writeHead(503, { "Retry-After": kind === 0 ? "600" : "10" }).end()
      return "handled"
    })
    const first = (yield* ledger.head).header.ledger_index
    const shared = {
      ADMIN_KEY,
      SECRETS_KEY: Buffer.alloc(32, 5).toString("base64"),
      XRPL_MAINNET_URLS: ledger.url,
      XRPL_MAINNET_START: String(first),
      XRPL_TESTNET_URLS: "",
      DELIVERY_ALLOW_HTTP: "true",
      DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true"
    }
    const places = placesIn(cwd).map((place) => ({
      ...place,
      environment: { ...shared, ...place.environment }
    }))
    const expected = new Set<string>()
    const closeLedgers = Effect.gen(function* () {
      for (let n = 0; n < 4; n++) for (const id of expectedEventIds(yield* ledger.close)) expected.add(id)
    })
    const unfinished = (status: string) => status === "pending" || status === "retrying"
    let secret = ""
    let before: ReadonlyArray<Readonly<Record<string, unknown>>> = []

    for (const [i, place] of places.entries()) {
      const previous = places[i - 1]
      if (previous !== undefined) {
        if (killFirst && i === 1) {
          const killed = yield* startProgram(["move", ...place.flags], {
            cwd,
            environment: previous.environment
          })
          yield* killed.said(/moving/)
          yield* killed.signalGroup("SIGKILL")
        }
        const move = startProgram(["move", ...place.flags], { cwd, environment: previous.environment })
        const moved = yield* move
        const failure = yield* Effect.forkScoped(moved.said(/^ledgerhook: /))
        const code = yield* moved.ended
        assert.strictEqual(code, 0, code === 0 ? "" : yield* Fiber.join(failure))
        assert.strictEqual(JSON.parse(moved.stdout()).ledgers_verified, 1 + 4 * i)
        yield* (yield* move).said(/contains data of Ledgerhook already; choose an empty database/)
      }
      const service = yield* startService(place.environment)
      const client = apiClient(service.apiUrl, ADMIN_KEY)
      if (previous === undefined)
        ({ secret } = yield* createWebhook(client, { url: receiver.url, event_types: ["*"] }))
      const stays = before.filter(
        ({ next_attempt_at: at }) => at === null || Date.parse(String(at)) > Date.now() + 60_000
      )
      const kept = yield* detailsOf(
        client,
        stays.map(({ id }) => String(id))
      )
      assert.deepStrictEqual(kept, stays as never)
      yield* closeLedgers
      const settled = Effect.map(
        allDeliveries(client),
        (all) => all.length >= expected.size && all.every(({ status }) => status !== "pending")
      )
      yield* waitUntil(settled, "60 seconds")
      if (previous !== undefined) {
        const due = before.filter(
          ({ status, id }) => status === "retrying" && !stays.some((one) => one["id"] === id)
        )
        const late = stays.filter(({ status }) => status === "retrying").slice(0, 2)
        assert.isAbove(late.length, 0)
        for (const { id } of late) yield* client.call("POST", `/v1/deliveries/${id}/retry`)
        const wanted = [...due, ...late].map(({ id }) => String(id))
        const delivered = Effect.map(detailsOf(client, wanted), (all) =>
          all.every(({ status }) => status === "delivered")
        )
        yield* waitUntil(delivered, "60 seconds")
      }
      const all = yield* allDeliveries(client)
      assert.deepStrictEqual(new Set(all.map(({ event_id }) => event_id)), expected)
      assert.strictEqual(all.length, expected.size)
      before = yield* detailsOf(
        client,
        all.map(({ id }) => id)
      )
      assert.isTrue(before.some(({ status }) => unfinished(String(status))))
      yield* service.kill
    }
    for (const one of receiver.received) assert.isTrue(signatureHolds(secret, one))
  })
