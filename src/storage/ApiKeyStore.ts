/**
 * API keys. Only the SHA-256 of a key is stored and looked up; an unknown, a revoked and an expired key are the same
 * "nobody". `last_used_at` is exact to a minute, so that a busy key is not a write per request.
 */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { type Identity, keyHint, keySha256, newKeyValue, type Scope } from "../domain/ApiKey.ts"
import { randomId } from "../domain/Ids.ts"
import type { KeyEnvironment } from "../domain/Network.ts"
import type { Plan } from "../domain/Plans.ts"
import { column } from "./Columns.ts"

export interface NewApiKey {
  readonly accountId: string
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  readonly environment: KeyEnvironment
  /** Unix milliseconds; never by default. */
  readonly expiresAt?: number
  /** A value of the operator's own (ADMIN_KEY); made here by default. */
  readonly value?: string
}

export interface CreatedApiKey {
  readonly id: string
  /** Shown once: it cannot be had again. */
  readonly value: string
}

const LAST_USED_EXACT_MS = 60_000

export class ApiKeyStore extends Context.Service<
  ApiKeyStore,
  {
    /** Undefined when a key of that value exists already, whoever's it is. */
    readonly create: (
      key: NewApiKey,
      nowMs: number
    ) => Effect.Effect<CreatedApiKey | undefined, SqlError.SqlError>
    readonly authenticate: (
      value: string,
      nowMs: number
    ) => Effect.Effect<Option.Option<Identity>, SqlError.SqlError>
    /** False when the account has no such key. A revoked key stays revoked since the first time. */
    readonly revoke: (
      accountId: string,
      id: string,
      nowMs: number
    ) => Effect.Effect<boolean, SqlError.SqlError>
  }
>()("ledgerhook/storage/ApiKeyStore") {
  static readonly layer = Layer.effect(
    ApiKeyStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const at = (unixMs: number) => new Date(unixMs).toISOString()

      return ApiKeyStore.of({
        create: (key, nowMs) =>
          Effect.gen(function* () {
            const id = randomId("key_", nowMs)
            const value = key.value ?? newKeyValue(key.environment)
            const made = yield* sql`
              INSERT INTO api_keys (id, account_id, name, key_sha256, key_hint, scopes, environment, created_at, expires_at)
              VALUES (${id}, ${key.accountId}, ${key.name}, ${keySha256(value)}, ${keyHint(value)},
                      ${column(key.scopes)}::text[], ${key.environment}, ${at(nowMs)}::timestamptz,
                      ${key.expiresAt === undefined ? null : at(key.expiresAt)}::timestamptz)
              ON CONFLICT (key_sha256) DO NOTHING RETURNING 1`
            return made.length === 0 ? undefined : { id, value }
          }),

        authenticate: (value, nowMs) =>
          Effect.gen(function* () {
            const [row] = yield* sql<{
              readonly id: string
              readonly account_id: string
              readonly plan: Plan
              readonly environment: KeyEnvironment
              readonly scopes: ReadonlyArray<Scope>
              readonly last_used_ms: number | null
            }>`
              SELECT k.id, k.account_id, a.plan, k.environment, k.scopes,
                     (extract(epoch FROM k.last_used_at) * 1000)::float8 AS last_used_ms
              FROM api_keys k JOIN accounts a ON a.id = k.account_id
              WHERE k.key_sha256 = ${keySha256(value)} AND k.revoked_at IS NULL
                AND (k.expires_at IS NULL OR k.expires_at > ${at(nowMs)}::timestamptz)`
            if (row === undefined) return Option.none()
            if (row.last_used_ms === null || nowMs - row.last_used_ms >= LAST_USED_EXACT_MS) {
              yield* sql`UPDATE api_keys SET last_used_at = ${at(nowMs)}::timestamptz WHERE id = ${row.id}`
            }
            return Option.some({
              keyId: row.id,
              accountId: row.account_id,
              plan: row.plan,
              environment: row.environment,
              scopes: row.scopes
            })
          }),

        revoke: (accountId, id, nowMs) =>
          sql`
            UPDATE api_keys SET revoked_at = coalesce(revoked_at, ${at(nowMs)}::timestamptz)
            WHERE id = ${id} AND account_id = ${accountId} RETURNING 1`.pipe(
            Effect.map((rows) => rows.length > 0)
          )
      })
    })
  )
}
