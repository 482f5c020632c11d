/** `/docs` works offline: the page and its files come from this service, and its policy forbids the rest. */
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { chooseEncoding } from "../../../src/http/Documents.ts"
import { ApiUnderTest, apiLayer } from "../../support/http/api.ts"
import { operations } from "../../support/http/openApi.ts"
import { rawCall } from "../../support/servers/rawHttp.ts"

/** Maximum size of the page as sent to a browser, in bytes. */
const PAGE_BYTES_MOST = 600_000

describe("the form of a document", () => {
  it("is the smallest that the caller accepts", () => {
    assert.strictEqual(chooseEncoding("gzip, deflate, br, zstd"), "br")
    assert.strictEqual(chooseEncoding("br;q=0, GZIP;q=0.5"), "gzip")
    assert.strictEqual(chooseEncoding("*"), "br")
    assert.strictEqual(chooseEncoding("br;q=0, *;q=0.1"), "zstd")
    assert.strictEqual(chooseEncoding("identity"), "identity")
    assert.strictEqual(chooseEncoding("br;q=x"), "identity")
    assert.strictEqual(chooseEncoding(""), "identity")
    assert.strictEqual(chooseEncoding(undefined), "identity")
  })
})

layer(apiLayer(), { excludeTestServices: true })("docs", (it) => {
  for (const path of [
    "/docs",
    "/docs/event-types",
    "/docs/guides",
    "/docs/api",
    "/llms.txt",
    "/openapi.json"
  ])
    it.effect(`${path} is sent compressed, and not again to a caller that has it`, () =>
      Effect.gen(function* () {
        const url = `${(yield* ApiUnderTest).url}${path}`
        const plain = yield* rawCall(url, {})
        assert.isUndefined(plain.headers["content-encoding"])
        const etags = new Set([plain.headers.etag])
        for (const [encoding, unpack] of [
          ["br", brotliDecompressSync],
          ["zstd", zstdDecompressSync],
          ["gzip", gunzipSync]
        ] as const) {
          const form = yield* rawCall(url, { "accept-encoding": encoding })
          assert.strictEqual(form.headers["content-encoding"], encoding)
          assert.strictEqual(form.headers.vary, "Accept-Encoding")
          assert.strictEqual(form.headers["cache-control"], "public, max-age=300")
          assert.isBelow(form.bytes.length, PAGE_BYTES_MOST)
          assert.isTrue(unpack(form.bytes).equals(plain.bytes))
          etags.add(form.headers.etag)
          const again = yield* rawCall(url, {
            "accept-encoding": encoding,
            "if-none-match": `"other", W/${form.headers.etag}`
          })
          assert.deepStrictEqual([again.status, again.bytes.length], [304, 0])
          assert.strictEqual(again.headers.etag, form.headers.etag)
        }
        assert.strictEqual(etags.size, 4)
        assert.strictEqual((yield* rawCall(url, { "if-none-match": '"other"' })).status, 200)
      })
    )

  it.effect("shows every operation with a command that calls it, and the types that it names", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { status, text, headers } = yield* api.call("GET", "/docs")
      assert.strictEqual(status, 200)
      assert.match(headers.get("content-type") ?? "", /^text\/html/)
      const document = (yield* api.call("GET", "/openapi.json")).body
      for (const { method, path } of operations) {
        const { operationId, summary } = document.paths[path][method.toLowerCase()]
        const at = text.indexOf(`<h3 id="${operationId}">${summary}</h3>`)
        assert.isAbove(at, 0, operationId)
        const section = text.slice(at, text.indexOf("</section>", at))
        assert.include(section, `<b>${method}</b> <code>${path}</code>`)
        assert.include(section, "<figcaption>curl</figcaption>")
      }
      assert.notMatch(text, /undefined|\[object/)
    })
  )

  it.effect("loads files of this service only, and runs no inline script", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      for (const path of ["/docs", "/docs/event-types", "/docs/api"]) {
        const { text, headers } = yield* api.call("GET", path)
        assert.notMatch(text, /<script>|<style| on\w+=| style=|(?:src|url)[=(]["']?https?:/)
        const policy = headers.get("content-security-policy") ?? ""
        for (const rule of [
          "default-src 'self'",
          "script-src 'self'",
          "style-src 'self'",
          "frame-ancestors 'none'"
        ])
          assert.include(policy.split("; "), rule)
        assert.notMatch(policy, /https?:|\*|unsafe/)
      }
    })
  )

  it.effect("fills in a request that every list operation accepts", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { key } = yield* api.account()
      const lists = operations.filter(
        ({ method, path, parameters }) =>
          method === "GET" && parameters.some(({ name }) => name === "limit") && !path.includes("{")
      )
      assert.isAtLeast(lists.length, 5)
      for (const { path, parameters } of lists) {
        // What tools fill in: the parameter's example, else its schema's example or default.
        const filled = parameters.flatMap((parameter) => {
          const { example, schema } = Object(parameter)
          const value = example ?? schema.example ?? schema.default
          return parameter.in === "query" && value !== undefined ? [[parameter.name, String(value)]] : []
        })
        const { status, text } = yield* api.call("GET", `${path}?${new URLSearchParams(filled)}`, { key })
        assert.strictEqual(status, 200, text)
      }
    })
  )

  it.effect("answers GET, HEAD and OPTIONS without a key", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const head = yield* api.call("HEAD", "/docs")
      assert.deepStrictEqual([head.status, head.text], [200, ""])
      const options = yield* api.call("OPTIONS", "/docs")
      assert.deepStrictEqual([options.status, options.headers.get("allow")], [204, "GET, HEAD, OPTIONS"])
      const post = yield* api.call("POST", "/docs", { body: {} })
      assert.deepStrictEqual([post.status, post.body.error.code], [405, "METHOD_NOT_ALLOWED"])
      assert.strictEqual((yield* api.call("GET", "/docs/")).status, 404)
    })
  )
})
