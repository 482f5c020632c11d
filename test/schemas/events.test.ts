/** The published schemas accept every event: of real ledgers, of simulated ones, and the synthetic ones. */
import { globSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { syntheticTransactions } from "../../src/features/simulator/SyntheticTransactions.ts"
import { detectLedger } from "../../src/spine/detect/Detect.ts"
import type { EventType } from "../../src/spine/event/EventType.ts"
import type { JsonObject } from "../../src/spine/event/Ledger.ts"
import { ledgerOfTransaction, normaliseLedger } from "../../src/spine/event/NormaliseLedger.ts"
import { corpusFolder, corpusPresent } from "../support/ledger/corpusLedgers.ts"
import { assertLedger, assertPayload, CLOSE_TIME, simulatedTests } from "./accepted.ts"
import { complaints, ENVELOPE, payloadPath, WEBHOOK_ID } from "./support.ts"

describe("schemas accept", () => {
  simulatedTests([1])

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
