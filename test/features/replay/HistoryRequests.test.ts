/** Requests of jobs for history, in the database. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { BackfillRequests } from "../../../src/spine/ledger/backfill/BackfillRequests.ts"
import { queueJob, replayingLayer } from "./replaying.ts"

describe("a request for history", () => {
  it.live("fails with the server's message, with any characters", () =>
    Effect.gen(function* () {
      const requests = yield* BackfillRequests
      const { id } = yield* queueJob({ filters: { since: 1_000 } })
      yield* requests.ask({ id, network: "mainnet" }, 1_000)
      yield* requests.settle(id, { state: "failed", error: "said\0\u001b[31m no" }, 2_000)
      const settled = Option.getOrThrow(yield* requests.find(id))
      assert.deepInclude(settled, { state: "failed", error: "said\\u0000\\u001b[31m no" })
    }).pipe(Effect.provide(replayingLayer))
  )

  it.live("is open until it is settled, and settled when its webhook is no longer active", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const requests = yield* BackfillRequests
      const { id, webhookId } = yield* queueJob({ filters: { since: 1_000 } })
      const ask = requests.ask({ id, network: "mainnet" }, 1_000.5)
      yield* Effect.andThen(ask, ask)
      assert.deepStrictEqual(yield* requests.open("mainnet"), [
        { jobId: id, sinceMs: 1_000, firstLedger: null, ledgers: null }
      ])
      assert.deepStrictEqual(yield* requests.open("testnet"), [])
      assert.isTrue(Option.isNone(yield* requests.find(id)))
      yield* requests.begin(id, { firstLedger: 5, ledgers: 95 })
      assert.deepInclude((yield* requests.open("mainnet"))[0], { firstLedger: 5, ledgers: 95 })
      yield* sql`UPDATE webhooks SET status = 'disabled' WHERE id = ${webhookId}`
      assert.deepStrictEqual(yield* requests.open("mainnet"), [])
      assert.strictEqual(Option.getOrThrow(yield* requests.find(id)).state, "failed")
      // A settled request does not change again.
      yield* requests.settle(id, { state: "ready", firstLedger: 5, beforeLedger: 100 }, 0)
      assert.strictEqual(Option.getOrThrow(yield* requests.find(id)).state, "failed")
    }).pipe(Effect.provide(replayingLayer))
  )
})
