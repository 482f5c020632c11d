/** History in the database: each range once, as long as the log has it; and requests of jobs. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { BackfillRange } from "../../../../src/spine/domain/Backfill.ts"
import { BackfillRequests } from "../../../../src/spine/ledger/backfill/BackfillRequests.ts"
import { BackfillStore } from "../../../../src/spine/ledger/backfill/BackfillStore.ts"
import { queueJob, replayingLayer } from "../../../features/replay/replaying.ts"
import { TestDatabase } from "../../../support/store/postgres.ts"

const range = (firstLedger: number, offset: number, events = 3): BackfillRange => ({
  firstLedger,
  lastLedger: firstLedger + 9,
  parentHash: `parent of ${firstLedger}`,
  lastHash: `hash of ${firstLedger + 9}`,
  firstClosedAt: 1_700_000_000 + firstLedger,
  lastClosedAt: 1_700_000_009 + firstLedger,
  markerOffset: offset,
  eventOffset: events === 0 ? 0 : offset,
  events
})

describe("ranges of history", () => {
  it.live("are stored once, lowest first, separately for each network", () =>
    Effect.gen(function* () {
      const store = yield* BackfillStore
      const [low, high] = [range(10, 10), range(20, 0)]
      for (const one of [high, low, high]) yield* store.add("mainnet", one)
      yield* store.add("testnet", range(500, 0))
      assert.deepStrictEqual(yield* store.ranges("mainnet"), [low, high])
      yield* store.remove("mainnet", low)
      assert.deepStrictEqual(yield* store.ranges("mainnet"), [high])
      assert.lengthOf(yield* store.ranges("testnet"), 1)
    }).pipe(Effect.provide(Layer.provide(BackfillStore.layer, TestDatabase)))
  )

  it.live("are gone once retention has dropped their first marker or event", () =>
    Effect.gen(function* () {
      const store = yield* BackfillStore
      const [oldest, empty, older, kept] = [range(40, 0), range(30, 10, 0), range(20, 20), range(10, 30)]
      for (const one of [oldest, empty, older, kept]) yield* store.add("mainnet", one)
      yield* store.prune("mainnet", { markersFrom: 10, eventsFrom: 10 })
      assert.deepStrictEqual(yield* store.ranges("mainnet"), [kept, older, empty])
      yield* store.prune("mainnet", { markersFrom: 10, eventsFrom: 21 })
      assert.deepStrictEqual(yield* store.ranges("mainnet"), [kept, empty])
    }).pipe(Effect.provide(Layer.provide(BackfillStore.layer, TestDatabase)))
  )
})

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
