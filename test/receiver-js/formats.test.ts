/** The receiver package takes compressed requests and CloudEvents as the service makes them, and refuses bombs. */
import { gzipSync, zstdCompressSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import {
  BodyError,
  createReceiver,
  decompress,
  type LedgerhookEvent,
  parse,
  verify
} from "../../packages/receiver-js/src/index.ts"
import { signedRequest } from "../../src/spine/deliver/send/Signer.ts"
import type { Compression } from "../../src/spine/domain/Compression.ts"
import type { RequestFormat } from "../../src/spine/event/RequestFormat.ts"
import { eventBody, exampleEvent, exampleRecord, SECRET, SEQUENCE, signed } from "./support.ts"

const { webhook_id: webhookId, ...event } = exampleRecord
/** The event as the package gives it. */
const received = { ...exampleEvent, sequence: SEQUENCE }
const MAX = 5_000

/** A request as the service sends it. */
const sent = (options: { format?: RequestFormat; compression?: Compression }) => {
  const { body, headers } = signedRequest({
    url: new URL("https://receiver.example/hooks"),
    headers: {},
    secrets: [SECRET],
    webhookId,
    deliveryId: "dlv_1",
    event,
    nowMs: Date.now(),
    signing: ["service", "standard"],
    ...options
  })
  return { headers, body: Buffer.from(body) }
}

const receiving = () => {
  const handled: Array<LedgerhookEvent> = []
  const receiver = createReceiver({
    secrets: [SECRET],
    maxBodyBytes: MAX,
    onEvent: (one) => handled.push(one)
  })
  return { handled, receiver }
}

const compressed = (body: Uint8Array, encoding = "gzip") => {
  const request = signed(eventBody())
  return { headers: { ...request.headers, "Content-Encoding": encoding }, body }
}

describe("a request of the service", () => {
  for (const format of ["ledgerhook", "cloudevents"] as const)
    for (const compression of [undefined, "gzip", "zstd"] as const)
      it(`gives the same event as ${format} with compression ${compression ?? "null"}`, async () => {
        const { handled, receiver } = receiving()
        const request = sent({ format, ...(compression && { compression }) })
        assert.strictEqual((await receiver.receive(request)).status, 200)
        assert.deepStrictEqual(handled, [received])
        const plain = decompress(request)
        assert.isTrue(verify(plain, { secrets: [SECRET], schemes: ["standard"] }))
        assert.deepStrictEqual(parse(plain.body, plain.headers), received)
      })
})

describe("a compressed request", () => {
  it.each(["gzip", " GZIP "])(
    "is read whatever the upper or lower case of its encoding: %s",
    async (encoding) => {
      const { receiver } = receiving()
      const { status } = await receiver.receive(compressed(gzipSync(eventBody()), encoding))
      assert.strictEqual(status, 200)
    }
  )

  it("is read if the server has decompressed it and has left the header", async () => {
    const { receiver } = receiving()
    for (const encoding of ["gzip", "zstd"])
      assert.strictEqual((await receiver.receive(compressed(Buffer.from(eventBody()), encoding))).status, 200)
  })

  it("is refused with 413 once it is larger than the limit, however much follows", () => {
    const zeros = Buffer.alloc(64 * 1024 * 1024)
    for (const [encoding, bomb] of [
      ["gzip", gzipSync(zeros)],
      ["zstd", zstdCompressSync(zeros)]
    ] as const) {
      assert.isBelow(bomb.length, 100_000)
      assert.throws(() => decompress(compressed(bomb, encoding)), /larger than 4194304 bytes/)
    }
  })

  it("is refused if its frame asks for a window of more than 8 MiB", () => {
    // Magic number, a frame header with windowLog 27 (128 MiB), and an empty last block.
    const frame = Buffer.from("28b52ffd0088010000", "hex")
    assert.throws(() => decompress(compressed(frame, "zstd")), /not valid zstd/)
    frame[5] = (23 - 10) << 3
    assert.strictEqual(decompress(compressed(frame, "zstd")).body.length, 0)
  })

  it.each<[status: number, what: string, body: Uint8Array, encoding: string]>([
    [413, "more than the limit before decompression", Buffer.alloc(MAX + 1), "gzip"],
    [413, "more than the limit after decompression", gzipSync(eventBody({ a: "x".repeat(MAX) })), "gzip"],
    [415, "another encoding", Buffer.from(eventBody()), "br"],
    [415, "two encodings", gzipSync(eventBody()), "gzip, zstd"],
    [400, "a body that is cut off", gzipSync(eventBody()).subarray(0, 50), "gzip"],
    [400, "a broken body", Buffer.from("28b52ffdffffffff", "hex"), "zstd"],
    [401, "a wrong signature", gzipSync(eventBody({ event_id: "x" })), "gzip"]
  ])("is answered with %i for %s", async (status, _, body, encoding) => {
    const { handled, receiver } = receiving()
    const answer = await receiver.receive(compressed(body, encoding))
    assert.strictEqual(answer.status, status, answer.body)
    assert.isString(JSON.parse(answer.body).error)
    assert.deepStrictEqual(handled, [])
  })

  it("is refused with the status to answer", () => {
    try {
      decompress(compressed(gzipSync(eventBody()), "br"))
      assert.fail("it was read")
    } catch (error) {
      assert.instanceOf(error, BodyError)
      assert.strictEqual(error.status, 415)
    }
  })
})

describe("a CloudEvent", () => {
  const { body, headers } = sent({ format: "cloudevents" })

  it.each<[what: string, change: Record<string, string>, complaint: RegExp]>([
    ["another version", { "ce-specversion": "0.3" }, /ce-specversion must be 1\.0/],
    ["no id", { "ce-id": "" }, /ce-id is missing/],
    ["no type", { "ce-type": "" }, /ce-type is missing/],
    ["a ledger that is no number", { "ce-ledgerindex": "0x10" }, /ce-ledgerindex must be a positive integer/],
    ["the id of another transaction", { "ce-id": "xrpl:1:AB:payment.xrp" }, /ce-id must contain the tx_hash/]
  ])("is refused with %s, by the header's name", (_, change, complaint) => {
    assert.throws(() => parse(body, { ...headers, ...change }), complaint)
  })

  it("of a newer service has the type unknown", () => {
    const change = { "ce-type": "channel.created" }
    assert.deepInclude(parse(body, new Headers({ ...headers, ...change })), {
      event_type: "unknown",
      sent_type: "channel.created"
    })
  })

  it("never replaces an envelope that was signed", async () => {
    const { handled, receiver } = receiving()
    const envelope = sent({})
    const forged = { ...headers, ...envelope.headers, "ce-type": "check.cashed", "ce-network": "other" }
    assert.strictEqual((await receiver.receive({ ...envelope, headers: forged })).status, 200)
    assert.deepStrictEqual(handled, [received])
  })
})
