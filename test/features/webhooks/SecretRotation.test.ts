/**
 * Changing the encryption key of webhook secrets leaves every secret unchanged. Afterwards nothing needs the old key.
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { examineSecrets, requireKeys, resealSecrets } from "../../../src/features/webhooks/SecretRotation.ts"
import type { Environment } from "../../../src/spine/config/Config.ts"
import { Limits } from "../../../src/spine/config/Limits.ts"
import type { WebhookConfig } from "../../../src/spine/domain/Webhook.ts"
import { Outbox } from "../../../src/spine/store/outbox/Outbox.ts"
import { makeSecretBox } from "../../../src/spine/store/secrets/SecretBox.ts"
import { readKeys } from "../../../src/spine/store/secrets/SecretKeys.ts"
import { settingsLayer, testSettings } from "../../support/program/settings.ts"
import { TestDatabase } from "../../support/store/postgres.ts"
import { insertAccount, insertWebhook } from "../../support/store/rows.ts"

const base64 = (byte: number) => Buffer.alloc(32, byte).toString("base64")
const keysIn = (environment: Environment) => Result.getOrThrow(readKeys(testSettings(environment)))
const boxOf = (environment: Environment) => {
  const keys = keysIn(environment)
  return makeSecretBox(keys, () => Result.succeed(keys))
}

const OLD = { SECRETS_KEY: base64(1) }
const NEW = { SECRETS_KEY: base64(2) }
const BOTH = { SECRETS_KEY: base64(2), SECRETS_KEY_PREVIOUS: base64(1) }
const LOST = { SECRETS_KEY: base64(3) }

const Live = Layer.provideMerge(Outbox.layer, TestDatabase)

const silent = () => Effect.succeed(() => Effect.void)
const reseal = resealSecrets(keysIn(BOTH), silent)

interface Stored {
  readonly id: string
  readonly sealed_secret: string
  readonly previous_sealed_secret: string | null
}

const stored = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<Stored>`SELECT id, sealed_secret, previous_sealed_secret FROM webhooks ORDER BY id`
})

/** The records that wait for the log, newest last. */
const records = Effect.gen(function* () {
  const outbox = yield* Outbox
  const rows = yield* outbox.next(0, 10_000)
  return rows.map(({ key, value }) => ({ key, config: JSON.parse(value!) as WebhookConfig }))
})

/** Webhooks whose secret is their place in this list. */
const webhooks = Effect.fnUntraced(function* (count: number, environment: Environment) {
  yield* insertAccount("acct_1")
  const { seal } = boxOf(environment)
  return yield* Effect.forEach(Array.from({ length: count }), (_, i) => insertWebhook("acct_1", seal(`${i}`)))
})

describe("sealing secrets anew", () => {
  it.effect("re-encrypts every secret with the new key, and publishes each to route and deliver", () =>
    Effect.gen(function* () {
      const ids = yield* webhooks(2 * Limits.largeRows + 1, OLD)
      assert.deepStrictEqual(yield* reseal, { resealed: ids.length, unreadable: [] })
      const { open } = boxOf(NEW)
      const secretOf = new Map(ids.map((id, i) => [id, Result.succeed(`${i}`)]))
      for (const { id, sealed_secret } of yield* stored) {
        assert.deepStrictEqual(open(sealed_secret), secretOf.get(id))
      }
      const told = yield* records
      assert.sameMembers(
        told.map(({ key }) => key),
        ids
      )
      for (const { key, config } of told)
        assert.deepStrictEqual(open(config.sealed_secret), secretOf.get(key))
    }).pipe(Effect.provide(Live))
  )

  it.effect("includes the previous secret during its grace", () =>
    Effect.gen(function* () {
      yield* webhooks(1, NEW)
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        UPDATE webhooks SET previous_sealed_secret = ${boxOf(OLD).seal("before")},
               previous_secret_until = now() + interval '1 hour'`
      yield* reseal
      const { open } = boxOf(NEW)
      const [row] = yield* stored
      assert.deepStrictEqual(open(row!.sealed_secret), Result.succeed("0"))
      assert.deepStrictEqual(open(row!.previous_sealed_secret!), Result.succeed("before"))
      const [told] = yield* records
      assert.deepStrictEqual(open(told!.config.previous_secret!.sealed), Result.succeed("before"))
    }).pipe(Effect.provide(Live))
  )

  it.effect("changes and publishes nothing when repeated", () =>
    Effect.gen(function* () {
      yield* webhooks(3, OLD)
      yield* reseal
      const [before, told] = [yield* stored, (yield* records).length]
      assert.deepStrictEqual(yield* reseal, { resealed: 0, unreadable: [] })
      assert.deepStrictEqual([yield* stored, (yield* records).length], [before, told])
    }).pipe(Effect.provide(Live))
  )

  it.effect("re-encrypts a deleted webhook's secret without restoring the webhook", () =>
    Effect.gen(function* () {
      yield* webhooks(1, OLD)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE webhooks SET deleted_at = now()`
      assert.strictEqual((yield* reseal).resealed, 1)
      assert.deepStrictEqual(boxOf(NEW).open((yield* stored)[0]!.sealed_secret), Result.succeed("0"))
      assert.deepStrictEqual(yield* records, [])
    }).pipe(Effect.provide(Live))
  )

  it.effect("skips and names secrets that cannot be decrypted, and re-encrypts the others", () =>
    Effect.gen(function* () {
      const [first, second] = yield* webhooks(2, OLD)
      const sql = yield* SqlClient.SqlClient
      const before = boxOf(OLD).seal("x")
      const altered = `${before.slice(0, -4)}AAAA`
      yield* sql`UPDATE webhooks SET sealed_secret = ${altered} WHERE id = ${first!}`
      assert.deepStrictEqual(yield* reseal, { resealed: 1, unreadable: [first!] })
      const kept = (yield* stored).find(({ id }) => id === first)
      assert.strictEqual(kept!.sealed_secret, altered)
      assert.deepStrictEqual(
        (yield* records).map(({ key }) => key),
        [second!]
      )
    }).pipe(Effect.provide(Live))
  )

  it.effect(
    "includes the secrets of URLs for notices, and names the accounts of those that cannot be decrypted",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const urlOf = (accountId: string, sealed: string | null) =>
          Effect.andThen(
            insertAccount(accountId),
            sql`
            INSERT INTO notice_urls (account_id, url, format, types, sealed_secret, created_at, updated_at)
            VALUES (${accountId}, 'https://a.example/', 'standard', ARRAY[]::text[], ${sealed}, now(), now())`
          )
        yield* urlOf("acct_1", boxOf(OLD).seal("mine"))
        yield* urlOf("acct_2", boxOf(LOST).seal("lost"))
        yield* urlOf("acct_3", null)
        assert.deepStrictEqual(yield* examineSecrets(keysIn(BOTH)), {
          webhooks: 2,
          unreadable: 1,
          ofPreviousKey: 1
        })
        assert.deepStrictEqual(yield* reseal, { resealed: 0, unreadable: ["acct_2"] })
        const [mine] = yield* sql<{ readonly sealed: string }>`
        SELECT sealed_secret AS sealed FROM notice_urls WHERE account_id = 'acct_1'`
        assert.deepStrictEqual(boxOf(NEW).open(mine!.sealed), Result.succeed("mine"))
        const { message } = yield* Effect.flip(requireKeys.pipe(Effect.provide(settingsLayer(NEW))))
        assert.include(message, `sealed with key ${keysIn(LOST).current.id}`)
      }).pipe(Effect.provide(Live))
  )

  it.effect("does not overwrite a secret that a customer rotates at the same time", () =>
    Effect.gen(function* () {
      const [id] = yield* webhooks(1, OLD)
      const sql = yield* SqlClient.SqlClient
      const rotated = boxOf(NEW).seal("rotated")
      const locked = yield* Deferred.make<void>()
      const release = yield* Deferred.make<void>()
      const customer = yield* sql`UPDATE webhooks SET sealed_secret = ${rotated} WHERE id = ${id!}`.pipe(
        Effect.andThen(Deferred.succeed(locked, undefined)),
        Effect.andThen(Deferred.await(release)),
        sql.withTransaction,
        Effect.forkChild
      )
      yield* Deferred.await(locked)
      const resealing = yield* Effect.forkChild(reseal)
      const waits = sql`
        SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FOR UPDATE%'`
      while ((yield* waits).length === 0) yield* Effect.yieldNow
      yield* Deferred.succeed(release, undefined)
      yield* Fiber.join(customer)
      yield* Fiber.join(resealing)
      assert.deepStrictEqual(boxOf(NEW).open((yield* stored)[0]!.sealed_secret), Result.succeed("rotated"))
    }).pipe(Effect.provide(Live))
  )
})

describe("checking secrets", () => {
  it.effect("counts secrets of the current key, of a previous key, and those that cannot be decrypted", () =>
    Effect.gen(function* () {
      yield* webhooks(2, NEW)
      yield* webhooks(3, OLD)
      yield* webhooks(4, LOST)
      assert.deepStrictEqual(yield* examineSecrets(keysIn(BOTH)), {
        webhooks: 9,
        unreadable: 4,
        ofPreviousKey: 3
      })
    }).pipe(Effect.provide(Live))
  )

  it.effect("names missing keys, and succeeds if all keys are present", () =>
    Effect.gen(function* () {
      yield* webhooks(1, OLD)
      const withKeys = (environment: Environment) =>
        requireKeys.pipe(Effect.provide(settingsLayer(environment)))
      yield* withKeys(OLD)
      yield* withKeys(BOTH)
      const { message } = yield* Effect.flip(withKeys(LOST))
      const [old, lost] = [keysIn(OLD).current.id, keysIn(LOST).current.id]
      assert.strictEqual(
        message,
        `SECRETS_KEY: webhook secrets are sealed with key ${old}, and given is ${lost}; give the one they were sealed with as SECRETS_KEY or as SECRETS_KEY_PREVIOUS.`
      )
    }).pipe(Effect.provide(Live))
  )
})
