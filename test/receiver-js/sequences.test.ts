/** The receiver package says where an event stands in its network, sorts events, and finds missing positions. */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import {
  gaps,
  ParseError,
  parse,
  parseAll,
  sequenceOf,
  sortBySequence
} from "../../packages/receiver-js/src/index.ts"
import { cloudEventHeaders } from "../../src/spine/event/RequestFormat.ts"
import { codeBlocks, commentsOf } from "../support/tree/markdown.ts"
import { eventBody, exampleEvent, exampleRecord, SEQUENCE } from "./support.ts"

const vectors = JSON.parse(readFileSync("packages/sequence-vectors.json", "utf8"))
/** Ledgers 10 to 20, unless the vector says otherwise. */
const RANGE = { from_ledger: 10, to_ledger: 20 }

const { "ce-sequence": _, ...cloudEvent } = cloudEventHeaders(exampleRecord, exampleRecord.webhook_id)
const payload = JSON.stringify(exampleEvent.payload)

describe("the sequence of an event", () => {
  it.each<[what: string, body: string, headers: Record<string, string>]>([
    ["X-Service-Sequence", eventBody(), { "x-service-sequence": SEQUENCE }],
    ["ce-sequence", payload, { ...cloudEvent, "ce-sequence": SEQUENCE }],
    ["X-Service-Sequence of a CloudEvent", payload, { ...cloudEvent, "X-Service-Sequence": SEQUENCE }]
  ])("is read from the header %s", (_, body, headers) => {
    const event = { ...exampleEvent, sequence: SEQUENCE }
    assert.deepStrictEqual(parse(body, headers), event)
    assert.deepStrictEqual(parse(body, new Headers(headers)), event)
    assert.deepStrictEqual(parseAll(body, "dlv_1", headers), [{ deliveryId: "dlv_1", event }])
  })

  it("is absent if an older service does not send it", () => {
    assert.notProperty(parse(eventBody(), {}), "sequence")
    assert.notProperty(
      parseAll(JSON.stringify([{ delivery_id: "d", event: exampleEvent }]))[0]!.event,
      "sequence"
    )
  })

  it("is not replaced in a signed body by a header, which is not signed", () => {
    const body = JSON.stringify([{ delivery_id: "d", sequence: SEQUENCE, event: exampleEvent }])
    const headers = { "x-service-sequence": "0094084608.000001" }
    assert.strictEqual(parseAll(body, undefined, headers)[0]!.event.sequence, SEQUENCE)
  })

  it("is refused if it is malformed or of another ledger than the event", () => {
    const complaint = /The sequence of xrpl:\S+ must be 0094084608, a full stop and six digits/
    for (const sequence of ["", "7", "0094084609.000007", `${SEQUENCE},${SEQUENCE}`]) {
      assert.throws(() => parse(eventBody(), { "x-service-sequence": sequence }), complaint)
      assert.throws(() => parse(payload, { ...cloudEvent, "ce-sequence": sequence }), complaint)
    }
    for (const sequence of [7, {}, "0094084609.000007"]) {
      const item = { delivery_id: "d", sequence, event: exampleEvent }
      assert.throws(() => parseAll(JSON.stringify([item])), ParseError, complaint)
    }
  })
})

describe("sequenceOf", () => {
  it("makes the text from the ledger and the position", () => {
    for (const { ledger_index, position, sequence } of vectors.sequences)
      assert.strictEqual(sequenceOf(ledger_index, position), sequence)
  })

  it("throws for numbers that no event has", () => {
    for (const [ledgerIndex, position] of [
      [1.5, 0],
      [1, -1],
      [1, 1_000_000],
      [1e10, 0],
      [Number.NaN, 0]
    ] as const)
      assert.throws(() => sequenceOf(ledgerIndex, position), ParseError)
  })
})

describe("sortBySequence", () => {
  it("sorts a copy: an event without a sequence first in its ledger, equal ones as they were", () => {
    const [older, a, b, again, c, d] = vectors.sorted
    const given = [d, b, a, c, again, older]
    assert.deepStrictEqual(sortBySequence(given), vectors.sorted)
    assert.deepStrictEqual(given, [d, b, a, c, again, older])
  })
})

describe("gaps", () => {
  for (const vector of vectors.gaps)
    it(`are found: ${vector.name}`, () => {
      const { event_counts, from_ledger, sequences, to_ledger } = { ...RANGE, ...vector }
      const eventCounts = new Map(
        Object.entries<number>(event_counts ?? {}).map(([index, count]) => [Number(index), count])
      )
      const found = gaps(sequences, { fromLedger: from_ledger, toLedger: to_ledger, eventCounts })
      assert.deepStrictEqual(found, vector.gaps)
    })

  it("are not looked for if a text is no sequence", () => {
    assert.isAbove(vectors.malformed.length, 5)
    for (const text of vectors.malformed)
      assert.throws(() => gaps([text], { fromLedger: 1, toLedger: 2 }), ParseError, "is not a sequence")
  })
})

it("the example of the README prints what it says", () => {
  const example = codeBlocks("packages/receiver-js/README.md", "ts").find((block) => block.includes("gaps("))!
  const source = pathToFileURL(resolve("packages/receiver-js/src/index.ts")).href
  const program = example.replace('"ledgerhook-receiver"', JSON.stringify(source))
  const printed = execFileSync(process.execPath, ["--input-type=module", "-"], {
    input: program,
    encoding: "utf8"
  })
  assert.strictEqual(printed, commentsOf(example, "// "))
})
