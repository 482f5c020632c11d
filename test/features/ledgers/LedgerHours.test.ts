/** Ledgers by hour are those that counting every marker gives, are found with few reads, and miss no gap. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HOUR_MS, type HourCount, hourOf } from "../../../src/features/ledgers/HourCounts.ts"
import { makeLedgerHours } from "../../../src/features/ledgers/LedgerHours.ts"
import type { BackfillRange } from "../../../src/spine/domain/Backfill.ts"
import type { LedgerMarker } from "../../../src/spine/event/LedgerEvent.ts"
import { logOf, markers, taken } from "../../support/ledger/markers.ts"

const BEGAN = Date.parse("2026-11-01T00:20:00Z")

/** Ledgers that close every four seconds from `beganMs` on; `stalls`: no ledger closes for an hour after these. */
const closing = (
  from: number,
  to: number,
  beganMs: number,
  { stalls = [], name }: { readonly stalls?: ReadonlyArray<number>; readonly name?: string } = {}
): ReadonlyArray<LedgerMarker> => {
  let at = beganMs
  return markers(from, to, name).map((marker) => {
    const close_time = new Date(at).toISOString().replace(".000Z", "Z")
    at += stalls.includes(marker.ledger_index) ? 2 * HOUR_MS : 3_000 + (marker.ledger_index % 3) * 1_000
    return { ...marker, close_time }
  })
}

const closedAt = ({ close_time }: LedgerMarker) => Date.parse(close_time)

/** What reading every marker gives. */
const counted = (all: ReadonlyArray<LedgerMarker>) =>
  Object.fromEntries(
    [...Map.groupBy(all, (marker) => hourOf(closedAt(marker)))].map(([hour, some]) => [hour, some.length])
  )

const ledgersOf = (hours: ReadonlyMap<number, HourCount>) =>
  Object.fromEntries([...hours].flatMap(([hour, { ledgers }]) => (ledgers > 0 ? [[hour, ledgers]] : [])))
const missingOf = (hours: ReadonlyMap<number, HourCount>) =>
  Object.fromEntries([...hours].flatMap(([hour, { missing }]) => (missing > 0 ? [[hour, missing]] : [])))

describe("ledgers by hour", () => {
  it.effect("are counted exactly, with a few reads for each hour, and then with hardly any", () =>
    Effect.gen(function* () {
      const all = taken(closing(1_000, 9_999, BEGAN, { stalls: [4_321] }))
      // Kafka leaves out offsets.
      const { reader, reads } = logOf(all, (n) => 2 * n + (n > 700 ? 9 : 0))
      const hours = makeLedgerHours(reader)
      const found = yield* hours.of("mainnet", [], 0)
      assert.deepStrictEqual(ledgersOf(found), counted(all))
      assert.deepStrictEqual(missingOf(found), {})
      assert.isAtMost(reads(), 4 * found.size)
      const before = reads()
      assert.deepStrictEqual(yield* hours.of("mainnet", [], 0), found)
      assert.isAtMost(reads() - before, 2)
    })
  )

  it.effect("of the last days leave earlier ones alone", () =>
    Effect.gen(function* () {
      const all = taken(closing(1_000, 9_999, BEGAN))
      const since = hourOf(BEGAN) + 7 * HOUR_MS
      const { reader, reads } = logOf(all)
      const found = yield* makeLedgerHours(reader).of("mainnet", [], since)
      const expected = counted(all.filter((marker) => closedAt(marker) >= since))
      assert.deepStrictEqual(ledgersOf(new Map([...found].filter(([hour]) => hour >= since))), expected)
      assert.isAtMost(reads(), 40)
    })
  )

  it.effect("show a gap of a single ledger in the hour in which it closed", () =>
    Effect.gen(function* () {
      const all = closing(1_000, 3_999, BEGAN)
      const hole = all[1_234]!
      const found = yield* makeLedgerHours(logOf(taken(all.slice(0, 1_234), all.slice(1_235))).reader).of(
        "mainnet",
        [],
        0
      )
      assert.deepStrictEqual(missingOf(found), { [hourOf(closedAt(hole))]: 1 })
    })
  )

  it.effect("spread a long gap evenly over its time, and lose none of its ledgers", () =>
    Effect.gen(function* () {
      const all = closing(1_000, 9_999, BEGAN)
      const [before, after] = [all.slice(0, 2_000), all.slice(6_000)]
      const found = yield* makeLedgerHours(logOf(taken(before, after)).reader).of("mainnet", [], 0)
      const gap = counted(all.slice(2_000, 6_000))
      const missing = missingOf(found)
      assert.sameMembers(Object.keys(missing), Object.keys(gap))
      for (const [hour, some] of Object.entries(gap)) assert.closeTo(missing[hour]!, some, 2)
      assert.strictEqual(
        Object.values(missing).reduce((sum, some) => sum + some, 0),
        4_000
      )
    })
  )

  it.effect("count a ledger once, and no gap, after ingest was started again at an earlier ledger", () =>
    Effect.gen(function* () {
      const all = closing(1_000, 5_999, BEGAN)
      // The gap of ledgers 2000 to 2999 is closed by taking everything from ledger 1500 on again.
      const { reader } = logOf(taken(all.slice(0, 1_000), all.slice(2_000, 3_000), all.slice(500)))
      const found = yield* makeLedgerHours(reader).of("mainnet", [], 0)
      assert.deepStrictEqual(ledgersOf(found), counted(all))
      assert.deepStrictEqual(missingOf(found), {})
    })
  )

  it.effect(
    "see no gap between a network that was reset and its new chain, or the simulated one before it",
    () =>
      Effect.gen(function* () {
        const simulated = closing(1, 500, BEGAN).map((marker) => ({ ...marker, simulated: true as const }))
        const old = closing(9_000, 9_400, BEGAN + 2 * HOUR_MS, { name: "old" })
        const next = closing(3, 800, BEGAN + 4 * HOUR_MS, { name: "new" })
        const found = yield* makeLedgerHours(logOf(taken(simulated, old, next)).reader).of("testnet", [], 0)
        assert.deepStrictEqual(ledgersOf(found), counted([...simulated, ...old, ...next]))
        assert.deepStrictEqual(missingOf(found), {})
      })
  )

  it.effect("include history that joins the service's first ledger, and no other", () =>
    Effect.gen(function* () {
      const all = closing(1_000, 5_999, BEGAN)
      const own = all.slice(3_000)
      const rangeOf = (from: number, to: number): BackfillRange => ({
        firstLedger: all[from]!.ledger_index,
        lastLedger: all[to]!.ledger_index,
        parentHash: all[from]!.parent_hash,
        lastHash: all[to]!.ledger_hash,
        firstClosedAt: closedAt(all[from]!) / 1_000,
        lastClosedAt: closedAt(all[to]!) / 1_000,
        markerOffset: from,
        eventOffset: 0,
        events: 0
      })
      const joined = [rangeOf(2_000, 2_499), rangeOf(2_500, 2_999)]
      const found = yield* makeLedgerHours(logOf(taken(own)).reader).of(
        "mainnet",
        [rangeOf(100, 200), ...joined],
        0
      )
      const expected = counted(all.slice(2_000))
      assert.deepStrictEqual(missingOf(found), {})
      for (const [hour, some] of Object.entries(expected))
        assert.closeTo(found.get(Number(hour))?.ledgers ?? 0, some, 2)
      assert.strictEqual(
        [...found.values()].reduce((sum, { ledgers }) => sum + ledgers, 0),
        3_000
      )
    })
  )

  it.effect("are right after retention has dropped the first ones, and as new ones come", () =>
    Effect.gen(function* () {
      const all = taken(closing(1_000, 9_999, BEGAN))
      let kept = all.slice(0, 5_000)
      const reader = () => logOf(kept, (n) => n + all.indexOf(kept[0]!)).reader
      const hours = makeLedgerHours({
        read: (from, max) => reader().read(from, max),
        last: (of) => reader().last(of),
        offsets: (of) => reader().offsets(of),
        committed: () => Effect.succeed(0)
      })
      assert.deepStrictEqual(ledgersOf(yield* hours.of("mainnet", [], 0)), counted(kept))
      kept = all.slice(1_500, 9_000)
      assert.deepStrictEqual(ledgersOf(yield* hours.of("mainnet", [], 0)), counted(kept))
      kept = []
      assert.strictEqual((yield* hours.of("mainnet", [], 0)).size, 0)
    })
  )
})
