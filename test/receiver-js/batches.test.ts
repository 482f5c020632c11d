/** The receiver package takes batches as the service makes them, in both formats, and names the events that failed. */
import { assert, describe, it } from "@effect/vitest"
import {
  createReceiver,
  type LedgerhookEvent,
  ParseError,
  parseAll
} from "../../packages/receiver-js/src/index.ts"
import { requestFormats } from "../../src/spine/event/RequestFormat.ts"
import { batchEvents, batchOf, SECRET } from "./support.ts"

const [first, second, third] = batchEvents

describe("a batch of the service", () => {
  for (const format of requestFormats)
    for (const compression of [undefined, "gzip"] as const)
      it(`gives the same events in order as ${format} with compression ${compression ?? "null"}`, async () => {
        const handled: Array<readonly [string | undefined, LedgerhookEvent]> = []
        const receiver = createReceiver({
          secrets: [SECRET],
          schemes: ["standard"],
          onEvent: (event, deliveryId) => handled.push([deliveryId, event])
        })
        const answer = await receiver.receive(batchOf({ format, compression }))
        assert.deepStrictEqual(answer, { status: 200, body: '{"received":3}' })
        assert.deepStrictEqual(handled, [
          ["dlv_0", first],
          ["dlv_1", second],
          ["dlv_2", third]
        ])
      })

  it.each(requestFormats)("is answered with the deliveries whose events failed, as %s", async (format) => {
    const receiver = createReceiver({
      secrets: [SECRET],
      onError: () => undefined,
      onEvent: ({ event_id }) => {
        if (event_id !== second.event_id) throw new Error("not now")
      }
    })
    const answer = await receiver.receive(batchOf({ format }))
    assert.deepStrictEqual(answer, { status: 207, body: '{"failed":["dlv_0","dlv_2"]}' })
    const { body, headers } = batchOf({ format })
    const changed = Buffer.from(body.toString().replace("dlv_0", "dlv_9"))
    assert.strictEqual((await receiver.receive({ headers, body: changed })).status, 401)
  })
})

describe("a CloudEvent of a batch", () => {
  const [item] = JSON.parse(batchOf({ format: "cloudevents" }).body.toString())

  it.each<[what: string, change: object, complaint: RegExp]>([
    ["another version", { specversion: "0.3" }, /\[0\]: the attribute specversion must be 1\.0/],
    ["no delivery", { deliveryid: undefined }, /\[0\]: the field deliveryid must be a string/],
    ["no id", { id: undefined }, /\[0\]: the attribute id is missing/],
    ["a number as type", { type: 1 }, /\[0\]: the attribute type is missing, empty or not a string/],
    ["a ledger that is no number", { ledgerindex: "1e3" }, /ledgerindex must be a positive integer/],
    ["the id of another transaction", { id: "xrpl:1:AB:payment.xrp" }, /id must contain the tx_hash/],
    ["no data", { data: undefined }, /\[0\]: the field data must be an object/]
  ])("is refused with %s, by its place and name", (_, change, complaint) => {
    const parsing = () => parseAll(JSON.stringify([{ ...item, ...change }]))
    assert.throws(parsing, complaint)
    assert.throws(parsing, ParseError)
  })

  it("of a newer service has the type unknown, and new attributes are ignored", () => {
    const [received] = parseAll(JSON.stringify([{ ...item, type: "channel.created", added: "1" }]))
    assert.deepStrictEqual(received, {
      deliveryId: "dlv_0",
      event: { ...first, event_type: "unknown", sent_type: "channel.created" }
    })
  })
})
