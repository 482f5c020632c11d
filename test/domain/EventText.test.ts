/** The envelope cut from an event's text has the bytes of the one made from the event, whatever its payload holds. */
import { assert, describe, it } from "@effect/vitest"
import { parseWork, parseWorkHead, workJson } from "../../src/domain/Delivery.ts"
import { envelopeText, eventText, parseEventText } from "../../src/domain/EventText.ts"
import type { JsonObject } from "../../src/domain/Ledger.ts"
import { envelopeJson, type LedgerEvent } from "../../src/domain/LedgerEvent.ts"

const WEBHOOK_ID = "wh_1"

const eventWith = (payload: JsonObject, accounts: ReadonlyArray<string> = ["rA", "rB"]): LedgerEvent => ({
  event_id: `xrpl:7:${"A".repeat(64)}:payment.xrp:1`,
  event_type: "payment.xrp",
  ledger_index: 7,
  timestamp: "2026-11-21T09:30:00Z",
  network: "mainnet",
  payload,
  accounts,
  position: 3,
  detected_at: 1_700_000_000_000
})

const rest = '},"accounts":["rA"],"position":0,"detected_at":1}'
const payloads: Readonly<Record<string, JsonObject>> = {
  "no field": {},
  "nested objects": { a: { b: [{ c: {} }] }, d: 1.5e-9, e: null, f: true },
  "keys of the record": {
    payload: { x: 1 },
    accounts: ["rC"],
    position: 9,
    detected_at: 9,
    webhook_id: "wh_2"
  },
  "an object that ends as a record does": { a: {}, accounts: ["rC"], position: 9, detected_at: 9 },
  "the text of another event": { memo: `{"payload":{${rest}`, other: JSON.stringify(eventWith({})) },
  "quotes, backslashes and lone surrogates": { '"\\': '\\",\\\\"', "\ud800": "\udfff\u2028\u0000\n" }
}

/** The same event in the order that an API's test event has. */
const inOtherOrder = ({ network, ...event }: LedgerEvent): LedgerEvent => ({ ...event, network })

describe("an event's text", () => {
  it.each(Object.entries(payloads))("makes the event's envelope: %s", (_, payload) => {
    for (const event of [eventWith(payload), eventWith(payload, [])]) {
      const envelope = envelopeJson(event, WEBHOOK_ID)
      for (const text of [
        parseEventText(JSON.stringify(event)),
        parseEventText(JSON.stringify(inOtherOrder(event))),
        eventText(event)
      ]) {
        assert.strictEqual(envelopeText(text!, WEBHOOK_ID), envelope)
        assert.deepInclude(text, { event_id: event.event_id, event_type: event.event_type })
      }
    }
  })

  it("is none when it was torn", () => {
    const json = JSON.stringify(eventWith({ a: 1 }))
    for (let length = 0; length < json.length; length++)
      assert.isUndefined(parseEventText(json.slice(0, length)))
    assert.isUndefined(parseEventText("{}"))
  })
})

describe("a work record", () => {
  const head = { delivery_id: "dlv_1", webhook_id: WEBHOOK_ID, attempt: 2, series_attempt: 1, due_at: 0 }

  it("is written as it was read, whatever its event holds", () => {
    for (const payload of [...Object.values(payloads), { event: { event: {} } }]) {
      const event = eventWith(payload)
      for (const work of [
        { ...head, event },
        { ...head, replay: true, event }
      ]) {
        const value = JSON.stringify(work)
        const read = parseWork(value)!
        assert.strictEqual(workJson(read), value)
        assert.strictEqual(envelopeText(read.event, WEBHOOK_ID), envelopeJson(event, WEBHOOK_ID))
      }
    }
  })

  it("is none when it was torn, and needs an event to be sent", () => {
    const value = JSON.stringify({ ...head, event: eventWith({ a: 1 }) })
    for (let length = 0; length < value.length; length++)
      assert.isUndefined(parseWork(value.slice(0, length)))
    assert.isUndefined(parseWork(JSON.stringify(head)))
    assert.deepStrictEqual(parseWorkHead(JSON.stringify(head)), head)
  })
})
