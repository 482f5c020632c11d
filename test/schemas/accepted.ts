import { assert, it } from "@effect/vitest"
import { asLedger, makeChain } from "../../src/features/simulator/Chain.ts"
import { detectLedger } from "../../src/spine/detect/Detect.ts"
import { batchBody, batchItem } from "../../src/spine/event/Batch.ts"
import { type EventType, eventTypes } from "../../src/spine/event/EventType.ts"
import type { JsonObject, Ledger } from "../../src/spine/event/Ledger.ts"
import { envelopeJson, type LedgerEvent } from "../../src/spine/event/LedgerEvent.ts"
import {
  eventRecords,
  isChecked,
  markerOf,
  markerRecord
} from "../../src/spine/ledger/ingest/LedgerRecords.ts"
import {
  BATCH,
  codeAccepts,
  complaints,
  ENVELOPE,
  EVENT_RECORD,
  LEDGER_RECORD,
  payloadPath,
  readSchema,
  WEBHOOK_ID
} from "./support.ts"

export const CLOSE_TIME = 800_000_000
const DELIVERY_ID = "dlv_01KAJ0Q4M8000000G3T5W7Y9ZB"
const DETECTED_AT = 1_763_684_802_318

const orders: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  eventTypes.map((type) => {
    const { properties } = readSchema(payloadPath(type))
    // The schema of a payload is one of an object.
    return [type, Object.keys(properties as JsonObject)]
  })
)

/** By the published schema and the code's own, with the keys in the published order (docs/detection-rules.md 1.4). */
export const assertPayload = (type: EventType, payload: JsonObject, id: string) => {
  assert.deepStrictEqual(complaints(payloadPath(type), payload), [], id)
  assert.isTrue(codeAccepts(type, payload), id)
  const keys = Object.keys(payload)
  assert.deepStrictEqual(
    keys,
    orders.get(type)?.filter((key) => keys.includes(key)),
    id
  )
}

/** Checks a ledger's events as ingest writes them and as deliver sends them. */
export const assertLedger = (ledger: Ledger): ReadonlyArray<EventType> => {
  if (!isChecked(ledger)) return assert.fail("the ledger has no header")
  const { events } = detectLedger(ledger)
  const items: Array<string> = []
  for (const { value } of eventRecords("testnet", ledger, events, DETECTED_AT)) {
    const record: LedgerEvent = JSON.parse(value ?? "null")
    assert.deepStrictEqual(complaints(EVENT_RECORD, record), [], record.event_id)
    const envelope = envelopeJson(record, WEBHOOK_ID)
    assert.deepStrictEqual(complaints(ENVELOPE, JSON.parse(envelope)), [])
    items.push(batchItem("ledgerhook", record, WEBHOOK_ID, DELIVERY_ID))
    assertPayload(record.event_type, record.payload, record.event_id)
  }
  if (items.length > 0) assert.deepStrictEqual(complaints(BATCH, JSON.parse(batchBody(items))), [])
  const marker = markerOf(ledger, events.length, events.length === 0 ? null : 7, DETECTED_AT)
  assert.deepStrictEqual(
    complaints(LEDGER_RECORD, JSON.parse(markerRecord("testnet", marker).value ?? "null")),
    []
  )
  return events.map(({ event_type }) => event_type)
}

export const simulatedTests = (seeds: ReadonlyArray<number>) =>
  it.each(seeds)("all that 100 simulated ledgers cause (seed %s)", (seed) => {
    const chain = makeChain({
      seed,
      firstLedgerIndex: 1_000_000,
      firstCloseTime: CLOSE_TIME,
      transactionsPerLedger: 20,
      hashing: "digest"
    })
    for (let n = 0; n < 100; n++) assertLedger(asLedger(chain.close(0)))
  })
