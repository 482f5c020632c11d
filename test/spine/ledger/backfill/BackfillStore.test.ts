/** Ranges of history in the database: each once, as long as the log has it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { BackfillRange } from "../../../../src/spine/domain/Backfill.ts"
import { BackfillStore } from "../../../../src/spine/ledger/backfill/BackfillStore.ts"
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
