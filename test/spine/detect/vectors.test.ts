/**
 * The vectors of schemas/detection state the rules of docs/detection-rules.md: what they expect is written by hand, so a
 * fault of the detector shows here. Our own detector gives every expected byte in every form; a detector with a mistake
 * is caught.
 */
import { globSync, readFileSync } from "node:fs"
import { isDeepStrictEqual } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { detectLedger } from "../../../src/spine/detect/Detect.ts"
import { type AlertCode, alertCodes } from "../../../src/spine/event/AlertCode.ts"
import { eventTypes } from "../../../src/spine/event/EventType.ts"
import type { JsonObject, Ledger } from "../../../src/spine/event/Ledger.ts"
import type { Detection } from "../../../src/spine/event/LedgerEvent.ts"
import type { Network } from "../../../src/spine/event/Network.ts"
import { normaliseLedger } from "../../../src/spine/event/NormaliseLedger.ts"
import { provenLedger } from "../../../src/spine/ledger/servers/VerifyLedger.ts"
import { type Detector, mistakes } from "../../support/ledger/mistakes.ts"

const forms = ["v1", "v2", "binary"] as const
type Form = (typeof forms)[number]

interface Vector extends Detection {
  readonly name: string
  readonly network?: Network
  readonly booking?: true
  readonly input: Readonly<Partial<Record<Form, JsonObject>>>
}

const vectors = globSync("schemas/detection/*.json").flatMap(
  // `npm run schemas` writes these files.
  (file) => JSON.parse(readFileSync(file, "utf8")) as ReadonlyArray<Vector>
)
const byName = new Map(vectors.map((vector) => [vector.name, vector]))

const ledgerOf = ({ input, name }: Vector, form: Form): Ledger => {
  const result = input[form]!
  if (form === "binary") {
    const index = Number(result["ledger_index"])
    return Result.getOrThrow(provenLedger("", index, { result })).ledger
  }
  return normaliseLedger(result)?.ledger ?? assert.fail(`${name} (${form}) is no ledger`)
}
const formsOf = ({ input }: Vector) => forms.filter((form) => input[form] !== undefined)

/** What is compared: events in order, their payloads byte for byte, and alerts as a set. */
const compared = ({ alerts, events }: Detection, { booking }: Vector) => ({
  events: events.map((event) => ({
    event_id: event.event_id,
    event_type: event.event_type,
    ledger_index: event.ledger_index,
    timestamp: event.timestamp,
    payload: JSON.stringify(event.payload),
    accounts: event.accounts,
    beside: booking && [event.memos, event.memos_truncated, event.balance_changes]
  })),
  alerts: alerts.map(({ code, event_type, tx_hash }) => `${tx_hash} ${code} ${event_type}`).toSorted()
})

const answer = (vector: Vector, form: Form, detector: Detector) =>
  compared(detector(ledgerOf(vector, form), vector.network), vector)

describe("the conformance vectors", () => {
  it.each([...byName.keys()])("are what our own detector answers: %s", (name) => {
    const vector = byName.get(name)!
    for (const form of formsOf(vector))
      assert.deepStrictEqual(answer(vector, form, detectLedger), compared(vector, vector), form)
  })

  it("are at least 300 under different names, and show every event type and alert code", () => {
    assert.isAtLeast(vectors.length, 300)
    assert.lengthOf([...byName], vectors.length)
    const types = new Set(vectors.flatMap(({ events }) => events.map(({ event_type }) => event_type)))
    assert.sameMembers([...types], [...eventTypes])
    const codes = new Set(vectors.flatMap(({ alerts }) => alerts.map(({ code }) => code)))
    // A violation of a schema is a fault of the detector, so no ledger can show it.
    assert.sameMembers([...codes, "schema_violation"], Object.keys(alertCodes))
  })

  it("have every form in which their case can exist", () => {
    // A field that cannot be read, a type that nobody knows, or what only the API adds has no bytes.
    const withoutBytes = vectors.filter(({ input }) => input.binary === undefined).map(({ name }) => name)
    assert.isAtMost(withoutBytes.length, 30)
    for (const { input, name } of vectors) assert.isTrue("v1" in input && "v2" in input, name)
  })
})

/** The sentence of each alert, which `ledgerhook doctor` shows. */
const sentences: Readonly<Record<Exclude<AlertCode, "schema_violation">, RegExp>> = {
  delivered_amount_unknown:
    /^(?:The delivered amount|What Check 0+1 delivered) is neither in the metadata nor derivable from the nodes\.$/,
  delivered_amount_doubtful:
    /^The nodes show less than the maximum, and the metadata do not say what was delivered\.$/,
  account_delete_amount_unknown: /^The amount delivered to the destination is unknown and left out\.$/,
  filled_amount_negative: /^A trade made Offer 0+1 larger: a filled amount is negative\.$/,
  nft_id_unknown: /^The NFTokenID follows neither from the NFTokenPages nor from the issuer's AccountRoot\.$/,
  nft_id_disputed:
    /^NFTokenID [0-9A-F]{64}, found in the NFTokenPages, is not the one composed from the transaction\.$/,
  accepted_offer_missing: /^An accepted NFTokenOffer is not among the deleted entries\.$/,
  unexpected_deletion: /^(?:Check|Escrow) 0+1 was deleted by a \w+ that neither \w+ nor cancelled it\.$/,
  field_unreadable:
    /^(?:(?:Escrow|Offer) 0+\d|\w+) could not be read: \w+ is (?:missing|not (?:an amount(?: of the same asset)?|an integer from 0 to 4294967295|at most 512 bytes in hex))\.$/,
  nodes_unreadable:
    /^(?:1 of the AffectedNodes cannot be read\. The first: (?:it is neither a CreatedNode, |the modified node is not an object\.)|The metadata have no AffectedNodes\.$)/,
  transaction_unreadable:
    /^The transaction could not be read: (?:\w+ is not (?:an address|64 hex digits)|it has no TransactionType|its TransactionResult is neither tesSUCCESS nor a tec code)\.$/
}

describe("an alert", () => {
  it.each(Object.entries(sentences))("has a sentence: %s", (code, sentence) => {
    const alerts = vectors
      .flatMap((vector) => detectLedger(ledgerOf(vector, "v2"), vector.network).alerts)
      .filter((alert) => alert.code === code)
    assert.isNotEmpty(alerts)
    for (const { reason } of alerts) assert.match(reason, sentence)
  })
})

describe("a detector with a mistake", () => {
  it.each(Object.entries(mistakes))("is caught: %s", (_, mistaken) => {
    assert.isTrue(
      vectors.some((vector) => !isDeepStrictEqual(answer(vector, "v2", mistaken), compared(vector, vector)))
    )
  })
})
