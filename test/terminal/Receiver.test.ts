/** The server of `listen`: the bodies that it passes on, and its responses to others. */

import { gzipSync, zstdCompressSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { terminalLimits } from "../../src/terminal/Limits.ts"
import { makeReceiver } from "../../src/terminal/Receiver.ts"

const BODY = '{"event_type":"payment.xrp"}'

/** The receiver's response to the body, and the body that it passed on. */
const post = (body: Uint8Array, encoding?: string) =>
  Effect.gen(function* () {
    const passed: Array<string> = []
    const url = yield* makeReceiver("127.0.0.1", 0, (received) => {
      passed.push(received.body.toString())
      return Effect.succeed({ status: 200 })
    })
    const headers = encoding === undefined ? {} : { "content-encoding": encoding }
    const { status } = yield* Effect.promise(() =>
      fetch(url, { method: "POST", headers, body: Buffer.from(body) })
    )
    return { status, passed }
  }).pipe(Effect.scoped)

describe("the receiver of listen", () => {
  it.live("passes on a body without its compression", () =>
    Effect.gen(function* () {
      const plain = Buffer.from(BODY)
      for (const [body, encoding] of [
        [plain, undefined],
        [plain, "identity"],
        [gzipSync(plain), "gzip"],
        [zstdCompressSync(plain), "zstd"]
      ] as const) {
        assert.deepStrictEqual(yield* post(body, encoding), { status: 200, passed: [BODY] })
      }
    })
  )

  it.live("refuses a body that it cannot decompress, or that is too large without its compression", () =>
    Effect.gen(function* () {
      const large = Buffer.alloc(terminalLimits.listenBodyBytes + 1)
      for (const [body, encoding] of [
        [Buffer.from(BODY), "gzip"],
        [Buffer.from(BODY), "br"],
        [Buffer.from(BODY), "constructor"],
        [gzipSync(large), "gzip"],
        [zstdCompressSync(large), "zstd"]
      ] as const) {
        assert.deepStrictEqual(yield* post(body, encoding), { status: 415, passed: [] }, encoding)
      }
      assert.deepStrictEqual(yield* post(large), { status: 413, passed: [] })
    })
  )
})
