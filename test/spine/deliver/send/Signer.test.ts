/** The request of an attempt: each signing scheme and each format, checked with published answers and foreign libraries. */
import { gunzipSync, zstdDecompressSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { CloudEvent, HTTP } from "cloudevents"
import { Webhook as StandardWebhook } from "standardwebhooks"
import { Webhook as SvixWebhook } from "svix"
import {
  type SignedRequest,
  signature,
  signedBatch,
  signedRequest,
  standardSignature
} from "../../../../src/spine/deliver/send/Signer.ts"
import type { Compression } from "../../../../src/spine/domain/Compression.ts"
import { type SigningScheme, standardKey } from "../../../../src/spine/domain/Signing.ts"
import { batchItem } from "../../../../src/spine/event/Batch.ts"
import type { LedgerEvent } from "../../../../src/spine/event/LedgerEvent.ts"
import type { RequestFormat } from "../../../../src/spine/event/RequestFormat.ts"
import { event } from "../../../support/deliver/sending.ts"

const secretOf = (bytes: number, fill = 7) => `whsec_${Buffer.alloc(bytes, fill).toString("base64")}`
const SECRET = secretOf(32)
/** The libraries refuse a request that is older than five minutes, by the machine's clock. */
const now = new Date()

const options = {
  url: new URL("https://a.example/"),
  headers: {},
  webhookId: "wh_1",
  deliveryId: "dlv_1",
  event,
  nowMs: now.getTime()
}

const requestWith = (
  signing: ReadonlyArray<SigningScheme> | undefined,
  secrets: ReadonlyArray<string> = [SECRET]
) => signedRequest({ ...options, secrets, signing })

/** As a receiver reads the request: the body as text, without the compression. */
const sent = ({ headers, body }: SignedRequest) => {
  const bytes = Buffer.from(body)
  const encoding = headers["Content-Encoding"]
  const plain =
    encoding === "gzip" ? gunzipSync(bytes) : encoding === "zstd" ? zstdDecompressSync(bytes) : bytes
  return { headers, body: plain.toString() }
}

const standardHeaders = ["webhook-id", "webhook-timestamp", "webhook-signature"]

describe("a webhook's own headers", () => {
  it.each(["User-Agent", "user-agent", "USER-AGENT", "Accept-Encoding", "accept-encoding"])(
    "replace the service's %s, which is sent once",
    (name) => {
      const { headers } = signedRequest({
        ...options,
        headers: { [name]: "shop/1", "x-mine": "2" },
        secrets: [SECRET]
      })
      const same = Object.entries(headers).filter(([one]) => one.toLowerCase() === name.toLowerCase())
      assert.deepStrictEqual(same, [[name, "shop/1"]])
      assert.strictEqual(headers["x-mine"], "2")
    }
  )

  it("leave the service's own if they have none of the name", () => {
    const { headers } = requestWith(undefined)
    assert.match(String(headers["User-Agent"]), /^Ledgerhook\//)
    assert.strictEqual(headers["Accept-Encoding"], "identity")
  })
})

describe("a Standard Webhooks signature", () => {
  it("is the one that the reference library's own tests expect", () => {
    const key = standardKey("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    assert.strictEqual(
      standardSignature(key!, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", '{"test": 2432232314}'),
      "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    )
  })

  it("covers bodies of any text: empty, long, and beyond ASCII", () => {
    for (const body of ["", "größer 😀", "\u0000\n", "x".repeat(100_000)]) {
      const seconds = String(Math.floor(now.getTime() / 1000))
      assert.strictEqual(
        standardSignature(standardKey(SECRET)!, "dlv_1", seconds, body),
        new StandardWebhook(SECRET).sign("dlv_1", now, body)
      )
    }
  })
})

describe("the key in a secret", () => {
  it("has 24 to 64 bytes, in exact base64 after whsec_", () => {
    for (const bytes of [24, 25, 26, 32, 64])
      assert.strictEqual(standardKey(secretOf(bytes)), secretOf(bytes).slice(6))
    const padded = secretOf(25)
    for (const secret of [
      secretOf(23),
      secretOf(65),
      "whsec_",
      SECRET.slice("whsec_".length),
      SECRET.replace("whsec_", "WHSEC_"),
      padded.slice(0, -1),
      `${padded}=`,
      `${SECRET}\n`,
      // The last letter has bits that belong to no byte.
      `whsec_${"A".repeat(42)}B=`,
      // base64url
      `whsec_${"-_".repeat(16)}`,
      "try-ledgerhook-secret"
    ]) {
      assert.isUndefined(standardKey(secret), secret)
    }
  })
})

describe("a CloudEvent", () => {
  const requestOf = (given: LedgerEvent) =>
    signedRequest({
      ...options,
      headers: { "X-Mine": "1" },
      secrets: [SECRET],
      signing: ["service", "standard"],
      format: "cloudevents",
      webhookId: "wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE",
      event: given
    })

  it("is one that the CloudEvents library accepts, with the payload as data", () => {
    const given: LedgerEvent = {
      ...event,
      event_id: `xrpl:4294967295:${"A1".repeat(32)}:payment.xrp:2`,
      ledger_index: 2 ** 32 - 1,
      position: 999_999,
      payload: { note: "größer 😀" }
    }
    const { headers, body } = sent(requestOf(given))
    const parsed = HTTP.toEvent({ headers: { ...headers }, body })
    assert.isTrue(parsed instanceof CloudEvent && parsed.validate())
    assert.deepStrictEqual(JSON.parse(JSON.stringify(parsed)), {
      id: given.event_id,
      type: "payment.xrp",
      source: "urn:ledgerhook:mainnet",
      specversion: "1.0",
      subject: "A1".repeat(32),
      time: "2026-11-21T09:30:00.000Z",
      datacontenttype: "application/json",
      dataschema: "urn:ledgerhook:schemas:v1:payload:payment.xrp",
      ledgerindex: "4294967295",
      sequence: "4294967295.999999",
      network: "mainnet",
      webhookid: "wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE",
      data: given.payload
    })
  })

  it("is signed as it is sent, and keeps the headers of the other format", () => {
    const { headers, body } = sent(requestOf(event))
    assert.deepStrictEqual(JSON.parse(body), event.payload)
    assert.strictEqual(headers["X-Service-Signature"], signature(SECRET, body))
    assert.deepStrictEqual(new StandardWebhook(SECRET).verify(body, headers), event.payload)
    assert.deepInclude(headers, {
      "Content-Type": "application/json",
      "X-Mine": "1",
      "X-Service-Event-Type": "payment.xrp",
      "X-Service-Sequence": "0000000001.000000"
    })
  })

  it("is made only where it is chosen", () => {
    assert.deepStrictEqual(
      Object.keys(requestWith(undefined).headers).filter((name) => name.startsWith("ce-")),
      []
    )
  })
})

describe("a batch", () => {
  const batchOf = (format: RequestFormat, compression?: Compression) =>
    signedBatch({
      ...options,
      secrets: [SECRET],
      signing: ["service", "standard"],
      format,
      compression,
      batchId: "bat_1",
      items: ["dlv_1", "dlv_2"].map((id) => batchItem(format, event, "wh_1", id))
    })

  it("is signed as a whole with both schemes, under the id of the batch, and names no single event", () => {
    for (const compression of [undefined, "gzip"] as const) {
      const { headers, body } = sent(batchOf("ledgerhook", compression))
      assert.strictEqual(headers["X-Service-Signature"], signature(SECRET, body))
      const verified = new StandardWebhook(SECRET).verify(body, headers)
      assert.deepStrictEqual(
        (verified as ReadonlyArray<{ delivery_id: string }>).map(({ delivery_id }) => delivery_id),
        ["dlv_1", "dlv_2"]
      )
      assert.deepInclude(headers, {
        "Content-Type": "application/json",
        "X-Service-Batch-Id": "bat_1",
        "webhook-id": "bat_1"
      })
      const names = Object.keys(headers)
      for (const name of ["Delivery-Id", "Event-Id", "Event-Type"])
        assert.notInclude(names, `X-Service-${name}`)
    }
  })

  it("of CloudEvents is one that the CloudEvents library accepts", () => {
    const { headers, body } = sent(batchOf("cloudevents"))
    assert.strictEqual(headers["Content-Type"], "application/cloudevents-batch+json")
    const names = Object.keys(headers)
    assert.deepStrictEqual(
      names.filter((name) => name.startsWith("ce-")),
      []
    )
    const parsed = [HTTP.toEvent({ headers: { ...headers }, body })].flat()
    const binary = signedRequest({ ...options, secrets: [SECRET], format: "cloudevents" })
    const alone = sent(binary)
    const single = HTTP.toEvent({ headers: { ...alone.headers }, body: alone.body })
    for (const [i, one] of parsed.entries()) {
      assert.isTrue(one instanceof CloudEvent && one.validate())
      assert.deepStrictEqual(JSON.parse(JSON.stringify(one)), {
        ...JSON.parse(JSON.stringify(single)),
        deliveryid: `dlv_${i + 1}`
      })
    }
    assert.strictEqual(parsed.length, 2)
  })
})

describe("a compressed request", () => {
  it("has the body that it has without compression, and signatures of that", () => {
    for (const compression of ["gzip", "zstd"] as const) {
      const request = { ...options, signing: ["service", "standard"] as const, secrets: [SECRET] }
      const plain = signedRequest(request)
      const { headers, body } = sent(signedRequest({ ...request, compression }))
      assert.strictEqual(body, plain.body)
      assert.deepStrictEqual(headers, { ...plain.headers, "Content-Encoding": compression })
      assert.notProperty(plain.headers, "Content-Encoding")
    }
  })
})

describe("a request", () => {
  it("is signed with the service's scheme where none is chosen, and carries no header of the other", () => {
    for (const signing of [undefined, ["service"] as const]) {
      const { headers } = requestWith(signing)
      assert.property(headers, "X-Service-Signature")
      for (const name of standardHeaders) assert.notProperty(headers, name)
    }
  })

  it("is signed with Standard Webhooks alone where only this is chosen, and keeps its other headers", () => {
    const { headers } = requestWith(["standard"])
    assert.notProperty(headers, "X-Service-Signature")
    assert.containsAllKeys({ ...headers }, [...standardHeaders, "X-Service-Event-Id"])
    assert.strictEqual(headers["webhook-id"], headers["X-Service-Delivery-Id"])
    assert.strictEqual(headers["webhook-timestamp"], headers["X-Service-Timestamp"])
  })

  it("satisfies each foreign library, with both schemes, and with either secret of a grace", () => {
    const older = secretOf(24, 9)
    for (const signing of [["standard"], ["service", "standard"]] as const) {
      const { headers, body } = sent(requestWith(signing, [SECRET, older]))
      assert.match(headers["webhook-signature"]!, /^v1,\S+ v1,\S+$/)
      for (const secret of [SECRET, older]) {
        assert.deepStrictEqual(new StandardWebhook(secret).verify(body, headers), JSON.parse(body))
        // Throws if it does not verify.
        new SvixWebhook(secret).verify(body, headers)
      }
      const others = new StandardWebhook(secretOf(32, 8))
      assert.throws(() => others.verify(body, headers), /No matching signature/)
      assert.throws(() => new StandardWebhook(SECRET).verify(`${body} `, headers), /No matching signature/)
    }
  })

  it("leaves out the signature of a previous secret that holds no key for Standard Webhooks", () => {
    const { headers } = requestWith(["service", "standard"], [SECRET, "try-ledgerhook-secret"])
    assert.match(headers["webhook-signature"]!, /^v1,\S+$/)
    assert.lengthOf(headers["X-Service-Signature"]!.split(","), 2)
  })
})
