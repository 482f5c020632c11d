/** Sessions and links: used once, ended with their key, and bounded. */

import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { AccountStore } from "../../../src/features/accounts/AccountStore.ts"
import { ApiKeyStore } from "../../../src/features/accounts/ApiKeyStore.ts"
import { accountBounds } from "../../../src/features/accounts/Limits.ts"
import { SessionStore } from "../../../src/features/accounts/SessionStore.ts"
import { KeyAdmission } from "../../../src/http/guard/KeyAdmission.ts"
import {
  SESSION_MS,
  sessionCredential,
  sessionSha256,
  signInLinkSha256
} from "../../../src/spine/domain/Session.ts"
import { credentialOf } from "../../support/http/admission.ts"
import { TestDatabase } from "../../support/store/postgres.ts"

const NOW = Date.parse("2026-11-21T09:30:00.000Z")
const MINUTE_MS = 60_000

const Live = Layer.mergeAll(AccountStore.layer, KeyAdmission.layer, SessionStore.layer).pipe(
  Layer.provideMerge(ApiKeyStore.layer),
  Layer.provideMerge(TestDatabase)
)

const makeKey = Effect.fnUntraced(function* (expiresAt?: number) {
  const accountId = yield* (yield* AccountStore).create({ name: "test", email: null, plan: "developer" }, NOW)
  const key = yield* (yield* ApiKeyStore).create(
    {
      accountId,
      name: "k",
      scopes: ["events:read"],
      environment: "test",
      ...(expiresAt === undefined ? {} : { expiresAt })
    },
    NOW
  )
  return { accountId, ...key! }
})

/** The id of the key with which the token admits a request; undefined if it admits none. */
const keyOf = Effect.fnUntraced(function* (token: string, nowMs: number) {
  const credential = sessionCredential(token)
  const found = yield* (yield* KeyAdmission).admit(new Map([[credential, 1]]), nowMs)
  return found.get(credential)?.identity.keyId
})

const rows = Effect.fnUntraced(function* (keyId: string) {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`SELECT 1 FROM sessions WHERE key_id = ${keyId}`).length
})

layer(Live)("sessions", (it) => {
  it.effect("admit as their key does for 12 hours, and are deleted afterwards", () =>
    Effect.gen(function* () {
      const sessions = yield* SessionStore
      const { id } = yield* makeKey()
      const token = yield* sessions.open(id, NOW)
      const end = NOW + SESSION_MS
      assert.strictEqual(yield* keyOf(token, end - 1), id)
      assert.isUndefined(yield* keyOf(token, end))
      yield* sessions.drop(end - 1)
      assert.strictEqual(yield* rows(id), 1)
      yield* sessions.drop(end)
      assert.strictEqual(yield* rows(id), 0)
    })
  )

  it.effect("end when the viewer signs out, and when their key is revoked or expires", () =>
    Effect.gen(function* () {
      const sessions = yield* SessionStore
      const { accountId, id } = yield* makeKey()
      const expiring = yield* makeKey(NOW + MINUTE_MS)
      const [left, kept, expired] = [
        yield* sessions.open(id, NOW),
        yield* sessions.open(id, NOW),
        yield* sessions.open(expiring.id, NOW)
      ]
      yield* sessions.close(left)
      assert.isUndefined(yield* keyOf(left, NOW))
      assert.strictEqual(yield* keyOf(kept, NOW), id)
      assert.strictEqual(yield* keyOf(expired, NOW), expiring.id)
      assert.isUndefined(yield* keyOf(expired, NOW + MINUTE_MS))
      yield* (yield* ApiKeyStore).revoke({ accountId, environments: ["test"] }, id, NOW)
      assert.isUndefined(yield* keyOf(kept, NOW))
    })
  )

  it.effect("count as requests of their key, also together with the key and with one another", () =>
    Effect.gen(function* () {
      const sessions = yield* SessionStore
      const keys = yield* KeyAdmission
      const { id, value } = yield* makeKey()
      const asked = [
        credentialOf(value),
        ...[yield* sessions.open(id, NOW), yield* sessions.open(id, NOW)].map(sessionCredential)
      ]
      const found = yield* keys.admit(new Map(asked.map((credential) => [credential, 25])), NOW)
      const answers = asked.toSorted().map((credential) => found.get(credential)!)
      // A key on the plan Developer may make 60 requests a minute.
      assert.deepStrictEqual(
        answers.map(({ admitted, minute }) => [admitted, minute.usedBefore]),
        [
          [25, 0],
          [25, 25],
          [10, 50]
        ]
      )
      assert.strictEqual(
        (yield* keys.admit(new Map([[asked[0]!, 1]]), NOW)).get(asked[0]!)?.minute.usedBefore,
        60
      )
    })
  )

  it.effect("are at most 100 for a key: one more is refused, and none ends for it", () =>
    Effect.gen(function* () {
      const sessions = yield* SessionStore
      const { id } = yield* makeKey()
      const open = (nowMs: number) => sessions.open(id, nowMs)
      const many = Array.from({ length: accountBounds.sessionsPerKey + 3 }, () => Effect.result(open(NOW)))
      const opened = yield* Effect.all(many, { concurrency: 6 })
      const tokens = opened.flatMap((one) => (Result.isSuccess(one) ? [one.success] : []))
      assert.lengthOf(tokens, accountBounds.sessionsPerKey)
      assert.strictEqual(yield* rows(id), accountBounds.sessionsPerKey)
      for (const token of tokens) assert.strictEqual(yield* keyOf(token, NOW), id)
      const limit = yield* Effect.flip(sessions.makeLink(id, "test", NOW))
      assert.strictEqual(limit._tag, "SessionLimit")
      yield* sessions.close(tokens[0]!)
      yield* open(NOW)
      // Those that have ended do not count, although they are deleted later.
      yield* open(NOW + SESSION_MS)
    })
  )

  it.effect("are stored as hashes, and neither a key nor a link is a token", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const sessions = yield* SessionStore
      const { id, value } = yield* makeKey()
      const link = yield* sessions.makeLink(id, "test", NOW)
      const token = yield* sessions.open(id, NOW)
      const stored = yield* sql<{ readonly hex: string }>`
        SELECT encode(sha256, 'hex') AS hex FROM sessions WHERE key_id = ${id}`
      assert.sameMembers(
        stored.map(({ hex }) => hex),
        [signInLinkSha256(link), sessionSha256(token)]
      )
      assert.isUndefined(yield* keyOf(link, NOW))
      assert.isUndefined(yield* keyOf(value, NOW))
      assert.strictEqual(
        (yield* (yield* KeyAdmission).admit(new Map([[credentialOf(token), 1]]), NOW)).size,
        0
      )
    })
  )
})

layer(Live)("a link", (it) => {
  it.effect("begins one session, even if several requests use it at the same time", () =>
    Effect.gen(function* () {
      const sessions = yield* SessionStore
      const { id } = yield* makeKey()
      const link = yield* sessions.makeLink(id, "test", NOW)
      assert.match(link, /^link_test_[A-Za-z0-9]{43}$/)
      const used = yield* Effect.all(
        Array.from({ length: 8 }, () => sessions.redeem(link, NOW + 1)),
        { concurrency: "unbounded" }
      )
      const [first, ...others] = used.flatMap((one) => one ?? [])
      assert.deepStrictEqual(others, [])
      assert.strictEqual(first?.environment, "test")
      assert.strictEqual(yield* keyOf(first!.token, NOW + SESSION_MS), id)
      assert.isUndefined(yield* keyOf(first!.token, NOW + 1 + SESSION_MS))
    })
  )

  it.effect("is refused after 10 minutes, and if its key or its account cannot be used", () =>
    Effect.gen(function* () {
      const sessions = yield* SessionStore
      const accounts = yield* AccountStore
      const { accountId, id } = yield* makeKey()
      const links = yield* Effect.forEach([1, 2, 3], () => sessions.makeLink(id, "test", NOW))
      const redeem = (link = "", nowMs = NOW) => sessions.redeem(link, nowMs)
      assert.isUndefined(yield* redeem(links[0], NOW + accountBounds.signInLinkMs))
      assert.isDefined(yield* redeem(links[0], NOW + accountBounds.signInLinkMs - 1))
      yield* accounts.change(accountId, { suspended: true }, NOW)
      assert.isUndefined(yield* redeem(links[1]))
      yield* accounts.change(accountId, { suspended: false }, NOW)
      assert.isDefined(yield* redeem(links[1]))
      yield* (yield* ApiKeyStore).revoke({ accountId, environments: ["test"] }, id, NOW)
      assert.isUndefined(yield* redeem(links[2]))
      assert.isUndefined(yield* redeem("link_test_nobodyHasThisLink"))
    })
  )

  it.effect(
    "of the command `portal` stands for one key of the account, outside the plan's limit, until it is revoked",
    () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeyStore
        const { accountId } = yield* makeKey()
        const first = yield* keys.keyForLinks(accountId, "live", NOW)
        assert.strictEqual(yield* keys.keyForLinks(accountId, "live", NOW), first)
        assert.notStrictEqual(yield* keys.keyForLinks(accountId, "test", NOW), first)
        const owner = { accountId, environments: ["live", "test"] } as const
        const listed = (yield* keys.list(owner, undefined, 10)).filter(({ name }) => name === "sign-in links")
        assert.deepStrictEqual(
          listed.map(({ scopes }) => scopes),
          [["admin"], ["admin"]]
        )
        // The plan Developer allows five keys.
        const another = { accountId, name: "another", scopes: [], environment: "live" } as const
        for (let i = 1; i < 5; i++) assert.isDefined(yield* keys.createWithinLimits(another, NOW))
        assert.strictEqual((yield* Effect.flip(keys.createWithinLimits(another, NOW)))._tag, "KeyLimit")
        yield* keys.revoke(owner, first, NOW)
        assert.notStrictEqual(yield* keys.keyForLinks(accountId, "live", NOW), first)
      })
  )
})
