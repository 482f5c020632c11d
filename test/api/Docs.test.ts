/** `/docs` works offline: the page contains everything, and its content security policy forbids the rest. */
import { createHash } from "node:crypto"
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { chooseEncoding } from "../../src/api/Documents.ts"
import { ApiUnderTest, apiLayer } from "../support/api.ts"
import { operations } from "../support/openApi.ts"
import { rawCall } from "../support/rawHttp.ts"

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
  for (const path of ["/docs", "/docs/event-types", "/openapi.json", "/asyncapi.json"])
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

  it.effect("is one page that contains the document and loads nothing from other addresses", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { status, text, headers } = yield* api.call("GET", "/docs")
      assert.strictEqual(status, 200)
      assert.match(headers.get("content-type") ?? "", /^text\/html/)
      // A browser automatically fetches the addresses in tags and styles. The policy below restricts scripts.
      const markup = text.replace(/<script[\s\S]*?<\/script>/g, "")
      const fetched = Array.from(
        markup.matchAll(/(?:\b(?:src|href)=|url\()["']?([^"')\s>]+)/g),
        ([, to]) => to!
      )
      assert.deepStrictEqual(
        fetched.filter((to) => !to.startsWith("data:") && !to.startsWith("#")),
        []
      )
      const shown = /<script id="swagger-spec" type="application\/json">([\s\S]*?)<\/script>/.exec(text)?.[1]
      assert.deepStrictEqual(JSON.parse(shown ?? ""), (yield* api.call("GET", "/openapi.json")).body)
    })
  )

  it.effect("runs only its own scripts, which can reach only this server", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { text, headers } = yield* api.call("GET", "/docs")
      const policy = new Map(
        (headers.get("content-security-policy") ?? "").split("; ").map((rule): [string, string] => {
          const [name = "", ...values] = rule.split(" ")
          return [name, values.join(" ")]
        })
      )
      const scripts = Array.from(
        text.matchAll(/<script>([\s\S]*?)<\/script>/g),
        ([, script]) => `'sha256-${createHash("sha256").update(script!).digest("base64")}'`
      )
      // The styles of the dark theme and of Swagger UI.
      assert.strictEqual(scripts.length, 2)
      assert.strictEqual(policy.get("script-src"), scripts.join(" "))
      assert.strictEqual(policy.get("default-src"), "'none'")
      assert.strictEqual(policy.get("connect-src"), "'self'")
      assert.strictEqual(policy.get("frame-ancestors"), "'none'")
      assert.notMatch([...policy.values()].join(" "), /https?:|\*/)
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
        // Swagger UI fills in the parameter's example, else its schema's example or default.
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
