/** An estimate made while the event log's tables lag behind the log: what they lack is read there, and nothing counted twice. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Limits } from "../../src/config/Limits.ts"
import { matching, type ReplayFilters } from "../../src/domain/Replay.ts"
import { EventLog } from "../../src/log/EventLog.ts"
import { EventCounts } from "../../src/storage/EventCounts.ts"
import { HistoryStore } from "../../src/storage/HistoryStore.ts"
import { estimateReplay } from "../../src/storage/ReplayEstimate.ts"
import { addresses } from "../support/events.ts"
import { appendLedgers, eventsOf, indexEvents, pastLedgers, replayingLayer } from "../support/replaying.ts"

const estimated = Effect.fnUntraced(function* (filters: ReplayFilters) {
  const from = { log: yield* EventLog, counts: yield* EventCounts, history: yield* HistoryStore }
  return yield* estimateReplay(from, "mainnet", filters, false)
})

describe("an estimate while the events stage lags", () => {
  const ledgers = pastLedgers(11, 300)
  const events = eventsOf(ledgers)
  /** A ledger of several events, so that the tables may end within it. */
  const cut = events.findIndex(({ position }, i) => i > 400 && position === 2)
  const wanted: ReadonlyArray<ReplayFilters> = [
    {},
    { event_types: ["nft.minted", "payment.xrp"] },
    { accounts: [addresses[1]] },
    { since: Date.parse(ledgers[20]!.closeTime), until: Date.parse(ledgers[280]!.closeTime) },
    { until: Date.parse(ledgers[30]!.closeTime) }
  ]
  for (const [name, indexed, uncommitted] of [
    ["holds nothing yet", 0, 0],
    ["ends within a ledger", cut, 0],
    ["has written what it has not committed", cut + 60, 61],
    ["holds everything", events.length, 0]
  ] as const) {
    it.live(`is exact where it ${name}`, () =>
      Effect.gen(function* () {
        yield* appendLedgers(ledgers)
        if (indexed > 0) yield* indexEvents(events.slice(0, indexed), uncommitted)
        for (const filters of wanted)
          assert.strictEqual(
            yield* estimated(filters),
            events.filter(matching(filters)).length,
            JSON.stringify(filters)
          )
      }).pipe(Effect.provide(replayingLayer))
    )
  }

  it.live("reads a bounded part of much that is missing, and takes the rest to be like it", () =>
    Effect.gen(function* () {
      const many = pastLedgers(12, 3_000)
      const all = eventsOf(many)
      assert.isAbove(all.length, 1.5 * Limits.replayUnindexedRecords)
      yield* appendLedgers(many)
      assert.strictEqual(yield* estimated({}), all.length)
      const filters: ReplayFilters = { event_types: ["nft.minted"] }
      const truth = all.filter(matching(filters)).length
      assert.isAtMost(Math.abs((yield* estimated(filters)) - truth) / truth, 0.05)
    }).pipe(Effect.provide(replayingLayer))
  )
})
