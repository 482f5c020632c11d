/**
 * The first account and its key are created once, even if several processes start together. Only hashes of keys are
 * stored.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { AccountStore } from "../../../src/features/accounts/AccountStore.ts"
import { ApiKeyStore } from "../../../src/features/accounts/ApiKeyStore.ts"
import { KeyAdmission } from "../../../src/http/guard/KeyAdmission.ts"
import { admit } from "../../support/http/admission.ts"
import { TestDatabase } from "../../support/store/postgres.ts"

const NOW = Date.parse("2026-11-21T09:30:00.000Z")
const ADMIN_KEY = `svc_live_${"a".repeat(32)}`

const Live = AccountStore.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(ApiKeyStore.layer, KeyAdmission.layer)),
  Layer.provideMerge(TestDatabase)
)

describe("accounts", () => {
  it.effect("two concurrent first starts create one account and print one key", () =>
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const starts = yield* Effect.all(
        Array.from({ length: 4 }, () => accounts.ensureFirstAccount({}, NOW)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(starts.map(({ accountId }) => accountId)).size, 1)
      const printed = starts.flatMap(({ keyToPrint }) => keyToPrint ?? [])
      assert.strictEqual(printed.length, 1)
      assert.match(printed[0]!, /^svc_live_[0-9A-Za-z]{43}$/)
      const admission = yield* admit(printed[0]!, NOW)
      assert.deepInclude(admission?.identity, {
        accountId: starts[0]!.accountId,
        plan: "enterprise",
        environment: "live",
        scopes: ["admin"]
      })
      assert.isUndefined((yield* accounts.ensureFirstAccount({}, NOW)).keyToPrint)
    }).pipe(Effect.provide(Live))
  )

  it.effect(
    "ADMIN_KEY becomes a key of the first account at the start that sets it, until it is revoked",
    () =>
      Effect.gen(function* () {
        const accounts = yield* AccountStore
        const keys = yield* ApiKeyStore
        const first = yield* accounts.ensureFirstAccount({ adminKey: ADMIN_KEY }, NOW)
        assert.isUndefined(first.keyToPrint)
        const { identity } = (yield* admit(ADMIN_KEY, NOW))!
        assert.strictEqual(identity.accountId, first.accountId)
        yield* accounts.ensureFirstAccount({ adminKey: `${ADMIN_KEY}b` }, NOW)
        assert.isDefined(yield* admit(ADMIN_KEY, NOW))
        assert.isDefined(yield* admit(`${ADMIN_KEY}b`, NOW))
        const owner = { accountId: first.accountId, environments: ["live"] } as const
        assert.isTrue(yield* keys.revoke(owner, identity.keyId, NOW))
        yield* accounts.ensureFirstAccount({ adminKey: ADMIN_KEY }, NOW)
        assert.isUndefined(yield* admit(ADMIN_KEY, NOW))
      }).pipe(Effect.provide(Live))
  )

  it.effect("ADMIN_EMAIL becomes the first account's address if it has none", () =>
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const { accountId } = yield* accounts.ensureFirstAccount({}, NOW)
      const emailOf = Effect.map(accounts.find(accountId), (found) => Option.getOrThrow(found).email)
      assert.isNull(yield* emailOf)
      yield* accounts.ensureFirstAccount({ adminEmail: "ops@example.com" }, NOW)
      yield* accounts.ensureFirstAccount({ adminEmail: "other@example.com" }, NOW)
      assert.strictEqual(yield* emailOf, "ops@example.com")
    }).pipe(Effect.provide(Live))
  )
})
