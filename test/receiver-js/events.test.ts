/** The receiver package's types are those of the schemas, and its parser takes every event that the service can send. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import {
  eventTypes as kitTypes,
  type LedgerhookEvent,
  ParseError,
  parse,
  parseAll
} from "../../packages/receiver-js/src/index.ts"
import { eventTypes } from "../../src/spine/event/EventType.ts"
import { differences, generatedFolders } from "../../tools/schemas/SchemaFiles.ts"
import { payloadPath, readSchema } from "../schemas/support.ts"
import { eventBody, exampleEvent } from "./support.ts"

/** Compiles only while the union is discriminated by `event_type`. */
const amountOf = (event: LedgerhookEvent): string => {
  switch (event.event_type) {
    case "payment.xrp":
      return event.payload.amount
    case "payment.issued":
      return event.payload.amount.value
    case "unknown":
      return event.sent_type
    default:
      return event.payload.tx_hash
  }
}

describe("the types of events", () => {
  it("are generated from the schemas (npm run schemas writes them)", () => {
    const generated = generatedFolders().filter(([folder]) => folder.startsWith("packages/receiver-js/"))
    assert.lengthOf(generated, 1)
    for (const [folder, files] of generated) {
      const there = new Map(
        [...files.keys()].map((path) => [path, readFileSync(`${folder}/${path}`, "utf8")])
      )
      assert.deepStrictEqual(differences(files, there), [])
    }
  })

  it("are all there", () => {
    assert.sameMembers([...kitTypes], [...eventTypes])
    assert.lengthOf(kitTypes, 23)
  })
})

describe("parse", () => {
  it.each(eventTypes)("takes %s as it is", (type) => {
    const examples = readSchema(payloadPath(type))["examples"]
    for (const payload of Array.isArray(examples) ? examples : assert.fail(type)) {
      const sent = { ...exampleEvent, event_type: type, payload }
      assert.deepStrictEqual(parse(Buffer.from(JSON.stringify(sent))), sent)
    }
  })

  it("gives TypeScript the fields of each payload", () => {
    assert.strictEqual(amountOf(parse(eventBody())), exampleEvent.payload.amount)
    const value = { currency: "USD", issuer: "r", value: "1.5" }
    assert.strictEqual(
      amountOf(parse(eventBody({ event_type: "payment.issued", payload: { amount: value } }))),
      "1.5"
    )
  })

  it("takes types and fields of a newer service", () => {
    const event = parse(eventBody({ event_type: "channel.created", added: 1 }))
    assert.deepStrictEqual(event, {
      ...exampleEvent,
      event_type: "unknown",
      sent_type: "channel.created",
      added: 1
    })
    // A name that every object has is no event type.
    assert.strictEqual(parse(eventBody({ event_type: "constructor" })).event_type, "unknown")
  })

  it.each<[what: string, body: string | Uint8Array, complaint: RegExp]>([
    ["no JSON", "{", /not JSON/],
    ["bytes that are not UTF-8", Buffer.from([0x22, 0xff, 0x22]), /UTF-8/],
    ["null", "null", /not an object/],
    ["a list", "[]", /not an object/],
    ["no event_id", eventBody({ event_id: undefined }), /event_id must be a string/],
    ["a number as event_type", eventBody({ event_type: 1 }), /event_type must be a string/],
    ["a ledger_index of 0", eventBody({ ledger_index: 0 }), /ledger_index must be a positive integer/],
    ["a list as payload", eventBody({ payload: [] }), /payload must be an object/]
  ])("refuses %s and names the field", (_, body, complaint) => {
    assert.throws(() => parse(body), complaint)
    assert.throws(() => parse(body), ParseError)
  })
})

describe("parseAll", () => {
  it("takes a single event and a batch", () => {
    assert.deepStrictEqual(parseAll(eventBody(), "dlv_1"), [{ event: exampleEvent, deliveryId: "dlv_1" }])
    const batch = ["dlv_1", "dlv_2"].map((delivery_id) => ({ delivery_id, event: exampleEvent }))
    assert.deepStrictEqual(
      parseAll(JSON.stringify(batch)),
      ["dlv_1", "dlv_2"].map((deliveryId) => ({ event: exampleEvent, deliveryId }))
    )
  })

  it("refuses a batch with a malformed event, or with more events than the service sends", () => {
    assert.throws(() => parseAll('[{"event":{}}]'), /\[0\]: the field delivery_id/)
    assert.throws(() => parseAll('[{"delivery_id":"dlv_1","event":{}}]'), /\[0\]\.event: the field event_id/)
    const many = Array.from({ length: 501 }, () => ({ delivery_id: "dlv_1", event: exampleEvent }))
    assert.throws(() => parseAll(JSON.stringify(many)), /at most 500/)
  })
})
