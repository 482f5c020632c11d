/** The published schemas accept every event: of real ledgers, of simulated ones, and the synthetic ones. */
import { globSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { asLedger, makeChain } from "../../src/features/simulator/Chain.ts"
import { syntheticTransactions } from "../../src/features/simulator/SyntheticTransactions.ts"
import { detectLedger } from "../../src/spine/detect/Detect.ts"
import { batchBody, batchItem } from "../../src/spine/event/Batch.ts"
import { type EventType, eventTypes } from "../../src/spine/event/EventType.ts"
import type { JsonObject, Ledger } from "../../src/spine/event/Ledger.ts"
import { envelopeJson, type LedgerEvent } from "../../src/spine/event/LedgerEvent.ts"
import { ledgerOfTransaction, normaliseLedger } from "../../src/spine/event/NormaliseLedger.ts"
import {
  eventRecords,
  isChecked,
  markerOf,
  markerRecord
} from "../../src/spine/ledger/ingest/LedgerRecords.ts"
import { corpusFolder, corpusPresent } from "../support/corpusLedgers.ts"
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

const CLOSE_TIME = 800_000_000
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
const assertPayload = (type: EventType, payload: JsonObject, id: string) => {
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
const assertLedger = (ledger: Ledger): ReadonlyArray<EventType> => {
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

describe("schemas accept", () => {
  it.each([1, 2, 3, 4_000_000_000])("all that 100 simulated ledgers cause (seed %s)", (seed) => {
    const chain = makeChain({
      seed,
      firstLedgerIndex: 1_000_000,
      firstCloseTime: CLOSE_TIME,
      transactionsPerLedger: 20,
      hashing: "digest"
    })
    for (let n = 0; n < 100; n++) assertLedger(asLedger(chain.close(0)))
  })

  it("the synthetic event of each type", () => {
    const synthetic = syntheticTransactions(11, CLOSE_TIME)
    for (const [type, { ledger }] of synthetic) assert.include(assertLedger(ledger), type)
  })
})

interface CorpusEvent {
  readonly event_id: string
  readonly event_type: EventType
  readonly ledger_index: number
  readonly timestamp: string | null
  readonly payload: JsonObject
}

describe.skipIf(!corpusPresent)("schemas accept real data (skipped without ../shared/xrpl-corpus)", () => {
  // The corpus's README describes this form.
  const events: ReadonlyArray<CorpusEvent> = corpusPresent
    ? readFileSync(resolve(corpusFolder, "expected/events.jsonl"), "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
    : []
  const envelopeOf = ({ event_id, event_type, ledger_index, payload, timestamp }: CorpusEvent) => ({
    event_id,
    event_type,
    ledger_index,
    timestamp,
    network: "mainnet",
    webhook_id: WEBHOOK_ID,
    payload
  })
  const isComplete = ({ ledger_index, timestamp }: CorpusEvent): boolean =>
    ledger_index !== 0 && timestamp !== null

  it("every payload", () => {
    for (const { event_id, event_type, payload } of events)
      assert.deepStrictEqual(complaints(payloadPath(event_type), payload), [], event_id)
  })

  it("every payload as detection makes it, its keys in the published order", () => {
    for (const file of globSync(["ledgers/*.json", "transactions/*/*.json"], { cwd: corpusFolder })) {
      const raw: unknown = JSON.parse(readFileSync(resolve(corpusFolder, file), "utf8"))
      const ledger = normaliseLedger(raw)?.ledger ?? ledgerOfTransaction(raw)
      if (ledger === undefined) return assert.fail(file)
      for (const { event_id, event_type, payload } of detectLedger(ledger).events) {
        assertPayload(event_type, payload, event_id)
      }
    }
  })

  it("every envelope of an event whose ledger is known", () => {
    const complete = events.filter(isComplete)
    assert.isNotEmpty(complete)
    for (const event of complete)
      assert.deepStrictEqual(complaints(ENVELOPE, envelopeOf(event)), [], event.event_id)
  })

  it("except envelopes whose ledger was recorded without index or time, which every validated ledger has", () => {
    for (const event of events.filter((one) => !isComplete(one))) {
      const places = complaints(ENVELOPE, envelopeOf(event)).map((complaint) => complaint.split(" ")[0])
      const expected = [
        ...(event.ledger_index === 0 ? ["/event_id", "/ledger_index"] : []),
        ...(event.timestamp === null ? ["/timestamp"] : [])
      ]
      assert.sameMembers([...new Set(places)], expected, event.event_id)
    }
  })
})
