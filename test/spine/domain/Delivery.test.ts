/** Work records in the log. For any event, the receiver gets the same bytes at every attempt. */
import { assert, describe, it } from "@effect/vitest"
import { newWork, parseWork } from "../../../src/spine/domain/Delivery.ts"
import type { JsonObject } from "../../../src/spine/event/Ledger.ts"
import { envelopeJson, type LedgerEvent } from "../../../src/spine/event/LedgerEvent.ts"

const WEBHOOK_ID = "wh_1"

const eventWith = (payload: JsonObject): LedgerEvent => ({
  event_id: `xrpl:7:${"A".repeat(64)}:payment.xrp:1`,
  event_type: "payment.xrp",
  ledger_index: 7,
  timestamp: "2026-11-21T09:30:00Z",
  network: "mainnet",
  payload,
  accounts: ["rA", "rB"],
  position: 3,
  detected_at: 1_700_000_000_000
})

const workWith = (payload: JsonObject) => newWork("dlv_1", WEBHOOK_ID, eventWith(payload))

const payloads: Readonly<Record<string, JsonObject>> = {
  "no field": {},
  "nested objects": { a: { b: [{ c: {} }] }, d: 1.5e-9, e: null, f: true },
  "keys of the record": { payload: { x: 1 }, event: {}, accounts: ["rC"], webhook_id: "wh_2" },
  "quotes, backslashes and lone surrogates": { '"\\': '\\",\\\\"', "\ud800": "\udfff\u2028\u0000\n" }
}

describe("a work record", () => {
  it.each(Object.entries(payloads))("gives the same envelope after every attempt: %s", (_, payload) => {
    const first = workWith(payload)
    const read = parseWork(JSON.stringify(first))!
    const again = parseWork(JSON.stringify({ ...read, attempt: 2 }))!
    for (const { event } of [read, again])
      assert.strictEqual(envelopeJson(event, WEBHOOK_ID), envelopeJson(first.event, WEBHOOK_ID))
    assert.deepStrictEqual(read, first)
  })

  it("is undefined if it is truncated or has no event", () => {
    const value = JSON.stringify(workWith({ a: 1 }))
    for (let length = 0; length < value.length; length++)
      assert.isUndefined(parseWork(value.slice(0, length)))
    assert.isUndefined(parseWork(JSON.stringify({ ...workWith({}), event: undefined })))
    assert.isUndefined(parseWork(JSON.stringify({ ...workWith({}), ledger_index: -1 })))
  })
})
