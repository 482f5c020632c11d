/** API keys as the dashboard shows them: what they may do, what needs attention, and what stops when one is revoked. */
import { assert, describe, it } from "vitest"
import type { ApiKey } from "../../../dashboard/src/api/ledgerhook.ts"
import * as rights from "../../../dashboard/src/features/accounts/keys/rights.ts"
import * as state from "../../../dashboard/src/features/accounts/keys/state.ts"

const now = Date.parse("2026-11-26T09:00:00Z")
const inDays = (days: number) => new Date(now + days * 86_400_000).toISOString()

const keyWith = (fields: Partial<ApiKey>): ApiKey => ({
  id: "key_1",
  name: "backend",
  key_hint: "svc_live_…x7Qb",
  scopes: ["webhooks:read"],
  environment: "live",
  created_at: inDays(-30),
  expires_at: null,
  last_used_at: null,
  revoked_at: null,
  ...fields
})

describe("what a key may do", () => {
  it("is a level for each thing, and the same scopes again", () => {
    const scopes = ["webhooks:read", "deliveries:read", "deliveries:write"] as const
    const levels = rights.rightsOf(scopes)
    assert.deepStrictEqual(levels, {
      webhooks: "read",
      deliveries: "write",
      events: "none",
      api_keys: "none"
    })
    assert.deepStrictEqual(rights.scopesOf(levels), [...scopes])
    assert.strictEqual(rights.wordOf(scopes, "deliveries"), "read, write")
    assert.strictEqual(rights.wordOf(["admin"], "events"), "all")
  })

  it("is said in one sentence", () => {
    assert.strictEqual(
      rights.sentenceOf(["webhooks:read", "deliveries:read", "deliveries:write", "events:read"], "live"),
      "The key may see webhooks, deliveries and events of mainnet, and retry and replay. It cannot change a webhook."
    )
    assert.strictEqual(
      rights.sentenceOf(["admin"], "test"),
      "The key may see and do everything on testnet and devnet."
    )
  })

  it("is never more than the key has that creates it", () => {
    assert.isTrue(rights.mayGive(["webhooks:read"], "webhooks", "read"))
    assert.isFalse(rights.mayGive(["webhooks:read"], "webhooks", "write"))
    assert.isTrue(rights.mayGive(["admin"], "api_keys", "write"))
  })
})

describe("the page of keys", () => {
  it("is headed by the key that expires soon", () => {
    assert.strictEqual(state.headlineOf([keyWith({}), keyWith({ expires_at: inDays(90) })], now), "API keys")
    assert.strictEqual(
      state.headlineOf([keyWith({}), keyWith({ expires_at: inDays(5) })], now),
      "1 key expires in 5 days"
    )
    assert.strictEqual(
      state.headlineOf([keyWith({ expires_at: inDays(9) }), keyWith({ expires_at: inDays(1) })], now),
      "2 keys expire soon, the first in 1 day"
    )
  })

  it("lists the keys that can be used, the one used last first", () => {
    const keys = [
      keyWith({ id: "unused" }),
      keyWith({ id: "revoked", revoked_at: inDays(-1) }),
      keyWith({ id: "expired", expires_at: inDays(-1) }),
      keyWith({ id: "used", last_used_at: inDays(-2) })
    ]
    assert.deepStrictEqual(
      state.activeKeys(keys, now).map(({ id }) => id),
      ["used", "unused"]
    )
  })

  it("says before a revocation what will stop", () => {
    assert.strictEqual(state.whatStops(keyWith({}), now), "Nothing has used it so far.")
    assert.match(
      state.whatStops(keyWith({ last_used_at: new Date(now - 12_000).toISOString() }), now),
      /^It was last used 12.s ago\. Whatever uses it can then no longer see webhooks of mainnet\.$/
    )
  })
})
