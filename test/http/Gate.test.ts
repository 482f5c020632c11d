/**
 * Every failure has the common error body, its code and its status, in the promised order of checks. Every response has
 * a request id.
 */

import { connect } from "node:net"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { appLimits } from "../../src/app/Limits.ts"
import { ApiKeyStore } from "../../src/features/accounts/ApiKeyStore.ts"
import { Limits } from "../../src/spine/config/Limits.ts"
import { type Answer, ApiUnderTest, apiLayer, assertErrorBody, type Call } from "../support/http/api.ts"

const assertError = (answer: Answer, status: number, code: string, message?: RegExp) => {
  assert.strictEqual(answer.status, status, answer.text)
  assertErrorBody(answer.body, code)
  assert.match(answer.headers.get("content-type") ?? "", /^application\/json/)
  assert.match(answer.headers.get("x-request-id") ?? "", /^[!-~]{1,128}$/)
  assert.strictEqual(answer.headers.get("cache-control"), "no-store")
  if (message !== undefined) assert.match(answer.body.error.message, message)
}

const WEBHOOK = "/v1/webhooks/wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE"
const DELIVERY = "/v1/deliveries/dlv_01J8ZQ4T7M3VXN5K2D9RFBHCAE"
const valid = { url: "https://example.com/hook", event_types: ["payment.xrp"] }
const tooLarge = `{"url":"${"a".repeat(Limits.requestBodyBytes)}"}`
/** Objects and arrays that are nested so deep in all; brackets in texts do not count. */
const nested = (depth: number) =>
  `{"event_type":"payment.xrp","payload":{"a":"${"[".repeat(200)}\\"[","b":${"[".repeat(depth - 2)}${"]".repeat(depth - 2)}}}`
const asText = { "content-type": "text/plain" }

/**
 * With a valid key: method, path, status, code, what the message says, and the rest of the call. Matrix.test.ts tries
 * what every operation refuses, ErrorParameters.test.ts each parameter and field, and Errors.test.ts what is suggested.
 */
const refusals: ReadonlyArray<readonly [string, string, number, string, RegExp, Call?]> = [
  ["GET", "/v1", 404, "NOT_FOUND", /path/],
  ["GET", "/v1/nothing", 404, "NOT_FOUND", /path/],
  ["GET", "/nothing", 404, "NOT_FOUND", /path/],
  ["GET", `/v1/webhooks/${"a".repeat(appLimits.pathSegmentLength + 1)}`, 404, "NOT_FOUND", /path/],
  ["POST", "/v1/webhooks", 413, "PAYLOAD_TOO_LARGE", /1048576 bytes/, { body: tooLarge }],
  ["POST", `${WEBHOOK}/rotate-secret`, 415, "UNSUPPORTED_MEDIA_TYPE", /json/, { body: "", headers: asText }],
  ["POST", "/v1/webhooks", 400, "VALIDATION_ERROR", /UTF-8/, { body: new Uint8Array([0x22, 0xff, 0x22]) }],
  ["POST", "/v1/webhooks", 400, "VALIDATION_ERROR", /JSON object/],
  ["POST", `${WEBHOOK}/test`, 400, "VALIDATION_ERROR", /nested more than 100 deep\./, { body: nested(101) }],
  [
    "POST",
    `${WEBHOOK}/test`,
    400,
    "VALIDATION_ERROR",
    /nested more than 100 deep\./,
    { body: nested(5_000) }
  ],
  ["POST", `${WEBHOOK}/test`, 400, "VALIDATION_ERROR", /^payload.a is unknown/, { body: nested(100) }],
  ["POST", "/v1/webhooks", 400, "VALIDATION_ERROR", /^url is required/, { body: {} }],
  ["GET", "/v1/webhooks?status=gone", 400, "VALIDATION_ERROR", /^status must be "active" or "disabled"/],
  ["GET", "/v1/webhooks?limit=0", 400, "VALIDATION_ERROR", /^limit must be an integer from 1 to 100/],
  ["GET", "/v1/webhooks?limit=101", 400, "VALIDATION_ERROR", /^limit/],
  ["GET", "/v1/webhooks?limit=1e1", 400, "VALIDATION_ERROR", /^limit/],
  ["GET", "/v1/webhooks/wh_1", 400, "VALIDATION_ERROR", /^id must be an id such as wh_/],
  ["GET", "/v1/deliveries?event_type=nft.%2A.x", 400, "VALIDATION_ERROR", /^event_type must be/],
  ["GET", "/v1/deliveries?since=2026-11-21", 400, "VALIDATION_ERROR", /^since must be an ISO 8601/],
  ["GET", "/v1/deliveries?since=2026-02-30T00:00:00Z", 400, "VALIDATION_ERROR", /^since/],
  ["GET", "/v1/deliveries?until=2026-11-21T09:30:00", 400, "VALIDATION_ERROR", /^until/],
  [
    "GET",
    "/v1/deliveries?since=2026-01-02T00:00:00Z&until=2026-01-02T01:00:00%2B01:00",
    400,
    "VALIDATION_ERROR",
    /since must be before until/
  ],
  ["POST", `${DELIVERY}/retry`, 400, "VALIDATION_ERROR", /accepts no body/, { body: { now: true } }]
]

/** The server's response to bytes that are not a request. */
const raw = (url: string, bytes: string) =>
  Effect.callback<string>((resume) => {
    let text = ""
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () => socket.write(bytes))
    socket.setEncoding("utf8")
    socket.on("data", (chunk) => {
      text += chunk
      if (text.endsWith("}")) socket.destroy()
    })
    socket.on("error", () => {})
    socket.on("close", () => resume(Effect.succeed(text)))
  })

layer(apiLayer(), { excludeTestServices: true })("gate", (it) => {
  for (const [method, path, status, code, message, call] of refusals) {
    const body = call?.body === undefined ? "" : ` ${JSON.stringify(call.body).slice(0, 40)}`
    it.effect(`${method} ${path.slice(0, 80)}${body} is ${status} ${code}`, () =>
      Effect.gen(function* () {
        const api = yield* ApiUnderTest
        const { key } = yield* api.account()
        assertError(yield* api.call(method, path, { key, ...call }), status, code, message)
      })
    )
  }

  it.effect("under /v1 the key is checked first, with the same message for every wrong key", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const keys = yield* ApiKeyStore
      const { accountId, key } = yield* api.account()
      const now = Date.now()
      const admin = { accountId, name: "test", scopes: ["admin"], environment: "live" } as const
      const expired = yield* keys.create({ ...admin, expiresAt: now - 1 }, now)
      const revoked = yield* keys.create(admin, now)
      assert.strictEqual((yield* api.call("GET", "/v1/webhooks", { key: revoked!.value })).status, 200)
      yield* keys.revoke({ accountId, environments: ["live"] }, revoked!.id, now)
      const wrong = [undefined, "svc_live_unknown", `${key}x`, ` ${key.toLowerCase()}`, "x".repeat(300)]
      const messages = new Set<string>()
      for (const one of [...wrong, expired!.value, revoked!.value]) {
        for (const [method, path] of [
          ["GET", "/v1/webhooks"],
          ["GET", "/v1/nothing"],
          ["PUT", "/v1/webhooks"]
        ] as const) {
          const answer = yield* api.call(method, path, { key: one })
          assertError(answer, 401, "UNAUTHORIZED")
          messages.add(answer.body.error.message)
        }
      }
      assert.strictEqual(messages.size, 1)
    })
  )

  it.effect("OPTIONS needs no key, and uses up no request of one", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { key } = yield* api.account("live", "developer")
      const options = (path: string, headers = {}) => api.call("OPTIONS", path, { headers })
      for (const one of [undefined, key, "svc_live_unknown"]) {
        const answer = yield* options("/v1/webhooks", one === undefined ? {} : { "x-service-key": one })
        assert.deepStrictEqual([answer.status, answer.text], [204, ""])
        assert.strictEqual(answer.headers.get("allow"), "POST, GET, HEAD, OPTIONS")
      }
      const { headers } = yield* api.call("GET", "/v1/account", { key })
      assert.strictEqual(headers.get("x-ratelimit-remaining"), "59")
      for (const path of ["/metrics", "/status", "/healthz", "/docs", "/openapi.json"])
        assert.strictEqual((yield* options(path)).headers.get("allow"), "GET, HEAD, OPTIONS")
      for (const path of ["/v1", "/v1/nothing", "/nothing", "/v1/webhooks/"])
        assertError(yield* options(path), 404, "NOT_FOUND", /path/)
    })
  )

  it.effect("a body without an announced length is bounded while it is read", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { key } = yield* api.account()
      const size = Limits.requestBodyBytes + 1
      // The body never ends, so the response must come before its end.
      const answer = yield* raw(
        api.url,
        `POST /v1/webhooks HTTP/1.1\r\nHost: test\r\nX-Service-Key: ${key}\r\nContent-Type: application/json\r\n` +
          `Transfer-Encoding: chunked\r\n\r\n${size.toString(16)}\r\n${" ".repeat(size)}\r\n`
      )
      assert.match(answer, /^HTTP\/1.1 413 /)
      assert.match(answer, /"PAYLOAD_TOO_LARGE"/)
    })
  )

  it.effect("echoes a printable request id, and generates one otherwise", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const idOf = (given: string) =>
        api
          .call("GET", "/healthz", { headers: { "x-request-id": given } })
          .pipe(Effect.map(({ headers }) => headers.get("x-request-id")))
      assert.strictEqual(yield* idOf("trace-42/ü".slice(0, 8)), "trace-42")
      assert.strictEqual(yield* idOf("x".repeat(128)), "x".repeat(128))
      for (const unusable of ["", " ", "x".repeat(129), "two words"])
        assert.match((yield* idOf(unusable)) ?? "", /^[0-9a-f-]{36}$/)
    })
  )

  it.effect("lets no cache keep what a key is shown, in whatever form it comes", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { key } = yield* api.account()
      const cacheControl = Effect.fnUntraced(function* (method: string, path: string, call?: Call) {
        const answer = yield* api.call(method, path, { key, ...call })
        return [answer.status, answer.headers.get("cache-control")]
      })
      assert.deepStrictEqual(yield* cacheControl("GET", "/v1/webhooks"), [200, "no-store"])
      assert.deepStrictEqual(yield* cacheControl("HEAD", "/v1/webhooks"), [200, "no-store"])
      assert.deepStrictEqual(yield* cacheControl("OPTIONS", "/v1/webhooks"), [204, "no-store"])
      const conditional = { headers: { "if-none-match": "*" } }
      assert.deepStrictEqual(yield* cacheControl("GET", "/v1/account", conditional), [200, "no-store"])
      const repeated = { body: valid, headers: { "idempotency-key": "once" } }
      assert.deepStrictEqual(yield* cacheControl("POST", "/v1/webhooks", repeated), [201, "no-store"])
      assert.deepStrictEqual(yield* cacheControl("POST", "/v1/webhooks", repeated), [201, "no-store"])
      const stream = yield* cacheControl("GET", "/v1/events/stream")
      assert.deepStrictEqual(stream, [200, "no-store, no-transform"])
      const document = yield* cacheControl("GET", "/openapi.json")
      assert.deepStrictEqual(document, [200, "public, max-age=300"])
    })
  )

  it.effect("answers bytes that are not HTTP with the same error body", () =>
    Effect.gen(function* () {
      const { url } = yield* ApiUnderTest
      for (const bytes of ["NONSENSE\r\n\r\n", `GET / HTTP/1.1\r\nX: ${"a".repeat(40_000)}\r\n\r\n`]) {
        const answer = yield* raw(url, bytes)
        assert.match(answer, /^HTTP\/1.1 400 /)
        assert.match(answer, /\r\nX-Request-Id: [0-9a-f-]{36}\r\n/)
        assert.match(answer, /\r\nCache-Control: no-store\r\n/)
        const body = JSON.parse(answer.slice(answer.indexOf("{")))
        assertErrorBody(body, "VALIDATION_ERROR")
        assert.strictEqual(body.error.message, "This is not a well-formed HTTP request.")
      }
    })
  )

  it.effect("refuses HTTP/1.1 without Host with the same error body, and accepts HTTP/1.0 without it", () =>
    Effect.gen(function* () {
      const { url } = yield* ApiUnderTest
      for (const path of ["/healthz", "/v1/webhooks", "/nothing"]) {
        const answer = yield* raw(url, `GET ${path} HTTP/1.1\r\n\r\n`)
        assert.match(answer, /^HTTP\/1.1 400 /)
        assert.match(answer, /\r\nx-request-id: [0-9a-f-]{36}\r\n/)
        const body = JSON.parse(answer.slice(answer.indexOf("{")))
        assertErrorBody(body, "VALIDATION_ERROR")
        assert.deepStrictEqual(
          [body.error.message, body.error.param],
          ["The request needs the header Host.", "Host"]
        )
      }
      assert.match(yield* raw(url, "GET /healthz HTTP/1.0\r\n\r\n"), /^HTTP\/1.1 200 /)
    })
  )
})
