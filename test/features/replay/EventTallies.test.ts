/** How many events a replay would queue, counted on a real database: exactly those that the job's filter matches. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { EventCounts } from "../../../src/features/events/EventCounts.ts"
import { wantedEvents } from "../../../src/features/replay/ReplayEstimate.ts"
import { matching, type ReplayFilters } from "../../../src/spine/domain/Replay.ts"
import { rankOf } from "../../../src/spine/event/EventType.ts"
import type { LedgerEvent } from "../../../src/spine/event/LedgerEvent.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { addresses } from "../../support/deliver/events.ts"
import { eventsOf, pastLedgers, replayingLayer, writeLedgers } from "./replaying.ts"

// Some hours of them, so that whole hours and parts of one are counted.
const ledgers = pastLedgers(11, 900, { stepSeconds: 20 })
const events = eventsOf(ledgers)
const [since, until] = [70, 780].map((i) => Date.parse(ledgers[i]!.closeTime))

const tallyOf = (some: ReadonlyArray<LedgerEvent>) =>
  [...Map.groupBy(some, ({ event_type }) => event_type)].map(([type, of]) => ({
    type,
    events: of.length,
    first_ledger: of[0]!.ledger_index,
    last_ledger: of.at(-1)!.ledger_index
  }))

const byRank = <A extends { readonly type: LedgerEvent["event_type"] }>(tallies: ReadonlyArray<A>) =>
  tallies.toSorted((a, b) => rankOf(a.type) - rankOf(b.type))

describe("a tally", () => {
  layer(replayingLayer)("in the store", (it) => {
    const wanted: ReadonlyArray<readonly [name: string, filters: ReplayFilters]> = [
      ["everything", {}],
      ["types", { event_types: ["nft.minted", "check.cancelled"] }],
      ["a type that never came", { event_types: ["escrow.created"] }],
      ["a time, both ends excluded", { since: since!, until: until! }],
      ["a time within an hour", { since: since!, until: since! + 600_000 }],
      ["accounts, an event of both once", { accounts: addresses.slice(1, 3) }],
      [
        "accounts, types and a time",
        { accounts: [addresses[3]], event_types: ["payment.xrp"], since: since!, until: until! }
      ],
      ["a time before all", { until: since! - 86_400_000 }],
      ["a time after all", { since: until! + 86_400_000 }]
    ]

    it.effect("counts the events that a job would queue, for any filters", () =>
      Effect.gen(function* () {
        yield* writeLedgers(ledgers)
        const log = yield* Log
        const counts = yield* EventCounts
        for (const [name, filters] of wanted) {
          const found = yield* wantedEvents(log, "mainnet", filters)
          const tallies = yield* counts.tally(found!.wanted)
          assert.deepStrictEqual(byRank(tallies), byRank(tallyOf(events.filter(matching(filters)))), name)
        }
      })
    )

    it.effect("counts the event ids that exist, whatever ledgers the other ids name", () =>
      Effect.gen(function* () {
        const counts = yield* EventCounts
        const some = events.filter((_, i) => i % 90 === 5)
        const unknown = ["90000001", "9".repeat(30)].map((one) => `xrpl:${one}:${"0".repeat(64)}:payment.xrp`)
        const ids = [...unknown, ...some.map(({ event_id }) => event_id)]
        assert.deepStrictEqual(byRank(yield* counts.tallyIds("mainnet", ids)), byRank(tallyOf(some)))
        assert.deepStrictEqual(yield* counts.tallyIds("testnet", ids), [])
      })
    )

    it.effect("counts no events in an empty log", () =>
      Effect.gen(function* () {
        assert.isUndefined(yield* wantedEvents(yield* Log, "devnet", {}))
      })
    )
  })
})
