/** The dashboard's pages and files, next to an API whose paths stay as they are. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { get, type IncomingHttpHeaders } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { brotliCompressSync, gunzipSync } from "node:zlib"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { DashboardFolder, isPagePath, prefersHtml } from "../../../src/features/dashboard/Dashboard.ts"
import { readDashboard } from "../../../src/features/dashboard/Files.ts"
import { ApiUnderTest, apiLayer } from "../../support/http/api.ts"

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
const PAGE = "<!doctype html><title>Test</title>"
const DOCS_FRAME = `<!doctype html><title></title><link rel="stylesheet" href="/assets/docs.css"><main></main>`
const SCRIPT = `console.log("${"x".repeat(2_000)}")`
const SCRIPT_PATH = "/assets/index-AAAAAAAA.js"
const bounds = { files: 10, bytes: 10_000 }

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-dashboard-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const builtDashboard = Effect.map(temporaryFolder, (folder) => {
  mkdirSync(join(folder, "assets"))
  writeFileSync(join(folder, "index.html"), PAGE)
  writeFileSync(join(folder, "index.html.br"), brotliCompressSync(PAGE))
  writeFileSync(join(folder, SCRIPT_PATH), SCRIPT)
  writeFileSync(join(folder, `${SCRIPT_PATH}.br`), brotliCompressSync(SCRIPT))
  writeFileSync(join(folder, "assets", "font-AAAAAAAA.woff2"), "font")
  writeFileSync(join(folder, "docs.html"), DOCS_FRAME)
  writeFileSync(join(folder, ".sources"), "hash")
  return folder
})

/** The path and the response exactly as on the wire. */
const raw = (path: string, headers: Record<string, string>) =>
  Effect.flatMap(ApiUnderTest, ({ url }) =>
    Effect.callback<{ status: number | undefined; headers: IncomingHttpHeaders; bytes: Buffer }>((resume) => {
      const { hostname, port } = new URL(url)
      get({ hostname, port, path, headers, agent: false }, (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk) => chunks.push(chunk))
        response.on("end", () => {
          const { statusCode: status, headers } = response
          resume(Effect.succeed({ status, headers, bytes: Buffer.concat(chunks) }))
        })
      })
    })
  )

describe("what is a page", () => {
  it("is decided by the caller's Accept header", () => {
    for (const accept of [BROWSER, "text/html", "text/html;q=0.5", "application/json, text/html"])
      assert.isTrue(prefersHtml(accept), accept)
    for (const accept of [undefined, "", "*/*", "application/json", "text/html;q=0.1, application/json"])
      assert.isFalse(prefersHtml(accept), accept)
    assert.isFalse(prefersHtml("text/html;q=0"))
    assert.isFalse(prefersHtml("text/html;q=x"))
  })

  it("leaves out the API's paths and names of files", () => {
    for (const path of ["/", "/webhooks", "/deliveries/dlv_1", "/events/xrpl:1:AB:nft.minted", "/documents"])
      assert.isTrue(isPagePath(path), path)
    for (const path of ["/v1", "/v1/x", "/docs/", "/openapi.json", "/robots.txt", "/assets/x", "/readyz/x"])
      assert.isFalse(isPagePath(path), path)
  })
})

describe("the files of the dashboard", () => {
  it.effect("are refused if they exceed the bounds or have no page", () =>
    Effect.gen(function* () {
      const folder = yield* builtDashboard
      assert.deepStrictEqual(
        [...readDashboard(folder, bounds).keys()].sort(),
        ["/assets/font-AAAAAAAA.woff2", SCRIPT_PATH, "/docs.html", "/index.html"].sort()
      )
      assert.throws(() => readDashboard(folder, { ...bounds, files: 5 }), "has 6 files, more than 5")
      assert.throws(() => readDashboard(folder, { ...bounds, bytes: 100 }), /bytes, more than 100/)
      rmSync(join(folder, "index.html"))
      assert.throws(() => readDashboard(folder, bounds), "has no index.html")
    })
  )
})

const served = apiLayer().pipe(Layer.provide(Layer.effect(DashboardFolder, builtDashboard)))

layer(served, { excludeTestServices: true })("dashboard", (it) => {
  it.effect("gives the documentation its frame, which is no page itself", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { text } = yield* api.call("GET", "/docs/replay")
      assert.match(
        text,
        /^<!doctype html><title>Replay · Ledgerhook<\/title><link .*<main>\s*<div class="docs">/
      )
      assert.strictEqual((yield* api.call("GET", "/docs.html")).status, 404)
    })
  )

  it.effect("answers a browser with the app at every path that is not the API's", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      for (const path of [
        "/",
        "/webhooks/wh_1/edit",
        "/deliveries?status=failed",
        "/events/xrpl:1:A:nft.minted"
      ]) {
        const { status, text, headers } = yield* api.call("GET", path, { headers: { accept: BROWSER } })
        assert.deepStrictEqual([status, text], [200, PAGE], path)
        assert.strictEqual(headers.get("content-type"), "text/html; charset=utf-8")
        assert.strictEqual(headers.get("cache-control"), "no-cache")
        assert.strictEqual(headers.get("vary"), "Accept, Accept-Encoding")
        const head = yield* api.call("HEAD", path, { headers: { accept: BROWSER } })
        assert.deepStrictEqual([head.status, head.text], [200, ""])
        const options = yield* api.call("OPTIONS", path, { headers: { accept: BROWSER } })
        assert.deepStrictEqual([options.status, options.headers.get("allow")], [204, "GET, HEAD, OPTIONS"])
        const etag = headers.get("etag")!
        // fetch accepts compressed forms, and each has its own ETag.
        const again = yield* api.call("GET", path, { headers: { accept: BROWSER, "if-none-match": etag } })
        assert.deepStrictEqual([again.status, again.text], [304, ""])
      }
    })
  )

  it.effect("leaves other callers, methods and paths to the API", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const expect = (method: string, path: string, accept: string, status: number) =>
        Effect.map(api.call(method, path, { headers: { accept } }), (answer) => {
          assert.strictEqual(answer.status, status, `${method} ${path} ${accept}`)
          return answer
        })
      for (const [method, path, accept] of [
        ["GET", "/", "*/*"],
        ["GET", "/webhooks", "application/json"],
        ["POST", "/webhooks", BROWSER],
        ["GET", "/docs/", BROWSER],
        ["GET", "/robots.txt", BROWSER],
        ["GET", "/assets/missing.js", BROWSER],
        ["GET", "/assets/.sources", BROWSER],
        ["GET", "/.sources", BROWSER],
        ["GET", "/index.html.br", BROWSER]
      ] as const) {
        const { body } = yield* expect(method, path, accept, 404)
        assert.strictEqual(body.error.code, "NOT_FOUND")
      }
      yield* expect("GET", "/v1/nowhere", BROWSER, 401)
      yield* expect("GET", "/docs", BROWSER, 200)
      yield* expect("GET", "/healthz", BROWSER, 200)
      assert.strictEqual((yield* expect("GET", "/openapi.json", BROWSER, 200)).body.openapi, "3.1.0")
    })
  )

  it.effect("never lets a spelling of a path reach the API without a key, or a file outside the build", () =>
    Effect.gen(function* () {
      for (const path of [
        "/%76%31/account",
        "/%2e%2e/package.json",
        "/../package.json",
        "/assets/../../package.json",
        "/assets/%2e%2e/.sources",
        "//v1/account",
        "/%zz"
      ]) {
        const { status, bytes } = yield* raw(path, { accept: BROWSER })
        if (status === 200) assert.strictEqual(bytes.toString(), PAGE, path)
        else assert.strictEqual(status, 404, path)
        assert.strictEqual((yield* raw(path, {})).status, 404, path)
      }
    })
  )

  it.effect("sends a file in the form that the caller accepts, to be kept for good", () =>
    Effect.gen(function* () {
      const form = (encoding: string) => raw(SCRIPT_PATH, { "accept-encoding": encoding })
      const [br, gzip, plain] = yield* Effect.all([form("gzip, br"), form("gzip"), form("identity")])
      // The bytes of the build, not compressed again.
      assert.isTrue(br.bytes.equals(brotliCompressSync(SCRIPT)))
      assert.strictEqual(gunzipSync(gzip.bytes).toString(), SCRIPT)
      assert.strictEqual(plain.bytes.toString(), SCRIPT)
      assert.deepStrictEqual(
        [br, gzip, plain].map(({ headers }) => headers["content-encoding"]),
        ["br", "gzip", undefined]
      )
      for (const { headers } of [br, gzip, plain]) {
        assert.strictEqual(headers["content-type"], "text/javascript; charset=utf-8")
        assert.strictEqual(headers["cache-control"], "public, max-age=31536000, immutable")
        assert.strictEqual(headers.vary, "Accept-Encoding")
      }
      const known = yield* raw(SCRIPT_PATH, { "accept-encoding": "br", "if-none-match": br.headers.etag! })
      assert.deepStrictEqual([known.status, known.bytes.length], [304, 0])
      const font = yield* raw("/assets/font-AAAAAAAA.woff2", { "accept-encoding": "br" })
      assert.deepStrictEqual(
        [font.headers["content-type"], font.headers["content-encoding"], font.bytes.toString()],
        ["font/woff2", undefined, "font"]
      )
    })
  )

  it.effect("forbids inline scripts, frames and other origins", () =>
    Effect.gen(function* () {
      for (const path of ["/", SCRIPT_PATH]) {
        const { headers } = yield* raw(path, { accept: BROWSER })
        const policy = String(headers["content-security-policy"]).split("; ")
        for (const rule of [
          "default-src 'self'",
          "script-src 'self'",
          "style-src 'self'",
          "object-src 'none'",
          "base-uri 'none'",
          "form-action 'none'",
          "frame-ancestors 'none'"
        ])
          assert.include(policy, rule)
        assert.notMatch(policy.join(" "), /https?:|data:|\*|unsafe-/)
        assert.strictEqual(headers["x-content-type-options"], "nosniff")
        assert.strictEqual(headers["referrer-policy"], "no-referrer")
        assert.strictEqual(headers["cross-origin-opener-policy"], "same-origin")
      }
    })
  )
})

const framed = apiLayer({
  DASHBOARD_FRAME_ANCESTORS: "https://portal.example.com,http://127.0.0.1:3000"
}).pipe(Layer.provide(Layer.effect(DashboardFolder, builtDashboard)))

layer(framed, { excludeTestServices: true })("a dashboard with frame ancestors", (it) => {
  it.effect("can be in a frame of the operator's origins only", () =>
    Effect.gen(function* () {
      const { headers } = yield* raw("/sign-in", { accept: BROWSER })
      assert.include(
        String(headers["content-security-policy"]).split("; "),
        "frame-ancestors https://portal.example.com http://127.0.0.1:3000"
      )
      assert.isUndefined(headers["x-frame-options"])
    })
  )
})

const unbuilt = apiLayer().pipe(Layer.provide(Layer.succeed(DashboardFolder, "/nonexistent")))

layer(unbuilt, { excludeTestServices: true })("a dashboard that is not built", (it) => {
  it.effect("is a page that says how to build it, beside an API that works", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const page = yield* api.call("GET", "/", { headers: { accept: BROWSER } })
      assert.strictEqual(page.status, 503)
      assert.include(page.text, "npm run dashboard:build")
      assert.match(page.headers.get("content-type") ?? "", /^text\/html/)
      assert.strictEqual((yield* api.call("GET", "/")).status, 404)
      const { key } = yield* api.account()
      assert.strictEqual((yield* api.call("GET", "/v1/account", { key })).status, 200)
    })
  )
})
