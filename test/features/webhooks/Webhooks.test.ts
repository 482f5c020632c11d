/**
 * Webhooks over HTTP: the complete record, every refusal with its reason, and no access to other accounts or networks.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { WebhookConfig } from "../../../src/spine/domain/Webhook.ts"
import { SecretBox } from "../../../src/spine/store/secrets/SecretBox.ts"
import { ApiUnderTest, apiLayer } from "../../support/http/api.ts"

const ADDRESS = "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"
const X_ADDRESS = "X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqZ"
const valid = { url: "https://example.com/hook", event_types: ["payment.xrp"] }

/** A wrong field, and the message that refuses it. */
const wrongFields: ReadonlyArray<readonly [Record<string, unknown>, RegExp]> = [
  [{ url: 5 }, /^url must be a string/],
  [{ url: "not a url" }, /^url must not contain spaces/],
  [{ url: "example.com" }, /^url must be an absolute https URL/],
  [{ url: "http://example.com" }, /^url must be an https URL/],
  [{ url: "https://user:pass@example.com" }, /^url must not contain a user name/],
  [{ url: `https://example.com/${"a".repeat(2_048)}` }, /^url must have at most 2048/],
  [{ url: "https://127.0.0.1/" }, /^url must point to a public address/],
  [{ url: "https://0x7f.1/" }, /^url must point to a public address/],
  [{ url: "https://[::ffff:10.0.0.1]/" }, /^url must point to a public address/],
  [{ url: "https://a..b/" }, /^url must have a host name of parts/],
  [{ url: "https://example.com/#a" }, /^url must not contain a fragment/],
  [{ url: "https://localhost./" }, /^url must point to a public address/],
  [{ event_types: [] }, /^event_types must contain at least one/],
  [{ event_types: "payment.xrp" }, /^event_types must be an array/],
  [{ event_types: ["payment.xrp", "payment.gold"] }, /^event_types\[1\] must be one of the \d+ event types/],
  [{ event_types: ["*.xrp"] }, /^event_types\[0\]/],
  [
    { account_filters: [ADDRESS, `${ADDRESS.slice(0, -1)}i`] },
    /^account_filters\[1\] must be a valid classic/
  ],
  [{ account_filters: [X_ADDRESS] }, /^account_filters\[0\] must be a classic address.*X-addresses/],
  [{ account_filters: new Array(10_001).fill(ADDRESS) }, /^account_filters must contain at most 10000/],
  [{ account_filters: null }, /^account_filters must be an array/],
  [{ network: "testnet" }, /^network must be mainnet with a live key/],
  [{ network: "moonnet" }, /^network must be "mainnet", "testnet" or "devnet"/],
  [{ description: "x".repeat(501) }, /^description must have at most 500/],
  [{ description: "a\0b" }, /^description must not contain NUL/],
  [{ description: "a\ud83d" }, /^description must not contain half of a surrogate pair/],
  [{ headers: { "X-A": "a\0b" } }, /^headers must not contain NUL/],
  [{ event_types: ["payment.xrp\0"] }, /^event_types must not contain NUL/],
  [{ payload_filter: { $and: [{ tx_hash: "\0" }] } }, /^payload_filter must not contain NUL/],
  [{ secret: "short" }, /^secret must have 16 to 128 visible ASCII/],
  [{ secret: "with a space in the middle" }, /^secret/],
  [{ secret: "x".repeat(129) }, /^secret/],
  [{ headers: { "x-a": 1 } }, /^headers.x-a must be a string/],
  [{ headers: { Host: "example.org" } }, /^headers must not contain Host/],
  [{ headers: { "X-Service-Signature": "x" } }, /^headers must not contain X-Service-Signature/],
  [{ headers: { "Transfer-Encoding": "x" } }, /^headers must not contain Transfer-Encoding/],
  [{ headers: { "bad name": "x" } }, /^headers must have HTTP header names/],
  [{ headers: { "X-A": "1", "x-a": "2" } }, /^headers must contain x-a only once/],
  [
    { headers: { "X-A": "line\r\nbreak" } },
    /^headers must have a value of at most 4096 visible ASCII characters in X-A/
  ],
  [
    { headers: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`x-${i}`, ""])) },
    /at most 20 headers/
  ],
  [{ headers: { "X-A": "a".repeat(4_097) } }, /^headers must have a value of at most 4096 .* in X-A/],
  [
    { headers: { "X-A": "a".repeat(4_096), "X-B": "b".repeat(2_043) } },
    /^headers must have at most 6144 characters in all names and values together/
  ],
  [{ headers: { "Webhook-Id": "x" } }, /^headers must not contain Webhook-Id/],
  [{ headers: { "CE-Id": "x" } }, /^headers must not contain CE-Id/],
  [{ format: "cloudevent" }, /^format must be "ledgerhook" or "cloudevents"/],
  [{ include: ["memo"] }, /^include\[0\] must be "memos" or "balance_changes"/],
  [{ include: "memos" }, /^include must be an array/],
  [{ format: null }, /^format must be "ledgerhook" or "cloudevents"/],
  [{ headers: { "content-encoding": "gzip" } }, /^headers must not contain content-encoding/],
  [{ paused: "yes" }, /^paused must be a boolean/],
  [{ ordering: "fifo" }, /^ordering must be "first_attempt" or "strict"/],
  [{ compression: "br" }, /^compression must be "gzip", "zstd" or null/],
  [{ batch: { max_events: 1, max_wait_ms: 0 } }, /^batch\.max_events must be an integer from 2 to 500/],
  [{ batch: { max_events: 501, max_wait_ms: 0 } }, /^batch\.max_events must be an integer from 2 to 500/],
  [{ batch: { max_events: 2, max_wait_ms: 5_001 } }, /^batch\.max_wait_ms must be an integer from 0 to 5000/],
  [{ batch: { max_events: 2 } }, /^batch\.max_wait_ms is required/],
  [{ batch: { max_events: 2, max_wait_ms: 0, max_bytes: 9 } }, /^batch\.max_bytes/],
  [{ batch: 100 }, /^batch must be/],
  [{ signing: [] }, /^signing must contain service, standard or both/],
  [{ signing: "standard" }, /^signing must be an array/],
  [{ signing: null }, /^signing must be an array/],
  [{ signing: ["service", "v1a"] }, /^signing\[1\] must be "service" or "standard"/],
  [{ max_in_flight: 0 }, /^max_in_flight must be an integer from 1 to 256/],
  [{ max_in_flight: 1.5 }, /^max_in_flight must be an integer/],
  [{ max_in_flight: null }, /^max_in_flight must be a number/],
  [{ max_per_second: 10_001 }, /^max_per_second must be an integer from 1 to 10000/]
]

const hidden = (headers: object) => Object.fromEntries(Object.keys(headers).map((name) => [name, "***"]))

/** The webhook's records in the outbox, which the log will get, oldest first. */
const recordsOf = (id: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ readonly value: string | null }>`
      SELECT value FROM outbox WHERE topic = 'webhooks.config' AND key = ${id} ORDER BY id`
    return rows.map(({ value }) => (value === null ? null : (JSON.parse(value) as WebhookConfig)))
  })

layer(apiLayer(), { excludeTestServices: true })("webhooks", (it) => {
  for (const [field, message] of wrongFields) {
    it.effect(`refuses ${JSON.stringify(field).slice(0, 70)}`, () =>
      Effect.gen(function* () {
        const api = yield* ApiUnderTest
        const { key } = yield* api.account()
        const answer = yield* api.call("POST", "/v1/webhooks", { key, body: { ...valid, ...field } })
        assert.strictEqual(answer.status, 400, answer.text)
        assert.match(answer.body.error.message, message)
        const { data } = (yield* api.call("GET", "/v1/webhooks", { key })).body
        assert.deepStrictEqual(data, [])
      })
    )
  }

  it.effect("checks changes by the same rules, and refuses changes of network and secret", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { key } = yield* api.account()
      const { id, secret, ...before } = (yield* api.call("POST", "/v1/webhooks", { key, body: valid })).body
      const path = `/v1/webhooks/${id}`
      for (const [field, message] of [
        ...wrongFields.filter(([field]) => !("network" in field || "secret" in field)),
        [{ network: "mainnet" }, /^network is unknown; accepted: /],
        [{ secret: "0123456789abcdef" }, /^secret is unknown; accepted: /],
        [{ status: "deleted" }, /^status must be "active" or "disabled"/],
        [{ url: null }, /^url must be a string/]
      ] as const) {
        const answer = yield* api.call("PATCH", path, { key, body: field })
        assert.strictEqual(answer.status, 400, JSON.stringify(field).slice(0, 100))
        assert.match(answer.body.error.message, message)
      }
      assert.deepStrictEqual((yield* api.call("GET", path, { key })).body, { id, ...before })
    })
  )

  it.effect("returns the complete record, and the secret only at creation", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { key } = yield* api.account()
      const created = yield* api.call("POST", "/v1/webhooks", { key, body: valid })
      assert.strictEqual(created.status, 201)
      const { secret, ...record } = created.body
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
      assert.match(record.id, /^wh_[0-9A-HJKMNP-TV-Z]{26}$/)
      assert.match(record.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.deepStrictEqual(record, {
        id: record.id,
        url: "https://example.com/hook",
        description: null,
        event_types: ["payment.xrp"],
        account_filters: [],
        account_filters_count: 0,
        payload_filter: null,
        network: "mainnet",
        status: "active",
        health: record.health,
        consecutive_failures: 0,
        max_in_flight: 16,
        max_per_second: null,
        paused: false,
        ordering: "first_attempt",
        signing: ["service"],
        format: "ledgerhook",
        include: [],
        compression: null,
        batch: null,
        headers: {},
        created_at: record.created_at,
        updated_at: record.created_at,
        disabled_at: null,
        disabled_reason: null
      })
      assert.deepStrictEqual((yield* api.call("GET", `/v1/webhooks/${record.id}`, { key })).body, record)
      assert.deepStrictEqual((yield* api.call("GET", "/v1/webhooks", { key })).body, {
        data: [record],
        has_more: false,
        next_cursor: null
      })
    })
  )

  it.effect(
    "shows patterns as given, and publishes their event types and the encrypted secret to the log",
    () =>
      Effect.gen(function* () {
        const api = yield* ApiUnderTest
        const box = yield* SecretBox
        const { key, accountId } = yield* api.account()
        const values = { max_in_flight: 1, max_per_second: 10_000, paused: true, ordering: "strict" } as const
        const body = {
          url: "https://example.com/hooks?a=1",
          event_types: ["check.*", "payment.xrp", "check.*"],
          account_filters: [ADDRESS, ADDRESS],
          description: "größer 😀",
          headers: { "X-Team": "pay ments", Authorization: "Bearer abc" },
          secret: "0123456789abcdef",
          ...values,
          include: ["balance_changes", "memos", "balance_changes"]
        }
        const created = yield* api.call("POST", "/v1/webhooks", { key, body })
        const { network, status, created_at, updated_at, id, ...shown } = created.body
        assert.deepInclude(shown, {
          ...body,
          event_types: ["check.*", "payment.xrp"],
          account_filters: [ADDRESS],
          include: ["balance_changes", "memos"],
          headers: hidden(body.headers)
        })
        const [config] = yield* recordsOf(id)
        const { sealed_secret, ...rest } = config!
        assert.deepStrictEqual(rest, {
          id,
          account_id: accountId,
          network: "mainnet",
          status: "active",
          url: body.url,
          event_types: ["check.created", "check.cashed", "check.cancelled", "payment.xrp"],
          account_filters: [ADDRESS],
          headers: body.headers,
          ...values,
          include: ["balance_changes", "memos"]
        })
        assert.notInclude(JSON.stringify(config), body.secret)
        assert.strictEqual(Result.getOrThrow(box.open(sealed_secret)), body.secret)
      })
  )

  it.effect("changes only the given fields; null is a value", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { key } = yield* api.account()
      const { id, secret, ...before } = (yield* api.call("POST", "/v1/webhooks", {
        key,
        body: { ...valid, description: "old", max_per_second: 5 }
      })).body
      const patch = (body: unknown) => api.call("PATCH", `/v1/webhooks/${id}`, { key, body })
      const changed = yield* patch({
        url: "https://example.org/",
        description: null,
        max_per_second: null,
        paused: true,
        ordering: "strict",
        include: ["memos", "memos"]
      })
      assert.strictEqual(changed.status, 200)
      assert.deepStrictEqual(changed.body, {
        id,
        ...before,
        health: { ...changed.body.health, state: "paused" },
        url: "https://example.org/",
        description: null,
        max_per_second: null,
        paused: true,
        ordering: "strict",
        include: ["memos"],
        updated_at: changed.body.updated_at
      })
      assert.strictEqual((yield* patch({ url: "https://10.0.0.1/" })).status, 400)
      assert.deepStrictEqual(
        (yield* recordsOf(id)).map((config) => config?.url),
        [valid.url, "https://example.org/"]
      )
      assert.isFalse((yield* patch({ paused: false })).body.paused)
      assert.isUndefined((yield* recordsOf(id)).at(-1)?.paused)
    })
  )

  it.effect("shows when and why a webhook was disabled; enabling resets the counter", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const sql = yield* SqlClient.SqlClient
      const { key } = yield* api.account()
      const { id } = (yield* api.call("POST", "/v1/webhooks", { key, body: valid })).body
      const patch = (status: string) =>
        api
          .call("PATCH", `/v1/webhooks/${id}`, { key, body: { status } })
          .pipe(Effect.map(({ body }) => body))
      yield* sql`UPDATE webhooks SET consecutive_failures = 7 WHERE id = ${id}`
      const disabled = yield* patch("disabled")
      assert.deepInclude(disabled, {
        status: "disabled",
        consecutive_failures: 7,
        disabled_at: disabled.updated_at,
        disabled_reason: "disabled by request"
      })
      assert.strictEqual((yield* patch("disabled")).disabled_at, disabled.disabled_at)
      const listed = (status: string) =>
        api
          .call("GET", `/v1/webhooks?status=${status}`, { key })
          .pipe(Effect.map(({ body }) => body.data.length))
      assert.deepStrictEqual([yield* listed("disabled"), yield* listed("active")], [1, 0])
      assert.deepInclude(yield* patch("active"), {
        status: "active",
        consecutive_failures: 0,
        disabled_at: null,
        disabled_reason: null
      })
      assert.deepStrictEqual(
        (yield* recordsOf(id)).map((config) => config?.status),
        ["active", "disabled", "disabled", "active"]
      )
    })
  )

  it.effect("a deleted webhook is not found, and its tombstone is published", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { key } = yield* api.account()
      const { id } = (yield* api.call("POST", "/v1/webhooks", { key, body: valid })).body
      const removed = yield* api.call("DELETE", `/v1/webhooks/${id}`, { key })
      assert.deepStrictEqual([removed.status, removed.text], [204, ""])
      for (const [method, body] of [["GET"], ["PATCH", {}], ["DELETE"]] as const) {
        assert.strictEqual((yield* api.call(method, `/v1/webhooks/${id}`, { key, body })).status, 404)
      }
      assert.deepStrictEqual((yield* api.call("GET", "/v1/webhooks", { key })).body.data, [])
      assert.isNull((yield* recordsOf(id)).at(-1))
    })
  )

  it.effect("a live key sees mainnet, a test key the test networks, with servers or without", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { accountId, key: live } = yield* api.account()
      const test = yield* api.keyFor(accountId, "test")
      const create = (key: string, network?: string) =>
        api.call("POST", "/v1/webhooks", { key, body: network === undefined ? valid : { ...valid, network } })
      const onMainnet = (yield* create(live)).body
      const onTestnet = (yield* create(test)).body
      assert.deepStrictEqual([onMainnet.network, onTestnet.network], ["mainnet", "testnet"])
      assert.match((yield* create(test, "mainnet")).body.error.message, /testnet or devnet with a test key/)
      // Devnet has no servers here, so the service simulates it.
      const onDevnet = (yield* create(test, "devnet")).body
      assert.strictEqual(onDevnet.network, "devnet")
      for (const [key, seen, hidden] of [
        [live, [onMainnet.id], onTestnet.id],
        [test, [onDevnet.id, onTestnet.id], onMainnet.id]
      ] as const) {
        const { data } = (yield* api.call("GET", "/v1/webhooks", { key })).body
        assert.deepStrictEqual(
          data.map(({ id }: { id: string }) => id),
          seen
        )
        assert.strictEqual((yield* api.call("DELETE", `/v1/webhooks/${hidden}`, { key })).status, 404)
      }
    })
  )

  it.effect("pages newest first, each webhook once, and refuses a cursor of another list", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { accountId, key } = yield* api.account()
      const other = yield* api.account()
      const ids: Array<string> = []
      for (let i = 0; i < 5; i++) {
        ids.push((yield* api.call("POST", "/v1/webhooks", { key, body: valid })).body.id)
      }
      const seen: Array<string> = []
      let page = (yield* api.call("GET", "/v1/webhooks?limit=2", { key })).body
      const cursor = page.next_cursor
      while (true) {
        seen.push(...page.data.map(({ id }: { id: string }) => id))
        if (!page.has_more) break
        page = (yield* api.call("GET", `/v1/webhooks?limit=2&cursor=${page.next_cursor}`, { key })).body
      }
      assert.isNull(page.next_cursor)
      assert.deepStrictEqual(seen, [...ids].sort().reverse())
      for (const [path, as] of [
        [`/v1/webhooks?status=active&cursor=${cursor}`, key],
        [`/v1/webhooks?cursor=${cursor}`, other.key],
        [`/v1/webhooks?cursor=${cursor}`, yield* api.keyFor(accountId, "test")],
        [`/v1/deliveries?cursor=${cursor}`, key],
        [`/v1/webhooks?cursor=${cursor}x`, key]
      ] as const) {
        assert.strictEqual((yield* api.call("GET", path, { key: as })).status, 400, path)
      }
    })
  )
})

layer(apiLayer({ XRPL_MAINNET_URLS: "" }), { excludeTestServices: true })(
  "webhooks, where mainnet is not watched,",
  (it) => {
    it.effect("cannot be had with a live key", () =>
      Effect.gen(function* () {
        const api = yield* ApiUnderTest
        const { key } = yield* api.account()
        const { body, status } = yield* api.call("POST", "/v1/webhooks", { key, body: valid })
        assert.strictEqual(status, 400)
        assert.match(body.error.message, /mainnet is not watched/)
      })
    )
  }
)
