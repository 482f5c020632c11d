/** Answers are compressed where the client accepts it, and never those with a secret or of a stream. */
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ApiUnderTest, apiLayer } from "../support/http/api.ts"
import { rawCall } from "../support/servers/rawHttp.ts"

const unpackers = { br: brotliDecompressSync, gzip: gunzipSync, zstd: zstdDecompressSync }

layer(apiLayer(), { excludeTestServices: true })("compression", (it) => {
  const customer = Effect.gen(function* () {
    const api = yield* ApiUnderTest
    const { key } = yield* api.account()
    const call = (path: string, encoding?: string, method = "GET", body?: unknown) =>
      rawCall(
        `${api.url}${path}`,
        {
          "x-service-key": key,
          ...(encoding === undefined ? {} : { "accept-encoding": encoding }),
          ...(body === undefined ? {} : { "content-type": "application/json" })
        },
        method,
        body === undefined ? "" : JSON.stringify(body)
      )
    return { call, key }
  })

  const large = { url: `https://example.com/${"o".repeat(1_500)}`, event_types: ["*"] }

  it.effect("gives a client of each encoding the same bytes", () =>
    Effect.gen(function* () {
      const { call } = yield* customer
      yield* call("/v1/webhooks", undefined, "POST", large)
      for (const path of ["/v1/webhooks", "/v1/event-types"]) {
        const plain = yield* call(path)
        assert.isUndefined(plain.headers["content-encoding"])
        assert.isAbove(plain.bytes.length, 1_024)
        for (const [encoding, unpack] of Object.entries(unpackers)) {
          const { bytes, headers, status } = yield* call(path, encoding)
          assert.deepStrictEqual([status, headers["content-encoding"]], [200, encoding])
          assert.strictEqual(headers.vary, "Accept-Encoding")
          assert.strictEqual(headers["cache-control"], "no-store")
          assert.strictEqual(headers["content-length"], String(bytes.length))
          assert.isTrue(unpack(bytes).equals(plain.bytes))
          const head = yield* call(path, encoding, "HEAD")
          assert.deepStrictEqual([head.status, head.bytes.length], [200, 0])
          assert.strictEqual(head.headers["content-encoding"], encoding)
          assert.strictEqual(head.headers["content-length"], headers["content-length"])
        }
      }
    })
  )

  it.effect("takes what Accept-Encoding allows, and leaves an answer of less than 1 KB", () =>
    Effect.gen(function* () {
      const { call } = yield* customer
      const encodingOf = (path: string, accepted: string) =>
        Effect.map(call(path, accepted), ({ headers }) => {
          assert.strictEqual(headers.vary, "Accept-Encoding")
          return headers["content-encoding"]
        })
      assert.strictEqual(yield* encodingOf("/v1/event-types", "gzip, deflate, br, zstd"), "br")
      assert.strictEqual(yield* encodingOf("/v1/event-types", "br;q=0, ZSTD;q=0.5"), "zstd")
      assert.strictEqual(yield* encodingOf("/v1/event-types", "*;q=0.1, br;q=0, zstd;q=0"), "gzip")
      assert.isUndefined(yield* encodingOf("/v1/event-types", "identity, br;q=0"))
      assert.isUndefined(yield* encodingOf("/v1/event-types", "deflate"))
      assert.isUndefined(yield* encodingOf("/v1/webhooks", "br"))
      // Monitoring asks for it too.
      assert.strictEqual(yield* encodingOf("/metrics", "gzip"), "gzip")
    })
  )

  it.effect(
    "leaves answers to POST and PUT, which may show a secret: their length would say something about it",
    () =>
      Effect.gen(function* () {
        const { call } = yield* customer
        const secrets = [
          yield* call("/v1/webhooks", "br", "POST", large),
          yield* call("/v1/api-keys", "br", "POST", { name: "n".repeat(100), scopes: ["admin"] }),
          yield* call("/v1/account/notices", "br", "PUT", { url: large.url })
        ]
        const { id } = JSON.parse(secrets[0]!.bytes.toString())
        secrets.push(yield* call(`/v1/webhooks/${id}/rotate-secret`, "br", "POST", {}))
        for (const { headers, status } of secrets) {
          assert.include([200, 201], status)
          assert.isUndefined(headers["content-encoding"])
          assert.isUndefined(headers.vary)
        }
        const shown = yield* call(`/v1/webhooks/${id}`, "br", "PATCH", { description: "d" })
        assert.strictEqual(shown.headers["content-encoding"], "br")
      })
  )
})
