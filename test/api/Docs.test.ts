/** `/docs` works where there is no network but this server: the page holds everything, and its policy forbids the rest. */
import { createHash } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ApiUnderTest, apiLayer } from "../support/api.ts"

layer(apiLayer(), { excludeTestServices: true })("docs", (it) => {
  it.effect("is one page with the document in it, which asks no other address for anything", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { status, text, headers } = yield* api.call("GET", "/docs")
      assert.strictEqual(status, 200)
      assert.match(headers.get("content-type") ?? "", /^text\/html/)
      // What a browser fetches by itself: addresses in tags and in styles. Scripts are held by the policy below.
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

  it.effect("lets only its own scripts run, and speak to this server only", () =>
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
      assert.strictEqual(scripts.length, 1)
      assert.strictEqual(policy.get("script-src"), scripts.join(" "))
      assert.strictEqual(policy.get("default-src"), "'none'")
      assert.strictEqual(policy.get("connect-src"), "'self'")
      assert.strictEqual(policy.get("frame-ancestors"), "'none'")
      assert.notMatch([...policy.values()].join(" "), /https?:|\*/)
    })
  )

  it.effect("takes GET, HEAD and OPTIONS, without a key", () =>
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
