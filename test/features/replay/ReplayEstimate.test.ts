/** An estimate counts only events that the log still has: the event index's tables keep some events longer. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { EventCounts } from "../../../src/features/events/EventCounts.ts"
import { estimateReplay } from "../../../src/features/replay/ReplayEstimate.ts"
import { matching, type ReplayFilters } from "../../../src/spine/domain/Replay.ts"
import { BackfillStore } from "../../../src/spine/ledger/backfill/BackfillStore.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { addresses } from "../../support/deliver/events.ts"
import { appendLedgers, eventsOf, indexEvents, pastLedgers, replayingLayer } from "./replaying.ts"

describe("an estimate", () => {
  it.live("counts the events that the log still holds, and no others in the tables", () =>
    Effect.gen(function* () {
      const ledgers = pastLedgers(11, 300)
      const dropped = ledgers.findIndex(({ events }, i) => i > 100 && events.length > 0)
      const held = eventsOf(ledgers.slice(dropped))
      yield* indexEvents(eventsOf(ledgers))
      yield* appendLedgers(ledgers.slice(dropped))
      const from = { log: yield* Log, counts: yield* EventCounts, history: yield* BackfillStore }
      const wanted: ReadonlyArray<ReplayFilters> = [
        {},
        { event_types: ["nft.minted", "payment.xrp"] },
        { accounts: [addresses[1]] },
        { since: Date.parse(ledgers[20]!.closeTime), until: Date.parse(ledgers[280]!.closeTime) },
        { until: Date.parse(ledgers[30]!.closeTime) },
        // It ends before the oldest event, also within the hour of that event.
        { accounts: [addresses[1]], until: Date.parse(held[0]!.timestamp) - 1_000 },
        { accounts: [addresses[1]], until: Date.parse(held[0]!.timestamp) - 60_000 }
      ]
      for (const filters of wanted) {
        const { atLeast, events } = yield* estimateReplay(from, "mainnet", filters, false)
        assert.strictEqual(events, held.filter(matching(filters)).length, JSON.stringify(filters))
        assert.isFalse(atLeast)
      }
      assert.strictEqual((yield* estimateReplay(from, "devnet", {}, false)).events, 0)
    }).pipe(Effect.provide(replayingLayer))
  )
})
