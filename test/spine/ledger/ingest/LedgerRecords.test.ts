/** What records say beside the payload, and that records of releases before 0.3 are read as before. */
import { assert, describe, it } from "@effect/vitest"
import {
  type DetectedEvent,
  type LedgerMarker,
  parseLedgerEvent
} from "../../../../src/spine/event/LedgerEvent.ts"
import { eventRecords, ledgerBatch } from "../../../../src/spine/ledger/ingest/LedgerRecords.ts"
import { complaints, LEDGER_RECORD } from "../../../schemas/support.ts"
import { eventOf, recordOf } from "../../../support/deliver/events.ts"
import { chain } from "../../../support/ledger/chain.ts"
import { markers } from "../../../support/ledger/markers.ts"

const address = "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX"
const following = chain(1_001, 1_002)

const detected: DetectedEvent = {
  ...eventOf({ ledgerIndex: 1_001 }),
  memos: [{ type: "C0", data: "C0FFEE" }, {}],
  memos_truncated: true,
  balance_changes: [{ account: address, asset: "XRP", change: "-12" }]
}

describe("a record", () => {
  it("has the version of the rules, the memos and the changes of balances at its end", () => {
    const [record] = eventRecords("mainnet", following[0]!, [detected], 1)
    const event = JSON.parse(record!.value!)
    assert.deepStrictEqual(Object.keys(event).slice(-6), [
      "position",
      "detected_at",
      "rules_version",
      "memos",
      "memos_truncated",
      "balance_changes"
    ])
    assert.strictEqual(event.rules_version, 2)
    assert.deepStrictEqual(parseLedgerEvent(record!.value!)?.memos, detected.memos)
  })

  it("of release 0.2, which has none of these, is an event and keeps its bytes", () => {
    const { value } = recordOf(eventOf({}))
    assert.strictEqual(JSON.stringify(parseLedgerEvent(value!)), value)
  })
})

describe("a marker", () => {
  const before: LedgerMarker = { ...markers(1_000, 1_000)[0]!, range_since: 1_700_000_000_123 }
  const batch = ledgerBatch(
    { network: "mainnet", simulated: false },
    following.map((ledger) => ({ ledger, detection: { events: [], alerts: [] } })),
    before,
    1_800_000_000_000
  )

  it("has the version of the rules", () => {
    for (const marker of batch.markers) {
      assert.strictEqual(marker.rules_version, 2)
      assert.deepStrictEqual(complaints(LEDGER_RECORD, JSON.parse(JSON.stringify(marker))), [])
    }
  })

  it("continues the range of a marker of version 1: no ledger is missing between them", () => {
    assert.strictEqual(before.rules_version, undefined)
    for (const marker of batch.markers) assert.strictEqual(marker.range_since, before.range_since)
    const { ledger_index, parent_hash } = batch.markers[0]!
    assert.deepStrictEqual([ledger_index, parent_hash], [before.ledger_index + 1, before.ledger_hash])
  })
})
