/** `listen` prints the result of the signature check, and views that hostile text cannot break. */
import { createHmac } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Webhook } from "standardwebhooks"
import { block, jsonLine, line, type Received, verifyRequest } from "../../../src/features/listen/Received.ts"
import { verifySignature } from "../../../src/spine/domain/VerifySignature.ts"

const body = '{"event_type":"payment.xrp","ledger_index":7,"payload":{"amount":"1"},"webhook_id":"wh_1"}'
const sign = (secret: string) => `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`

const received = (changes: Partial<Received> = {}): Received => ({
  receivedAt: "2026-11-21T09:30:00.000Z",
  path: "/",
  headers: { "x-service-event-type": "payment.xrp", "x-service-delivery-id": "dlv_1" },
  body,
  signature: "ok",
  status: 200,
  ...changes
})

describe("the signature's verdict", () => {
  const verdict = (secret: string | undefined, header: string | undefined) =>
    verifySignature(secret, Buffer.from(body), header)

  it("is ok for the secret, alone or next to an older one", () => {
    assert.strictEqual(verdict("s", sign("s")), "ok")
    assert.strictEqual(verdict("s", `${sign("new")},${sign("s")}`), "ok")
  })

  it("is wrong for another secret, a cut one, none, and one without its prefix", () => {
    for (const header of [sign("other"), sign("s").slice(0, -1), sign("s").slice(7), "", undefined]) {
      assert.strictEqual(verdict("s", header), "wrong")
    }
  })

  it("is not given without a secret", () => {
    assert.strictEqual(verdict(undefined, sign("s")), "not checked")
  })
})

describe("the verdict on both schemes", () => {
  const SECRET = `whsec_${Buffer.alloc(32, 1).toString("base64")}`
  const NOW = Date.parse("2026-11-21T09:30:00.000Z")
  const standard = (at: number, secret = SECRET) => ({
    "webhook-id": "dlv_1",
    "webhook-timestamp": String(at / 1_000),
    "webhook-signature": `v1,other ${new Webhook(secret).sign("dlv_1", new Date(at), body)}`
  })
  const service = { "x-service-signature": sign(SECRET) }
  const verdict = (headers: Received["headers"], secret: string | undefined = SECRET) =>
    verifyRequest(secret, Buffer.from(body), headers, NOW)

  it("is ok if every signature that is there is right", () => {
    for (const headers of [service, standard(NOW), { ...service, ...standard(NOW) }]) {
      assert.strictEqual(verdict(headers), "ok")
    }
    assert.strictEqual(verifyRequest(undefined, Buffer.from(body), service, NOW), "not checked")
  })

  it("is wrong if one is wrong, too old, not due yet, without a key, or if there is none", () => {
    const other = `whsec_${Buffer.alloc(32, 2).toString("base64")}`
    for (const headers of [
      {},
      { ...service, ...standard(NOW, other) },
      { "x-service-signature": sign(other), ...standard(NOW) },
      standard(NOW - 301_000),
      standard(NOW + 301_000),
      { ...standard(NOW), "webhook-id": "dlv_2" },
      { ...standard(NOW), "webhook-timestamp": "" },
      { "webhook-signature": "v1," }
    ]) {
      assert.strictEqual(verdict(headers), "wrong", JSON.stringify(headers))
    }
    assert.strictEqual(verdict(standard(NOW), "try-ledgerhook-secret"), "wrong")
  })
})

describe("the views", () => {
  it("say with which schemes the sender has signed", () => {
    const headers = { "x-service-signature": "", "webhook-signature": "" }
    assert.include(block(received({ headers }), false), "signature ok (service, standard)")
    assert.deepStrictEqual(JSON.parse(jsonLine(received({ headers }))).signed_with, ["service", "standard"])
    assert.deepStrictEqual(JSON.parse(jsonLine(received())).signed_with, [])
  })

  it("show a CloudEvent with the envelope's fields from its headers", () => {
    const event = received({
      headers: {
        "ce-specversion": "1.0",
        "ce-ledgerindex": "7",
        "ce-time": "2026-11-21T09:30:00Z",
        "ce-network": "testnet",
        "ce-webhookid": "wh_2",
        "x-service-event-type": "payment.xrp"
      },
      body: '{"payload":"1"}'
    })
    const shown = block(event, false)
    for (const part of ["7  2026-11-21T09:30:00Z  testnet", "for wh_2", '"payload": "1"']) {
      assert.include(shown, part)
    }
    assert.deepInclude(JSON.parse(jsonLine(event)), { format: "cloudevents", body: { payload: "1" } })
    assert.strictEqual(JSON.parse(jsonLine(received())).format, "ledgerhook")
  })

  it("show a batch with one line for each delivery, in either format", () => {
    const event = { event_id: "xrpl:7:AB:payment.xrp", event_type: "payment.xrp" }
    for (const [format, type, item] of [
      ["ledgerhook", "application/json", { delivery_id: "dlv_2", sequence: "0000000007.000001", event }],
      [
        "cloudevents",
        "application/cloudevents-batch+json",
        {
          id: event.event_id,
          type: event.event_type,
          deliveryid: "dlv_2",
          sequence: "0000000007.000001"
        }
      ]
    ] as const) {
      const batch = received({
        headers: { "content-type": type, "x-service-batch-id": "bat_1" },
        body: JSON.stringify([item, item])
      })
      const shown = block(batch, false)
      assert.include(shown, "batch     bat_1  of 2")
      assert.strictEqual(
        shown.split("payment.xrp  xrpl:7:AB:payment.xrp  dlv_2  0000000007.000001").length,
        3
      )
      assert.deepInclude(JSON.parse(jsonLine(batch)), { format, batch_id: "bat_1", body: [item, item] })
    }
    for (const body of ["hello", "[null]", "[[]]", "{}"])
      assert.include(block(received({ headers: { "x-service-batch-id": "bat_1" }, body }), false), "bat_1")
  })

  it("show type, verdict, ids and payload as a block", () => {
    const shown = block(received(), false)
    for (const part of ["payment.xrp  signature ok", "dlv_1  for wh_1", '"amount": "1"'])
      assert.include(shown, part)
  })

  it("show a request in one line, which no sender can break", () => {
    const headers = { ...received().headers, "x-service-event-id": "xrpl:7:AB:payment.xrp" }
    assert.strictEqual(
      line(received({ headers, status: 503 }), false),
      "503  signature ok  payment.xrp               xrpl:7:AB:payment.xrp"
    )
    const batch = { headers: { "x-service-batch-id": "bat_1" }, body: "[{}, {}]" }
    assert.match(line(received(batch), false), /batch +bat_1$/)
    const hostile = { "x-service-event-type": "\u001b[2J\n", "x-service-event-id": "\u202e" }
    const shown = line(received({ headers: hostile }), false)
    for (const character of ["\u001b", "\n", "\u202e"]) assert.notInclude(shown, character)
  })

  it("show the sequence, if the service sends it", () => {
    const headers = { ...received().headers, "x-service-sequence": "0000000007.000001" }
    assert.include(block(received({ headers }), false), "\n  sequence  0000000007.000001\n")
    assert.strictEqual(JSON.parse(jsonLine(received({ headers }))).sequence, "0000000007.000001")
    assert.notInclude(block(received(), false), "sequence")
    assert.notProperty(JSON.parse(jsonLine(received())), "sequence")
  })

  it("are one JSON line that contains the body", () => {
    const line = jsonLine(received({ signature: "wrong" }))
    assert.notInclude(line, "\n")
    const { signature, body: inside } = JSON.parse(line)
    assert.strictEqual(signature, "wrong")
    assert.deepStrictEqual(inside, JSON.parse(body))
  })

  it("accept a body that is not JSON, and one that is not an object", () => {
    assert.include(block(received({ body: "hello" }), false), "hello")
    assert.include(block(received({ body: "null" }), false), "null")
    assert.strictEqual(JSON.parse(jsonLine(received({ body: "hello" }))).body, "hello")
  })

  it("accept a body whose fields are not strings, and one nested deeper than any event", () => {
    assert.include(
      block(received({ body: '{"ledger_index":{"toString":1},"payload":{"toJSON":1}}' }), false),
      "toString"
    )
    const deep = `{"payload":${"[".repeat(200_000)}${"]".repeat(200_000)}}`
    assert.include(block(received({ body: deep }), false), "[[[")
    assert.strictEqual(JSON.parse(jsonLine(received({ body: deep }))).body, deep)
  })

  it("escape a sender's control characters and direction overrides", () => {
    const evil = "\u001b[2Jx\u0007\u009b31m\r\u202e\u2028"
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for control characters
    const unprintable = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e\u2028]/
    for (const text of [evil, JSON.stringify({ evil })]) {
      const line = jsonLine(received({ body: text }))
      assert.notMatch(line, unprintable)
      assert.deepStrictEqual(JSON.parse(line).body, text === evil ? evil : { evil })
    }
    const shown = block(
      received({ body: evil, path: evil, headers: { "x-service-event-type": evil } }),
      false
    )
    assert.notMatch(shown, unprintable)
  })
})
