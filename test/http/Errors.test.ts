/** Errors that teach: each names the parameter that is wrong, lists every fault, and suggests the nearest value. */
import { readFileSync } from "node:fs"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { statusOf } from "../../src/http/Errors.ts"
import { ApiUnderTest, apiLayer } from "../support/http/api.ts"
import { refused } from "./refused.ts"

type Json = Readonly<Record<string, unknown>>

const WEBHOOK = "wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE"

layer(apiLayer(), { excludeTestServices: true })("an error names what is wrong", (it) => {
  /** A suggestion, which the message repeats; or a part of the message of an error without one. */
  type Said = string | RegExp
  const said = (error: Json, param: string | undefined, expected: Said) => {
    assert.strictEqual(error["param"], param, JSON.stringify(error))
    if (typeof expected === "string") {
      assert.strictEqual(error["suggestion"], expected, JSON.stringify(error))
      assert.match(String(error["message"]), /; did you mean \S+\?$/)
      assert.include(error["message"], expected)
    } else {
      assert.match(String(error["message"]), expected)
      assert.notProperty(error, "suggestion")
    }
  }

  const webhook = { url: "https://example.com/hook", event_types: ["payment.xrp"] }
  const ADDRESS = "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxY"
  const filter = (payload_filter: unknown) => ({ payload_filter })

  /** Fields of a new webhook that is right otherwise. */
  const fields: ReadonlyArray<readonly [fields: Json, param: string, expected: Said]> = [
    [{ event_types: ["nft.*", "payment.xpr"] }, "/event_types/1", "payment.xrp"],
    [{ event_types: ["Payment.XRP"] }, "/event_types/0", "payment.xrp"],
    [{ event_types: ["nft"] }, "/event_types/0", "nft.*"],
    [{ event_types: ["everything"] }, "/event_types/0", /^event_types\[0\] must be one of .*, or \*\.$/],
    [{ event_type: ["*"] }, "/event_type", "event_types"],
    [{ eventTypes: 1 }, "/eventTypes", "event_types"],
    [{ batch: { max_event: 5, max_wait_ms: 1 } }, "/batch/max_event", "max_events"],
    [{ format: "cloudevent" }, "/format", "cloudevents"],
    [{ compression: "gzp" }, "/compression", "gzip"],
    [{ signing: ["standart"] }, "/signing/0", "standard"],
    // One wrong character of an address has no nearest one.
    [{ account_filters: [ADDRESS] }, "/account_filters/0", /valid classic XRPL address \(r…\)\.$/],
    [filter({ destination_tg: 7 }), "/payload_filter/destination_tg", "destination_tag"],
    [filter({ amount: { $gtt: 7 } }), "/payload_filter/amount/$gtt", "$gt"],
    [filter({ taxon: 7 }), "/payload_filter/taxon", /these have it: nft\.minted/],
    [{ url: "http://example.com" }, "/url", /^url must .* \(its operator can: DELIVERY_ALLOW_HTTP=true\)\.$/],
    [{ url: "https://10.0.0.1" }, "/url", /\(its operator can: DELIVERY_ALLOW_PRIVATE_ADDRESSES=true\)\.$/],
    [{ url: "ftp://example.com" }, "/url", /^url must be an https URL\.$/],
    [{ network: "testnet" }, "/network", /^network must be mainnet with a live key\.$/],
    [{ network: "mainet" }, "/network", "mainnet"],
    [{ signing: ["standard"], secret: "0123456789abcdef" }, "/secret", /^secret must .* contains standard\.$/]
  ]
  for (const [given, param, expected] of fields)
    it.effect(`of a new webhook: ${JSON.stringify(given)}`, () =>
      Effect.map(refused("POST", "/v1/webhooks", { ...webhook, ...given }), (error) =>
        said(error, param, expected)
      )
    )

  const FIRST = "2026-01-01T00:00:00Z"
  const SECOND = "2026-01-02T00:00:00Z"
  const id = WEBHOOK
  const hash = "A".repeat(64)
  const event_ids = [`xrpl:1:${hash}:payment.xrp`]

  const requests: ReadonlyArray<
    readonly [request: string, body: unknown, param: string | undefined, expected: Said]
  > = [
    ["GET /v1/events?event_type=nft.*&event_type=check.cashd", undefined, "event_type", "check.cashed"],
    ["GET /v1/webhooks?stauts=active", undefined, "stauts", "status"],
    ["GET /v1/webhooks?status=activ", undefined, "status", "active"],
    ["GET /v1/deliveries?status=retryng", undefined, "status", "retrying"],
    ["GET /v1/account?limit=5", undefined, "limit", /^This path accepts no query parameters\.$/],
    ["GET /v1/webhooks?limit=1&limit=2", undefined, "limit", /^limit must be given once\.$/],
    ["GET /v1/webhooks?search=%00", undefined, "search", /^search must not contain NUL/],
    ["GET /v1/webhooks?cursor=abc", undefined, "cursor", /^cursor must be/],
    ["GET /v1/events?network=testnet", undefined, "network", /^network must be mainnet with a live key\.$/],
    [`GET /v1/events?since=${SECOND}&until=${FIRST}`, undefined, "since", /^since must be before until\.$/],
    [
      "GET /v1/events?ledger_index_min=2&ledger_index_max=1",
      undefined,
      "ledger_index_min",
      /must not be above/
    ],
    [`PATCH /v1/webhooks/${id}`, filter({ $or: [{ a: 1 }] }), "/payload_filter/$or/0/a", /is not a field/],
    [
      "POST /v1/replay",
      { webhook_id: id, filters: filter({ amuont: 1 }) },
      "/filters/payload_filter/amuont",
      "amount"
    ],
    [
      "POST /v1/replay",
      { webhook_id: id, filters: { since: SECOND, until: FIRST } },
      "/filters/since",
      /^filters\.since must be/
    ],
    ["POST /v1/replay", { webhook_id: id, event_ids }, "/webhook_id", /^There is no webhook wh_/],
    [
      "POST /v1/deliveries/retry",
      { webhook_id: id, since: SECOND, until: FIRST },
      "/since",
      /^since must be/
    ],
    [
      "POST /v1/api-keys",
      { name: "a", scopes: ["admin"], expires_at: FIRST },
      "/expires_at",
      /in the future\.$/
    ],
    ["POST /v1/api-keys", { name: "a", scopes: ["admn"] }, "/scopes/0", "admin"],
    ["PUT /v1/account/notices", { url: "http://example.com" }, "/url", /DELIVERY_ALLOW_HTTP/],
    [
      "PUT /v1/account/notices",
      { url: webhook.url, types: ["webhook.failling"] },
      "/types/0",
      "webhook.failing"
    ],
    ["POST /v1/webhooks", "[]", "", /^The request body must be a JSON object\.$/],
    ["POST /v1/webhooks", "{", "", /valid JSON/],
    ["POST /v1/webhooks", '{"url": "a\\u0000"}', "/url", /^url must not contain NUL/],
    [`GET /v1/webhooks/${id}`, undefined, "id", /^There is no webhook wh_/],
    [
      `GET /v1/explain?transaction=${hash}&webhook_id=${id}`,
      undefined,
      "webhook_id",
      /^There is no webhook wh_/
    ],
    [
      `GET /v1/events/stream?last_event_id=${event_ids[0]}`,
      undefined,
      "last_event_id",
      /RETENTION_EVENTS\.$/
    ],
    ["GET /readyz/databse", undefined, "part", "database"],
    ["GET /v1/webhoks", undefined, undefined, "/v1/webhooks"],
    [`GET /v1/webhook/${id}`, undefined, undefined, "/v1/webhooks/{id}"],
    ["GET /v1/webhooks/", undefined, undefined, "/v1/webhooks"],
    ["GET /v1/receivers", undefined, undefined, /for the paths of this API\.$/],
    ["GET /openapi.jsn", undefined, undefined, "/openapi.json"]
  ]
  for (const [request, body, param, expected] of requests)
    it.effect(`${request} ${body === undefined ? "" : JSON.stringify(body)}`, () => {
      const [method, path] = request.split(" ") as [string, string]
      return Effect.map(refused(method, path, body), (error) => said(error, param, expected))
    })

  it.effect("a header that is wrong is named", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const keyless = yield* api.call("GET", "/v1/webhooks")
      assert.strictEqual(keyless.body.error.param, "X-Service-Key")
      const key = { "idempotency-key": "é".repeat(300) }
      assert.strictEqual((yield* refused("POST", "/v1/webhooks", webhook, key)).param, "Idempotency-Key")
      const text = { "content-type": "text/plain" }
      assert.strictEqual((yield* refused("POST", "/v1/webhooks", "a", text)).param, "Content-Type")
      const last = { "last-event-id": "x" }
      const error = yield* refused("GET", "/v1/events/stream", undefined, last)
      assert.strictEqual(error.param, "last-event-id")
    })
  )

  it.effect("faults are listed in the order of the request, those of its path and query first", () =>
    Effect.gen(function* () {
      const error = yield* refused("PATCH", "/v1/webhooks/wh_1", {
        format: "x",
        event_types: ["payment.xpr", 5, "nft.mintd"],
        url: 5
      })
      assert.deepStrictEqual(
        error.errors.map(({ param, suggestion }: Json) => [param, suggestion]),
        [
          ["id", undefined],
          ["/format", undefined],
          ["/event_types/1", undefined],
          ["/url", undefined]
        ]
      )
      const typed = yield* refused("POST", "/v1/webhooks", { event_types: ["payment.xpr", "nft.mintd", "x"] })
      assert.deepStrictEqual(
        typed.errors.map(({ param, suggestion }: Json) => [param, suggestion]),
        [
          ["/event_types/0", "payment.xrp"],
          ["/event_types/1", "nft.minted"],
          ["/event_types/2", undefined],
          ["/url", undefined]
        ]
      )
    })
  )

  it.effect("what handlers find wrong is listed together too", () =>
    Effect.gen(function* () {
      const body = { url: "http://localhost", event_types: ["*"], network: "testnet", signing: ["standard"] }
      const error = yield* refused("POST", "/v1/webhooks", { ...body, secret: "0123456789abcdef" })
      assert.deepStrictEqual(
        error.errors.map(({ param }: Json) => param),
        ["/url", "/network", "/secret"]
      )
      const filtered = yield* refused("POST", "/v1/webhooks", {
        url: "https://example.com",
        event_types: ["payment.xrp"],
        payload_filter: { amuont: 1, $or: [{ sendr: "x" }, { amount: true }], amount: "1" }
      })
      assert.deepStrictEqual(
        filtered.errors.map(({ param, suggestion }: Json) => [param, suggestion]),
        [
          ["/payload_filter/amuont", "amount"],
          ["/payload_filter/$or/0/sendr", "sender"],
          ["/payload_filter/$or/1/amount", undefined]
        ]
      )
    })
  )

  it.effect("an error is small, whatever the request, and repeats no value", () =>
    Effect.gen(function* () {
      const SECRET = "do-not-show-me"
      const long = "k".repeat(100_000)
      const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`${SECRET.length}_${i}`, 1]))
      for (const body of [
        { ...webhook, [long]: 1 },
        { ...webhook, ...many },
        { ...webhook, event_types: new Array(40_000).fill(5) },
        { ...webhook, event_types: new Array(40_000).fill(SECRET) },
        { ...webhook, headers: { [long]: SECRET } },
        { ...webhook, secret: `${SECRET} ` },
        { ...webhook, headers: { "X-Key": `${SECRET}\n` } },
        { ...webhook, signing: [SECRET], format: SECRET, url: SECRET, network: SECRET },
        { ...webhook, payload_filter: { [long]: SECRET } },
        { ...webhook, payload_filter: many },
        `{"a": ${"[".repeat(50_000)}"\\u0000"${"]".repeat(50_000)}}`
      ]) {
        const error = yield* refused("POST", "/v1/webhooks", body)
        assert.isAtMost(error.errors.length, 20)
        assert.isBelow(JSON.stringify(error).length, 20_000, error.message.slice(0, 200))
        assert.notInclude(JSON.stringify(error), SECRET)
      }
      for (const path of [`/v1/webhooks?${long.slice(0, 8_000)}=1`, `/v1/account?${long.slice(0, 8_000)}`])
        assert.isBelow(JSON.stringify(yield* refused("GET", path)).length, 2_000)
    })
  )
})

layer(apiLayer(), { excludeTestServices: true })("the page of an error", (it) => {
  it.effect("is served, with the place that doc_url names", () =>
    Effect.gen(function* () {
      const { text } = yield* (yield* ApiUnderTest).call("GET", "/docs/errors")
      for (const code of Object.keys(statusOf)) assert.include(text, `id="${code.toLowerCase()}"`)
    })
  )
})

describe("docs/errors.md", () => {
  it("has a section for each code, with its status and what to do", () => {
    const sections = readFileSync("docs/errors.md", "utf8").split(/^### /m).slice(1)
    const shown = sections.map((text) =>
      /^(\w+)\n\nStatus (\d{3})\. .*\*\*What to do\*\*: /s.exec(text)?.slice(1)
    )
    assert.deepStrictEqual(
      shown.map((one) => one?.join(" ")).sort(),
      Object.entries(statusOf)
        .map((one) => one.join(" "))
        .sort()
    )
  })
})

describe("an error of a service that watches no mainnet", () => {
  it.live("names the setting", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { key } = yield* api.account()
      const body = { url: "https://example.com", event_types: ["*"] }
      const created = yield* api.call("POST", "/v1/webhooks", { key, body })
      assert.match(created.body.error.message, /\(its operator can change this: XRPL_MAINNET_URLS\)/)
      assert.strictEqual(created.body.error.param, "/network")
      const stream = yield* api.call("GET", "/v1/events/stream", { key })
      assert.deepStrictEqual(stream.body.error.message, created.body.error.message)
    }).pipe(Effect.provide(apiLayer({ XRPL_MAINNET_URLS: "" })))
  )
})
