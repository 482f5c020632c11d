/**
 * Measures what one payload filter costs for one event: one with two comparisons, as customers write them, and one with
 * the maximum, of which the last decides. It also measures `JSON.parse` of the event's record, which route runs once
 * for each event.
 */
import { Effect, Result } from "effect"
import type { LedgerEvent } from "../../src/spine/event/LedgerEvent.ts"
import { compileFilter } from "../../src/spine/filter/Match.ts"
import { parseFilter } from "../../src/spine/filter/Parse.ts"
import { filterBounds, type PayloadFilter } from "../../src/spine/filter/PayloadFilter.ts"
import type { Figure } from "./Benchmark.ts"
import { inRounds, medianOf, timedSync } from "./rounds.ts"

const ROUNDS = 9
const EVENTS = 20_000

const filters: Readonly<Record<string, PayloadFilter>> = {
  "2": { amount: { $gte: "1000000" }, destination_tag: { $in: [7, 8] } },
  [filterBounds.conditions]: {
    $or: Array.from({ length: filterBounds.conditions }, (_, i) =>
      i % 2 === 0 ? { amount: { $lt: String(-i) } } : { destination_tag: { $in: [-i, -2 * i] } }
    )
  }
}

const events: ReadonlyArray<LedgerEvent> = Array.from({ length: EVENTS }, (_, i) => {
  const hash = i.toString(16).toUpperCase().padStart(64, "0")
  return {
    event_id: `xrpl:90000000:${hash}:payment.xrp`,
    event_type: "payment.xrp",
    ledger_index: 90_000_000,
    timestamp: "2026-11-21T09:30:00Z",
    payload: {
      tx_hash: hash,
      sender: "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX",
      receiver: "rLXrxX6X9Ep8mvWwDaw3ooRehYfqDjnzdJ",
      amount: String(1_000_000 + i),
      destination_tag: 4_009_078 + i
    },
    accounts: ["rLXrxX6X9Ep8mvWwDaw3ooRehYfqDjnzdJ", "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX"],
    network: "mainnet",
    position: i,
    detected_at: 1_763_684_802_318
  }
})
const records = events.map((event) => JSON.stringify(event))

/** Microseconds for each event. */
const micros = (run: () => void): number => (timedSync(run) * 1_000) / EVENTS

const asking = (filter: PayloadFilter) => {
  const wants = compileFilter(Result.getOrThrow(parseFilter(filter, ["payment.xrp"])))
  return () =>
    micros(() => {
      let found = 0
      for (const event of events) if (wants(event)) found++
      if (found !== 0) throw new Error(`${found} events match a filter that matches none`)
    })
}

const parsing = () =>
  micros(() => {
    let accounts = 0
    for (const record of records) accounts += (JSON.parse(record) as LedgerEvent).accounts.length
    if (accounts !== 2 * EVENTS) throw new Error(`${accounts} accounts`)
  })

export const payloadFilterFigures = Effect.map(
  Effect.suspend(() => {
    const asked = Object.values(filters).map(asking)
    return inRounds(ROUNDS, () => Effect.sync(() => [parsing(), ...asked.map((ask) => ask())]), 2)
  }),
  (rounds) =>
    Object.keys(filters).map(
      (comparisons, i): Figure => ({
        name: `route.payload_filter.${comparisons}`,
        value: medianOf(rounds, (measured) => measured[i + 1]!),
        unit: "µs/event",
        ratio: medianOf(rounds, (measured) => measured[i + 1]! / measured[0]!),
        target: null,
        better: "lower"
      })
    )
)
