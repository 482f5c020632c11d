/**
 * A backup of a running service, restored into an empty folder: the restored service continues at the next ledger, and
 * deliveries keep their ids, statuses and retry schedules.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expectedEventIds } from "../../src/features/simulator/Chain.ts"
import { makeReceiver, signatureHolds } from "../support/deliver/receiver.ts"
import { allDeliveries, apiClient, createWebhook, waitUntil } from "../support/http/apiClient.ts"
import { makeSimulatedLedger } from "../support/ledger/simulatedLedger.ts"
import { runProgram, startProgram } from "../support/program/program.ts"
import { startService } from "../support/program/serviceProcess.ts"

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-backup-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

describe("a backup of a running service", () => {
  it.live(
    "is restored with its ids, statuses and schedules, and the service continues at the next ledger",
    () =>
      Effect.gen(function* () {
        const cwd = yield* temporaryFolder
        const ledger = yield* makeSimulatedLedger({
          seed: 11,
          networkId: 0,
          transactionsPerLedger: 30,
          hashing: "digest"
        })
        let isRefusing = true
        let requests = 0
        const receiver = yield* makeReceiver((_, response) => {
          if (!isRefusing || requests++ % 5 > 0) return 200
          // The next attempt is then in five minutes.
          response.writeHead(503, { "Retry-After": "300" }).end()
          return "handled"
        })
        const first = (yield* ledger.head).header.ledger_index
        const environmentOf = (folder: string) => ({
          DATA_DIR: join(cwd, folder),
          ADMIN_KEY,
          XRPL_MAINNET_URLS: ledger.url,
          XRPL_MAINNET_START: String(first),
          DELIVERY_ALLOW_HTTP: "true",
          DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true"
        })
        const expected = new Set<string>()
        const closeLedgers = Effect.gen(function* () {
          for (let n = 0; n < 5; n++) for (const id of expectedEventIds(yield* ledger.close)) expected.add(id)
        })
        const ledgerhook = (folder: string, ...args: ReadonlyArray<string>) =>
          runProgram(args, { cwd, environment: environmentOf(folder) })

        const before = yield* startService(environmentOf("first"))
        const client = apiClient(before.apiUrl, ADMIN_KEY)
        const { secret } = yield* createWebhook(client, { url: receiver.url, event_types: ["*"] })
        yield* closeLedgers
        const attempted = Effect.map(
          allDeliveries(client),
          (all) => all.length === expected.size && all.every(({ status }) => status !== "pending")
        )
        yield* waitUntil(attempted, "30 seconds")
        const kept = yield* Effect.forEach(yield* allDeliveries(client), ({ id }) =>
          Effect.map(client.call("GET", `/v1/deliveries/${id}`), ({ body }) => body)
        )
        assert.isTrue(kept.some(({ status }) => status === "retrying"))

        // Deliveries are made and attempted while the backup is written.
        const backup = yield* startProgram(["backup", "file.backup"], {
          cwd,
          environment: environmentOf("first")
        })
        yield* closeLedgers
        assert.strictEqual(yield* backup.ended, 0, backup.stdout())
        assert.strictEqual(statSync(join(cwd, "file.backup")).mode & 0o777, 0o600)
        assert.deepStrictEqual(JSON.parse(backup.stdout()).keys, ["secrets.key"])
        assert.match(
          ledgerhook("first", "backup", "file.backup").stderr,
          /^ledgerhook: file\.backup: exists already;/
        )
        assert.match(
          ledgerhook("first", "restore", "file.backup").stderr,
          /^ledgerhook: DATA_DIR: .* is not empty; /
        )
        yield* before.kill
        rmSync(join(cwd, "first"), { recursive: true })

        const restored = ledgerhook("second", "restore", "file.backup")
        assert.deepStrictEqual([restored.code, restored.stderr], [0, ""])
        isRefusing = false
        const after = yield* startService(environmentOf("second"))
        const again = apiClient(after.apiUrl, ADMIN_KEY)
        for (const delivery of kept) {
          const { body } = yield* again.call("GET", `/v1/deliveries/${delivery["id"]}`)
          assert.deepStrictEqual(body, delivery)
        }

        yield* closeLedgers
        const retrying = kept.filter(({ status }) => status === "retrying")
        for (const { id } of retrying) yield* again.call("POST", `/v1/deliveries/${id}/retry`)
        const ended = Effect.map(allDeliveries(again), (all) => {
          const waiting = all.filter(({ status }) => status === "pending" || status === "retrying")
          return all.length === expected.size && waiting.length <= requests / 5 + 1 - retrying.length
        })
        yield* waitUntil(ended, "30 seconds")
        const all = yield* allDeliveries(again)
        assert.deepStrictEqual(new Set(all.map(({ event_id }) => event_id)), expected)
        const statusOf = new Map(all.map(({ id, status }) => [id, status]))
        for (const { id } of retrying) assert.strictEqual(statusOf.get(String(id)), "delivered")
        for (const one of receiver.received) assert.isTrue(signatureHolds(secret, one))
        yield* after.kill

        const last = (yield* ledger.head).header.ledger_index
        const verified = ledgerhook("second", "ledger", "verify", "--from", `${first}`, "--to", `${last}`)
        assert.strictEqual(verified.code, 0, verified.stdout)
      }),
    120_000
  )
})
