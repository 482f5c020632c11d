/**
 * Every operation of the contract × every scope × every kind of wrong request, over HTTP. The operations are the
 * published document's, so the matrix covers new ones too; `resources` makes what they need.
 */
import { gzipSync } from "node:zlib"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { EventIndex } from "../../src/features/events/EventIndex.ts"
import type { TransactionIndex } from "../../src/features/events/TransactionIndex.ts"
import { Limits } from "../../src/spine/config/Limits.ts"
import { scopes } from "../../src/spine/domain/ApiKey.ts"
import type { Log } from "../../src/spine/log/Log.ts"
import { randomId } from "../../src/spine/words/Ids.ts"
import { recordTransaction } from "../features/events/transactions.ts"
import { eventOf } from "../support/deliver/events.ts"
import { type Answer, ApiUnderTest, apiLayer, assertErrorBody, type Call } from "../support/http/api.ts"
import { examplesOf, mismatches, type Operation, operations } from "../support/http/openApi.ts"

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]

const unique = (
  (next) => () =>
    ++next
)(0)

interface Client {
  readonly call: (method: string, path: string, call?: Call) => Effect.Effect<Answer>
}

const created = (client: Client, path: string, body: unknown, field: string) =>
  Effect.map(client.call("POST", path, { body }), (answer): string => {
    assert.isBelow(answer.status, 300, answer.text)
    return answer.body[field]
  })

const newWebhook = (client: Client) =>
  created(client, "/v1/webhooks", { url: "https://example.com/hook", event_types: ["*"] }, "id")

const newEvent = (network: "mainnet" | "testnet") =>
  Effect.gen(function* () {
    const events = yield* EventIndex
    const event = eventOf({ network, ledgerIndex: 90_000_000 + unique() })
    yield* Effect.orDie(events.insert([event], Date.now()))
    return event.event_id
  })

const newReplayJob = (client: Client) =>
  Effect.gen(function* () {
    const [webhook_id, event] = [yield* newWebhook(client), yield* newEvent("mainnet")]
    return yield* created(client, "/v1/replay", { webhook_id, event_ids: [event] }, "job_id")
  })

const newIncident = (client: Client) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const webhook = yield* newWebhook(client)
    const id = randomId("inc_", Date.now())
    yield* Effect.orDie(sql`
      INSERT INTO incidents (id, account_id, network, webhook_id, began_at, attempts_failed, first_delivery)
      SELECT ${id}, account_id, network, id, now(), 5, 'dlv_' FROM webhooks WHERE id = ${webhook}`)
    return id
  })

/** What the resources are made with. */
type Stores = EventIndex | TransactionIndex | Log | SqlClient.SqlClient

interface Resource<R> {
  /** The id of a resource that the client may see. */
  readonly own: (client: Client) => Effect.Effect<string, never, R>
  /** The id of a resource of another account or network, which the client may not see. */
  readonly foreign: (other: Client) => Effect.Effect<string, never, R>
  /** A well-formed id that no resource has. */
  readonly unknown: string
  /** Whether small and capital letters mean the same, as in a hash. */
  readonly anyCase?: true
}

const ofAccount = (make: (client: Client) => Effect.Effect<string>, prefix: string): Resource<never> => ({
  own: make,
  foreign: make,
  unknown: `${prefix}01J8ZQ4T7M3VXN5K2D9RFBHCAE`
})

/** The resource that a path's parameter names, by the beginning of the path. */
const resources: Readonly<Record<string, Resource<Stores>>> = {
  "/v1/webhooks": ofAccount(newWebhook, "wh_"),
  "/v1/deliveries": ofAccount(
    (client) =>
      Effect.flatMap(newWebhook(client), (id) =>
        created(client, `/v1/webhooks/${id}/test`, { event_type: "payment.xrp" }, "delivery_id")
      ),
    "dlv_"
  ),
  "/v1/api-keys": ofAccount(
    (client) => created(client, "/v1/api-keys", { name: "made", scopes: ["admin"] }, "id"),
    "key_"
  ),
  "/v1/replay": {
    own: newReplayJob,
    foreign: newReplayJob,
    unknown: "rpl_job_01J8ZQ4T7M3VXN5K2D9RFBHCAE"
  },
  "/v1/events": {
    own: () => newEvent("mainnet"),
    foreign: () => newEvent("testnet"),
    unknown: `xrpl:1:${"A".repeat(64)}:payment.xrp`
  },
  "/v1/transactions": {
    own: () => Effect.orDie(recordTransaction("mainnet")),
    foreign: () => Effect.orDie(recordTransaction("testnet")),
    unknown: "A".repeat(64),
    anyCase: true
  },
  "/v1/incidents": { own: newIncident, foreign: newIncident, unknown: "inc_01J8ZQ4T7M3VXN5K2D9RFBHCAE" },
  // Parts of the process belong to no account.
  "/readyz": {
    own: () => Effect.succeed("database"),
    foreign: () => Effect.succeed("ledger.mainnet"),
    unknown: "nothing"
  }
}

const NOTICES = "/v1/account/notices"

const PARAMETER = /\{\w+\}/

const resourceOf = ({ path }: Operation): Resource<Stores> => {
  const resource = resources[path.slice(0, path.indexOf("/{"))]
  return resource ?? assert.fail(`what does the parameter of ${path} name? (resources)`)
}

/** The document's example. If it names a webhook or a key, an existing one replaces it. */
const exampleBody = ({ requestBody }: Operation, client: Client, key: string) =>
  Effect.gen(function* () {
    const [media] = Object.values(requestBody?.content ?? {})
    if (media === undefined) return {}
    const body = Object(examplesOf(media)[0])
    if ("key" in body) return { body: { ...body, key } }
    return { body: "webhook_id" in body ? { ...body, webhook_id: yield* newWebhook(client) } : body }
  })

/** The operation's required query parameters, with the document's examples as values. */
const requiredQuery = ({ parameters }: Operation): string => {
  const required = parameters.filter((parameter) => parameter.in === "query" && parameter.required === true)
  return required.length === 0
    ? ""
    : `?${required.map(({ example, name }) => `${name}=${encodeURIComponent(String(example))}`).join("&")}`
}

const takenAt = (path: string): ReadonlyArray<string> =>
  operations.filter((one) => one.path === path).map(({ method }) => method)

const allowAt = (path: string): string => {
  const taken = takenAt(path)
  return [...taken, ...(taken.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ")
}

/** Every error response, also when no operation matches. */
const assertFailure = (answer: Answer, status: number, code: string, keyed = true) => {
  assert.strictEqual(answer.status, status, answer.text)
  assertErrorBody(answer.body, code)
  assert.match(answer.headers.get("x-request-id") ?? "", /^[!-~]{1,128}$/)
  assert.strictEqual(answer.headers.has("x-ratelimit-remaining"), keyed && status !== 401)
}

/** The names of the headers, without those of the connection: fetch closes it after HEAD. */
const headersOf = ({ headers }: Answer): ReadonlyArray<string> =>
  [...headers.keys()]
    .filter((name) => !["connection", "keep-alive", "transfer-encoding"].includes(name))
    .sort()

/** An account's client for one operation: every response is checked against the document. */
const clientFor = (operation: Operation) =>
  Effect.gen(function* () {
    const api = yield* ApiUnderTest
    const { accountId, key } = yield* api.account()
    const client: Client = { call: (method, path, call) => api.call(method, path, { key, ...call }) }
    // An account has no URL for notices before it sets one.
    if (operation.path.startsWith(NOTICES))
      yield* client.call("PUT", NOTICES, { body: { url: "https://example.com/ops" } })
    const path = PARAMETER.test(operation.path)
      ? operation.path.replace(PARAMETER, yield* resourceOf(operation).own(client))
      : operation.path
    const query = requiredQuery(operation)
    const ask = (call: Call = {}, to = path + query) =>
      Effect.map(
        api.call(operation.method, to, { ...(operation.security.length > 0 && { key }), ...call }),
        (answer) => {
          assert.deepStrictEqual(mismatches(operation, answer), [], `${to} ${answer.status} ${answer.text}`)
          return answer
        }
      )
    const valid: Call = yield* exampleBody(operation, client, key)
    return { ask, valid, call: client.call, accountId, path, query, keyFor: api.keyFor, account: api.account }
  })

layer(apiLayer({ RAW_TRANSACTIONS: "true" }), { excludeTestServices: true })("every operation", (it) => {
  for (const operation of operations) {
    const { method, path: template, security } = operation
    const name = `${method} ${template}`
    const keyed = security.length > 0

    it.effect(`${name} works for an admin key, and for HEAD and OPTIONS`, () =>
      Effect.gen(function* () {
        const { ask, valid, call, path, query } = yield* clientFor(operation)
        const answer = yield* ask(valid)
        // 409 is correct too: a delivery that was just queued cannot be retried.
        assert.isTrue(answer.status < 300 || answer.status === 409, answer.text)
        if (method === "GET") {
          const head = yield* call("HEAD", path + query)
          assert.deepStrictEqual([head.status, head.text], [answer.status, ""])
          assert.deepStrictEqual(headersOf(head), headersOf(answer))
        }
        const options = yield* call("OPTIONS", path, { key: undefined })
        assert.deepStrictEqual([options.status, options.headers.get("allow")], [204, allowAt(template)])
      })
    )

    it.effect(`${name} accepts no other method and no other spelling of its path`, () =>
      Effect.gen(function* () {
        const { call, path } = yield* clientFor(operation)
        for (const other of METHODS.filter((one) => !takenAt(template).includes(one))) {
          const answer = yield* call(other, path)
          assertFailure(answer, 405, "METHOD_NOT_ALLOWED", keyed)
          assert.strictEqual(answer.headers.get("allow"), allowAt(template))
          assert.deepStrictEqual(mismatches(operation, answer), [])
        }
        for (const other of [`${path}/`, `/${path}`, path.replace(/\w/, (letter) => letter.toUpperCase())])
          assertFailure(yield* call(method, other), 404, "NOT_FOUND", other.startsWith("/v1/"))
      })
    )

    it.effect(`${name} refuses unknown query parameters and body fields`, () =>
      Effect.gen(function* () {
        const { ask, valid, path, query } = yield* clientFor(operation)
        const unheard = yield* ask(valid, `${path}${query === "" ? "?" : `${query}&`}unheard_of=1`)
        assertFailure(unheard, 400, "VALIDATION_ERROR", keyed)
        assert.match(unheard.body.error.message, /^unheard_of is unknown|no query parameters/)
        if (method === "GET") return
        assertFailure(yield* ask({ body: "{" }), 400, "VALIDATION_ERROR", keyed)
        assertFailure(yield* ask({ body: "[]" }), 400, "VALIDATION_ERROR", keyed)
        assertFailure(yield* ask({ body: " null\n" }), 400, "VALIDATION_ERROR", keyed)
        assertFailure(yield* ask({ body: { unheard_of: 1 } }), 400, "VALIDATION_ERROR", keyed)
        if (valid.body !== undefined) {
          const extra = yield* ask({ body: { ...Object(valid.body), unheard_of: 1 } })
          assert.match(extra.body.error.message, /^unheard_of is unknown; accepted: /)
        }
        const asText = { headers: { "content-type": "text/plain" } }
        assertFailure(yield* ask({ body: "{}", ...asText }), 415, "UNSUPPORTED_MEDIA_TYPE", keyed)
        const gzipped = yield* ask({ body: gzipSync("{}"), headers: { "content-encoding": "gzip" } })
        assertFailure(gzipped, 415, "UNSUPPORTED_MEDIA_TYPE", keyed)
        assert.match(gzipped.body.error.message, /Content-Encoding/)
        assert.strictEqual(gzipped.headers.get("accept-encoding"), "identity")
        const large = `{"a":"${"a".repeat(2 * Limits.requestBodyBytes)}"}`
        assertFailure(yield* ask({ body: large, ...asText }), 413, "PAYLOAD_TOO_LARGE", keyed)
      })
    )

    if (PARAMETER.test(template) && keyed) {
      it.effect(
        `${name} answers malformed ids, unknown ids and ids of other accounts with the right error`,
        () =>
          Effect.gen(function* () {
            const { ask, valid, account, accountId, keyFor } = yield* clientFor(operation)
            const api = yield* ApiUnderTest
            const { key } = yield* account()
            const other: Client = { call: (...[verb, path, call]) => api.call(verb, path, { key, ...call }) }
            const resource = resourceOf(operation)
            const at = (id: string) => template.replace(PARAMETER, id)
            const malformed = [
              "1",
              ...(resource.anyCase ? [] : [resource.unknown.toLowerCase()]),
              `${resource.unknown}0`,
              "%00",
              "%27--",
              "%E2%82%AC"
            ]
            for (const id of malformed) assertFailure(yield* ask(valid, at(id)), 400, "VALIDATION_ERROR")
            assertFailure(yield* ask(valid, at(resource.unknown)), 404, "NOT_FOUND")
            assertFailure(yield* ask(valid, at(yield* resource.foreign(other))), 404, "NOT_FOUND")
            const testKey = yield* keyFor(accountId, "test")
            assertFailure(yield* ask({ ...valid, key: testKey }), 404, "NOT_FOUND")
          })
      )
    }

    if (!keyed) continue

    it.effect(`${name} requires exactly its scope`, () =>
      Effect.gen(function* () {
        const { ask, valid, accountId, keyFor } = yield* clientFor(operation)
        const needed = security[0]!["apiKey"]![0]
        for (const key of [undefined, "svc_live_unknown", ""])
          assertFailure(yield* ask({ ...valid, key }), 401, "UNAUTHORIZED")
        for (const scope of scopes) {
          const key = yield* keyFor(accountId, "live", [scope])
          // The body is wrong on purpose: a request refused for it has passed the scope check and changed nothing.
          const answer = yield* ask({ key, ...(method === "GET" ? {} : { body: "{" }) })
          if (needed === undefined || scope === needed || scope === "admin") {
            assert.strictEqual(answer.status, method === "GET" ? 200 : 400, `${scope} ${answer.text}`)
          } else {
            assertFailure(answer, 403, "FORBIDDEN")
            assert.strictEqual(answer.body.error.message, `This key lacks the scope ${needed}.`)
          }
        }
      })
    )

    it.effect(`${name} answers 429 at the rate limit, and 403 if the account is suspended`, () =>
      Effect.gen(function* () {
        const { ask, valid, accountId } = yield* clientFor(operation)
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE accounts SET suspended_at = now() WHERE id = ${accountId}`
        assertFailure(yield* ask(valid), 403, "FORBIDDEN")
        yield* sql`UPDATE accounts SET requests_per_day = 1 WHERE id = ${accountId}`
        const refused = yield* ask(valid)
        assertFailure(refused, 429, "RATE_LIMITED")
        const seconds = refused.headers.get("retry-after")
        assert.strictEqual(refused.body.error.message, `Rate limit exceeded. Retry after ${seconds} seconds.`)
      })
    )
  }
})

layer(apiLayer(), { excludeTestServices: true })("a list", (it) => {
  for (const path of ["/v1/webhooks", "/v1/deliveries", "/v1/api-keys", "/v1/replay"])
    it.effect(`${path} shows its owner's resources, and none of others or of the other environment`, () =>
      Effect.gen(function* () {
        const api = yield* ApiUnderTest
        const { accountId, key } = yield* api.account()
        const listFor = (key: string) => Effect.map(api.call("GET", path, { key }), ({ text }) => text)
        const id = yield* resources[path]!.own({
          call: (method, to, call) => api.call(method, to, { key, ...call })
        })
        assert.include(yield* listFor(key), id)
        for (const other of [(yield* api.account()).key, yield* api.keyFor(accountId, "test")])
          assert.notInclude(yield* listFor(other), id)
      })
    )
})

// Each fault would be logged with its cause.
const quiet = Layer.provideMerge(apiLayer(), Logger.layer([]))

layer(quiet, { excludeTestServices: true })("a service at fault", (it) => {
  it.effect("shows only the request id after an internal error", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tables = ["webhooks", "deliveries", "delivery_totals", "events", "replay_jobs"]
      // A stream reads the log alone.
      const broken = operations.filter(
        ({ path }) =>
          /^\/v1\/(?:webhooks|deliveries|events|replay)/.test(path) && path !== "/v1/events/stream"
      )
      const clients = yield* Effect.forEach(broken, clientFor)
      yield* Effect.forEach(tables, (table) => sql`DROP TABLE ${sql(table)} CASCADE`)
      for (const { ask, valid } of clients) {
        const answer = yield* ask({ ...valid, headers: { "x-request-id": "look-for-me" } })
        assertFailure(answer, 500, "INTERNAL_ERROR")
        assert.strictEqual(
          answer.body.error.message,
          "The request failed because of a defect of the service. Report the request id look-for-me."
        )
      }
    })
  )
})
