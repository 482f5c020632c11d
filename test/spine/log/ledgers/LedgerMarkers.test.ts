/** Binary search finds the same ranges as reading every marker, with few reads. */

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { logLimits } from "../../../../src/spine/log/Limits.ts"
import type { LogReader, LogRecord } from "../../../../src/spine/log/Log.ts"
import { findInRange, ledgerRanges, readMarker } from "../../../../src/spine/log/ledgers/LedgerMarkers.ts"
import { logOf, markers, taken } from "../../../support/ledger/markers.ts"

const found = (reader: LogReader["Service"]) =>
  Effect.map(ledgerRanges(reader, "mainnet"), (ranges) =>
    ranges.map(({ first, last }) => [first.marker.ledger_index, last.marker.ledger_index])
  )

describe("ranges of ledgers", () => {
  it.effect("are none in an empty log, and one in a log that ingest wrote", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* found(logOf([]).reader), [])
      const one = logOf(markers(100, 5_000), (n) => n + 77)
      assert.deepStrictEqual(yield* found(one.reader), [[100, 5_000]])
      assert.isAtMost(one.reads(), 2)
    })
  )

  it.effect("are separate wherever ingest started a new range, and found with few reads", () =>
    Effect.gen(function* () {
      const { reader, reads } = logOf([
        ...markers(100, 3_099),
        ...markers(9_000, 9_000),
        ...markers(9_500, 12_000),
        ...markers(50, 60, "another")
      ])
      assert.deepStrictEqual(yield* found(reader), [
        [100, 3_099],
        [9_000, 9_000],
        [9_500, 12_000],
        [50, 60]
      ])
      assert.isAtMost(reads(), 60)
    })
  )

  it.effect("end where a ledger is duplicated or missing", () =>
    Effect.gen(function* () {
      const { reader } = logOf([...markers(5, 8), ...markers(8, 9), ...markers(12, 13)])
      assert.deepStrictEqual(yield* found(reader), [
        [5, 8],
        [8, 9],
        [12, 13]
      ])
    })
  )

  it.effect("do not end where only offsets are missing", () =>
    Effect.gen(function* () {
      const { reader } = logOf([...markers(5, 30), ...markers(90, 97)], (n) => 2 * n + (n > 6 ? 9 : 0))
      assert.deepStrictEqual(yield* found(reader), [
        [5, 30],
        [90, 97]
      ])
    })
  )

  it.effect("are separate even if gaps and duplicates add up to zero, and if only offsets are missing", () =>
    Effect.gen(function* () {
      // 100 ledgers back, then forward again by the number of ledgers taken meanwhile.
      const all = taken(markers(1_000, 1_999), markers(500, 599, "another"), markers(2_100, 4_000))
      for (const offsetOf of [(n: number) => n, (n: number) => 2 * n + (n > 700 ? 9 : 0)]) {
        const { reader, reads } = logOf(all, offsetOf)
        assert.deepStrictEqual(yield* found(reader), [
          [1_000, 1_999],
          [500, 599],
          [2_100, 4_000]
        ])
        assert.isAtMost(reads(), 40)
      }
    })
  )

  it.effect("continue from older markers without `range_since`", () =>
    Effect.gen(function* () {
      const [older, newer] = [markers(7, 1_200).slice(0, 500), markers(7, 1_200).slice(500)]
      const { reader, reads } = logOf([...markers(900, 950), ...older, ...taken(newer)])
      assert.deepStrictEqual(yield* found(reader), [
        [900, 950],
        [7, 1_200]
      ])
      assert.isAtMost(reads(), 40)
    })
  )

  it.effect("begin where the log does, when retention has dropped their first ledgers", () =>
    Effect.gen(function* () {
      const { reader, reads } = logOf(taken(markers(1, 5_000)).slice(3_000), (n) => n + 3_000)
      assert.deepStrictEqual(yield* found(reader), [[3_001, 5_000]])
      assert.isAtMost(reads(), 2)
    })
  )

  it.effect("are only the newest ones if there are too many to return", () =>
    Effect.gen(function* () {
      const single = Array.from({ length: logLimits.ledgerRanges + 20 }, (_, i) =>
        markers(10 * i + 1, 10 * i + 1)
      )
      const ranges = yield* found(logOf(single.flat()).reader)
      assert.strictEqual(ranges.length, logLimits.ledgerRanges)
      assert.deepStrictEqual(
        [ranges[0], ranges.at(-1)],
        [
          [201, 201],
          [1_191, 1_191]
        ]
      )
    })
  )

  it.effect("contain each ledger at the offset that findInRange returns", () =>
    Effect.gen(function* () {
      const { reader } = logOf([...markers(5, 30), ...markers(40, 47)], (n) => 3 * n)
      const [older, newer] = yield* ledgerRanges(reader, "mainnet")
      for (const index of [5, 17, 30]) {
        const at = yield* findInRange(reader, "mainnet", older!, index)
        assert.deepStrictEqual([at?.marker.ledger_index, at?.offset], [index, 3 * (index - 5)])
      }
      assert.strictEqual((yield* findInRange(reader, "mainnet", newer!, 41))?.offset, 3 * 27)
      assert.isUndefined(yield* findInRange(reader, "mainnet", newer!, 48))
    })
  )
})

describe("a marker", () => {
  it("that lacks a field is invalid", () => {
    const [marker] = markers(1, 1)
    const record = (value: unknown): LogRecord => ({
      topic: "xrpl.mainnet.ledgers",
      partition: 0,
      offset: 4,
      key: "mainnet",
      value: JSON.stringify(value),
      headers: {},
      timestamp: 0
    })
    assert.deepStrictEqual(readMarker(record(marker)), marker)
    for (const wrong of [{ ...marker, parent_hash: undefined }, { ...marker, event_count: "1" }, [], null])
      assert.throws(() => readMarker(record(wrong)), /record 4 of xrpl\.mainnet\.ledgers is not/)
  })
})
