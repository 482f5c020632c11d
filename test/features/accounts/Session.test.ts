/** Signing in to the dashboard, by real HTTP: cookies, the header that other sites cannot send, and how a session ends. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { SessionStore } from "../../../src/features/accounts/SessionStore.ts"
import { keySha256 } from "../../../src/spine/domain/ApiKey.ts"
import { ApiUnderTest, anotherServer, apiLayer, assertErrorBody } from "../../support/http/api.ts"

const FROM_DASHBOARD = { "x-requested-with": "ledgerhook" }

const signIn = Effect.fnUntraced(function* (body: object, headers: Readonly<Record<string, string>> = {}) {
  const answer = yield* (yield* ApiUnderTest).call("POST", "/v1/session", { body, headers })
  const [cookie = ""] = answer.headers.getSetCookie()
  return { ...answer, cookie, pair: cookie.split(";", 1)[0]! }
})

/** Asks for the account with cookies as the dashboard does. */
const withCookies = Effect.fnUntraced(function* (
  pairs: ReadonlyArray<string>,
  headers: Readonly<Record<string, string>> = FROM_DASHBOARD
) {
  const api = yield* ApiUnderTest
  return yield* api.call("GET", "/v1/account", { headers: { cookie: pairs.join("; "), ...headers } })
})

const linkFor = Effect.fnUntraced(function* (key: string, nowMs = Date.now()) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{
    readonly id: string
  }>`SELECT id FROM api_keys WHERE key_sha256 = ${keySha256(key)}`
  return yield* (yield* SessionStore).makeLink(row!.id, "live", nowMs)
})

layer(apiLayer(), { excludeTestServices: true })("a session", (it) => {
  it.effect("is a cookie that scripts, other sites and other hosts do not get, without the key in it", () =>
    Effect.gen(function* () {
      const { key } = yield* (yield* ApiUnderTest).account()
      const { cookie, headers, status, text } = yield* signIn({ key })
      assert.deepStrictEqual([status, text], [204, ""])
      assert.match(
        cookie,
        /^ledgerhook-live=[A-Za-z0-9]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/
      )
      assert.strictEqual(headers.get("cache-control"), "no-store")
      // A page that was loaded by TLS, also by that of a proxy.
      const secure = yield* signIn({ key }, { origin: "https://hooks.example.com" })
      assert.match(
        secure.cookie,
        /^__Host-ledgerhook-live=[A-Za-z0-9]{43}; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Strict$/
      )
      assert.strictEqual((yield* withCookies([secure.pair])).status, 200)
      // The next sign-in of the browser ends the session before.
      const next = yield* signIn({ key }, { cookie: secure.pair })
      assert.strictEqual((yield* withCookies([secure.pair])).status, 401)
      assert.strictEqual((yield* withCookies([next.pair])).status, 200)
    })
  )

  it.effect("makes requests as its key does, on every server", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { accountId } = yield* api.account()
      const key = yield* api.keyFor(accountId, "live", ["webhooks:read"])
      const { pair } = yield* signIn({ key })
      const { body, headers } = yield* withCookies([pair])
      assert.deepStrictEqual([body.id, body.key.scopes], [accountId, ["webhooks:read"]])
      assert.isAbove(Number(headers.get("x-ratelimit-remaining")), 0)
      const call = { headers: { cookie: pair, ...FROM_DASHBOARD } }
      const second = yield* anotherServer
      assert.strictEqual((yield* second.call("GET", "/v1/webhooks", call)).status, 200)
      assert.strictEqual((yield* second.call("GET", "/v1/api-keys", call)).status, 403)
    })
  )

  it.effect("of another account in this browser refuses a sign-in until the viewer has decided", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const [mine, other] = [yield* api.account(), yield* api.account()]
      const { pair } = yield* signIn({ key: mine.key })
      const link = yield* linkFor(other.key)
      for (const body of [{ key: other.key }, { link }]) {
        for (const headers of [{}, FROM_DASHBOARD]) {
          const { body: answer, cookie, status } = yield* signIn(body, { cookie: pair, ...headers })
          assert.deepStrictEqual([status, cookie], [409, ""])
          assertErrorBody(answer, "SESSION_OF_ANOTHER_ACCOUNT")
          const { signed_in, wanted } = answer.error.accounts
          assert.deepStrictEqual([signed_in.id, wanted.id], [mine.accountId, other.accountId])
          for (const { name } of [signed_in, wanted]) assert.include(answer.error.message, name)
        }
        // Another site may cause a request, but not with this header.
        assert.strictEqual((yield* signIn({ ...body, replace: true }, { cookie: pair })).status, 409)
      }
      assert.strictEqual((yield* withCookies([pair])).body.id, mine.accountId)
      const replaced = yield* signIn({ link, replace: true }, { cookie: pair, ...FROM_DASHBOARD })
      assert.strictEqual(replaced.status, 204)
      assert.strictEqual((yield* withCookies([replaced.pair])).body.id, other.accountId)
      assert.strictEqual((yield* withCookies([pair])).status, 401)
      // One that has ended asks nothing, also if it ended with its key.
      assert.strictEqual((yield* signIn({ key: mine.key }, { cookie: pair })).status, 204)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE api_keys SET expires_at = now() WHERE key_sha256 = ${keySha256(other.key)}`
      assert.strictEqual((yield* signIn({ key: mine.key }, { cookie: replaced.pair })).status, 204)
    })
  )

  it.effect("is opened by keys and links alone, each in its own place", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { key } = yield* api.account()
      const { pair } = yield* signIn({ key })
      const token = pair.split("=")[1]!
      const link = yield* linkFor(key)
      const noKeys = [`link ${link}`, link, `session ${token}`, token]
      for (const header of noKeys) {
        for (const headers of [{ "x-service-key": header }, { authorization: `Bearer ${header}` }])
          assert.strictEqual((yield* api.call("GET", "/v1/account", { headers })).status, 401, header)
        assert.strictEqual((yield* signIn({ key: header })).status, 401, header)
      }
      for (const wrong of [key, token, `session ${token}`])
        assert.strictEqual((yield* signIn({ link: wrong })).status, 401, wrong)
      assert.strictEqual((yield* withCookies([`ledgerhook-live=${key}`])).status, 401)
      // None of it has used the link up.
      assert.strictEqual((yield* signIn({ link })).status, 204)
    })
  )

  it.effect("is opened with at most 1 KiB", () =>
    Effect.gen(function* () {
      const { status } = yield* signIn({ key: "x".repeat(1_024) })
      assert.strictEqual(status, 413)
    })
  )

  it.effect("is of no use to a page of another site", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { key } = yield* api.account()
      const { pair } = yield* signIn({ key })
      const origin = "https://evil.example"
      // What a form, an image or a simple request could send, if a browser sent the cookie with it.
      for (const [method, headers] of [
        ["GET", {}],
        ["HEAD", {}],
        ["POST", { "content-type": "text/plain" }],
        ["GET", { "x-requested-with": "XMLHttpRequest" }]
      ] as const) {
        const answer = yield* api.call(method, "/v1/webhooks", {
          headers: { cookie: pair, origin, ...headers }
        })
        assert.strictEqual(answer.status, 401)
        assert.isNull(answer.headers.get("access-control-allow-origin"))
        if (method === "HEAD") continue
        assertErrorBody(answer.body, "UNAUTHORIZED")
        assert.match(answer.body.error.message, /needs the header X-Requested-With: ledgerhook/)
      }
      // The browser asks first whether it may send the header, and gets no permission.
      for (const path of ["/v1/webhooks", "/v1/session"]) {
        const preflight = yield* api.call("OPTIONS", path, {
          headers: {
            origin,
            "access-control-request-method": "DELETE",
            "access-control-request-headers": "x-requested-with"
          }
        })
        assert.deepStrictEqual(
          [...preflight.headers.keys()].filter((name) => name.startsWith("access-control")),
          []
        )
      }
      assert.strictEqual(
        (yield* api.call("DELETE", "/v1/session", { headers: { cookie: pair, origin } })).status,
        401
      )
      // A form cannot sign a viewer in with an account of its own.
      const form = { "content-type": "text/plain", origin }
      const forged = yield* api.call("POST", "/v1/session", { body: JSON.stringify({ key }), headers: form })
      assert.deepStrictEqual([forged.status, forged.headers.getSetCookie()], [415, []])
      assert.strictEqual((yield* withCookies([pair])).status, 200)
    })
  )

  it.effect("is one of two: the request says whether it uses the live or the test one", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { accountId, key } = yield* api.account()
      const live = yield* signIn({ key })
      const test = yield* signIn({ key: yield* api.keyFor(accountId, "test") })
      assert.match(test.cookie, /^ledgerhook-test=/)
      const environment = (pairs: ReadonlyArray<string>, named?: string) =>
        withCookies(pairs, { ...FROM_DASHBOARD, ...(named && { "x-service-environment": named }) }).pipe(
          Effect.map(({ body, status }) => (status === 200 ? body.key.environment : status))
        )
      const both = [live.pair, test.pair]
      assert.strictEqual(yield* environment(both), "live")
      assert.strictEqual(yield* environment(both, "test"), "test")
      assert.strictEqual(yield* environment([test.pair]), "test")
      // Never the other one instead.
      assert.strictEqual(yield* environment([test.pair], "live"), 401)
      assert.strictEqual(yield* environment(both, "other"), 401)
    })
  )

  it.effect("gives way to an API key in a header, also to a wrong one", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { key } = yield* api.account()
      const { pair } = yield* signIn({ key })
      const other = yield* api.account("test")
      const call = (given: string) =>
        api.call("GET", "/v1/account", { key: given, headers: { cookie: pair } })
      assert.strictEqual((yield* call(other.key)).body.id, other.accountId)
      assert.strictEqual((yield* call(`${other.key}x`)).status, 401)
    })
  )

  it.effect("ends when the viewer signs out, of one environment or of both, and the cookies go", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { accountId, key } = yield* api.account()
      const live = yield* signIn({ key })
      const test = yield* signIn({ key: yield* api.keyFor(accountId, "test") })
      const signOut = (headers: object) =>
        api.call("DELETE", "/v1/session", {
          headers: { cookie: `${live.pair}; ${test.pair}`, ...FROM_DASHBOARD, ...headers }
        })
      const one = yield* signOut({ "x-service-environment": "test" })
      assert.deepStrictEqual(
        [one.status, one.headers.getSetCookie()],
        [204, ["ledgerhook-test=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict"]]
      )
      assert.strictEqual((yield* withCookies([test.pair])).status, 401)
      assert.strictEqual((yield* withCookies([live.pair])).status, 200)
      const rest = yield* signOut({ origin: "https://hooks.example.com" })
      assert.deepStrictEqual(
        rest.headers.getSetCookie().map((cookie) => cookie.split("=", 1)[0]),
        ["ledgerhook-live", "__Host-ledgerhook-live", "ledgerhook-test", "__Host-ledgerhook-test"]
      )
      const ended = yield* withCookies([live.pair])
      assert.deepStrictEqual(
        [ended.status, ended.body.error.message],
        [401, "The session has ended; sign in again."]
      )
      assert.strictEqual((yield* signOut({})).status, 204)
      assert.strictEqual((yield* api.call("DELETE", "/v1/session")).status, 204)
    })
  )

  it.effect("ends at the next request after its key was revoked, and sees its account's suspension", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const sql = yield* SqlClient.SqlClient
      const { accountId, key } = yield* api.account()
      const { pair } = yield* signIn({ key })
      yield* sql`UPDATE accounts SET suspended_at = now() WHERE id = ${accountId}`
      assert.strictEqual((yield* withCookies([pair])).status, 403)
      assert.strictEqual((yield* signIn({ key })).status, 403)
      yield* sql`UPDATE accounts SET suspended_at = NULL WHERE id = ${accountId}`
      const { body } = yield* withCookies([pair])
      yield* api.call("DELETE", `/v1/api-keys/${body.key.id}?self=true`, { key })
      assert.strictEqual((yield* withCookies([pair])).status, 401)
    })
  )

  it.effect(
    "is not given for what is no key: one answer for every wrong one, which counts for no account",
    () =>
      Effect.gen(function* () {
        const api = yield* ApiUnderTest
        const { key } = yield* api.account("live", "developer")
        const answers = yield* Effect.forEach([`${key}x`, "nothing", "svc_live_x"], (wrong) =>
          signIn({ key: wrong })
        )
        for (const { body, cookie, status } of answers) {
          assert.deepStrictEqual([status, cookie], [401, ""])
          assert.strictEqual(body.error.message, answers[0]!.body.error.message)
          assert.strictEqual(body.error.param, "/key")
        }
        for (const body of [{}, { key, link: "x" }, { key: "" }, { key: "x".repeat(257) }, { password: "x" }])
          assert.strictEqual((yield* signIn(body)).status, 400, JSON.stringify(body))
        // Signing in is a request of the key.
        const left = yield* api.call("GET", "/v1/account", { key })
        assert.strictEqual(left.headers.get("x-ratelimit-remaining"), "59")
        yield* signIn({ key })
        const afterwards = yield* api.call("GET", "/v1/account", { key })
        assert.strictEqual(afterwards.headers.get("x-ratelimit-remaining"), "57")
      })
  )

  it.effect("cannot be begun beyond the requests that its key may make", () =>
    Effect.gen(function* () {
      const { key } = yield* (yield* ApiUnderTest).account("live", "developer")
      const statuses = yield* Effect.forEach(Array.from({ length: 61 }), () => signIn({ key }))
      assert.deepStrictEqual([...new Set(statuses.slice(0, 60).map(({ status }) => status))], [204])
      assert.strictEqual(statuses[60]?.status, 429)
      assert.isNotNull(statuses[60]?.headers.get("retry-after"))
    })
  )

  it.effect("begins with a link once, also if two requests race for it on two servers", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { accountId, key } = yield* api.account()
      const link = yield* linkFor(key)
      const second = yield* anotherServer
      const answers = yield* Effect.all(
        [api, second].map(({ call }) => call("POST", "/v1/session", { body: { link } })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [204, 401])
      const [cookie] = answers.flatMap(({ headers }) => headers.getSetCookie())
      assert.strictEqual((yield* withCookies([cookie!.split(";", 1)[0]!])).body.id, accountId)
      const late = yield* linkFor(key, Date.now() - 10 * 60_000)
      for (const wrong of [link, late, key]) {
        const { body, status } = yield* signIn({ link: wrong })
        assert.deepStrictEqual([status, body.error.param], [401, "/link"])
      }
    })
  )
})
