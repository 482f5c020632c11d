/** Each way to break a chain has its own message. */
import { assert, describe, it } from "@effect/vitest"
import {
  type ChainFault,
  eventFault,
  excessFault,
  hashFault,
  markerFault
} from "../../../../src/cli/commands/ledger/ChainCheck.ts"
import type { LedgerMarker } from "../../../../src/domain/LedgerEvent.ts"
import type { LogRecord } from "../../../../src/log/Log.ts"
import { markers } from "../../../support/markers.ts"

const [seven, eight] = markers(7, 8) as [LedgerMarker, LedgerMarker]

const says = (fault: ChainFault | undefined, index: number, message: RegExp) => {
  assert.strictEqual(fault?.ledger_index, index)
  assert.match(fault?.message ?? "", message)
}

const eventAt = (offset: number, ledgerIndex: number, position: number): LogRecord => ({
  topic: "xrpl.mainnet.events",
  partition: 0,
  offset,
  key: "mainnet",
  value: JSON.stringify({ ledger_index: ledgerIndex, position }),
  headers: {},
  timestamp: 0
})

describe("a marker", () => {
  it("passes if it follows the one before, even with the same close time", () => {
    assert.isUndefined(markerFault(undefined, seven))
    assert.isUndefined(markerFault(seven, eight))
    assert.isUndefined(markerFault(seven, { ...eight, close_time: seven.close_time }))
  })

  it("that does not follow is reported with the reason", () => {
    says(markerFault(seven, { ...eight, ledger_index: 10 }), 8, /^ledger 8 is missing: ledger 10 follows 7$/)
    says(markerFault(eight, eight), 8, /follows ledger 8/)
    says(markerFault(eight, seven), 7, /ledger 7 follows ledger 8/)
    says(
      markerFault(seven, { ...eight, parent_hash: "F".repeat(64) }),
      8,
      /the parent hash of ledger 8 is F{64}/
    )
    says(markerFault(seven, { ...eight, close_time: "2001-01-01T00:00:00Z" }), 8, /before ledger 7/)
    says(markerFault(seven, { ...eight, close_time: "soon" }), 8, /closed at soon/)
  })

  it("belongs to the range of the one before or begins one, once ranges are recorded", () => {
    const ranged = { ...seven, range_since: 5 }
    assert.isUndefined(markerFault(ranged, { ...eight, range_since: 5 }))
    assert.isUndefined(markerFault(seven, { ...eight, range_since: 6 }))
    assert.isUndefined(markerFault(ranged, { ...eight, range_since: eight.detected_at }))
    says(
      markerFault(ranged, { ...eight, range_since: 6 }),
      8,
      /range_since of ledger 8 is 6, .* ledger 7 is 5/
    )
    says(markerFault(ranged, eight), 8, /range_since of ledger 8 is undefined/)
  })

  it("has as many events as its offsets say", () => {
    for (const wrong of [
      { event_count: 2 },
      { first_event_offset: 5 },
      { event_count: -1, first_event_offset: 5 },
      { event_count: 0.5, first_event_offset: 5 }
    ])
      says(markerFault(seven, { ...eight, ...wrong }), 8, /which cannot be/)
  })
})

describe("events", () => {
  const marker: LedgerMarker = { ...seven, event_count: 2, first_event_offset: 40 }

  it("are at the offsets that the marker names", () => {
    assert.isUndefined(eventFault(marker, 0, eventAt(40, 7, 0)))
    assert.isUndefined(eventFault(marker, 1, eventAt(41, 7, 1)))
    says(eventFault(marker, 0, eventAt(41, 7, 0)), 7, /should be at offset 40, but the next event is at 41/)
    says(eventFault(marker, 1, eventAt(41, 8, 0)), 7, /event 2 of 2 .* but there is event 1 of ledger 8/)
    says(eventFault(marker, 1, eventAt(41, 7, 0)), 7, /but there is event 1 of ledger 7/)
    says(eventFault(marker, 1, undefined), 7, /event 2 of 2 of ledger 7 is missing/)
    for (const value of [null, "{", "null"])
      says(eventFault(marker, 1, { ...eventAt(41, 7, 1), value }), 7, /but there is no event/)
  })

  it("end with the last ledger", () => {
    assert.isUndefined(excessFault(marker, undefined))
    assert.isUndefined(excessFault(marker, eventAt(42, 8, 0)))
    says(excessFault(marker, eventAt(42, 7, 2)), 7, /another event of ledger 7/)
  })
})

describe("a server's hash", () => {
  it("matches the recorded one, or both are shown", () => {
    assert.isUndefined(hashFault(seven, "s1", seven.ledger_hash))
    says(
      hashFault(seven, "s1", eight.ledger_hash),
      7,
      new RegExp(`${seven.ledger_hash} in the log, but ${eight.ledger_hash} at s1`)
    )
  })
})
