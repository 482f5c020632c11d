/**
 * API keys: made, listed, revoked. Only the SHA-256 of a key is stored; its value is returned once, where it is made.
 * Every key has its row of `key_usage` from the beginning: admission (storage/accounts/KeyAdmission.ts) counts there.
 */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { keyHint, keySha256, newKeyValue, type Scope } from "../../domain/ApiKey.ts"
import { randomId } from "../../domain/Ids.ts"
import type { KeyEnvironment } from "../../domain/Network.ts"
import { column } from "../Columns.ts"
import { lockedLimits } from "./AccountLimits.ts"

export interface NewApiKey {
  readonly accountId: string
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  readonly environment: KeyEnvironment
  /** Unix milliseconds; never by default. */
  readonly expiresAt?: number
  /** A value of the operator's own (ADMIN_KEY); made here by default. */
  readonly value?: string
  /** Whether it is refused when the account has all the keys that its limits allow; by default it is not. */
  readonly withinLimits?: boolean
}

/** Whose keys, and of which kind. */
export interface KeyOwner {
  readonly accountId: string
  readonly environments: ReadonlyArray<KeyEnvironment>
}

export interface ApiKeyRow {
  readonly id: string
  readonly name: string
  readonly key_hint: string
  readonly scopes: ReadonlyArray<Scope>
  readonly environment: KeyEnvironment
  readonly created_at: string
  readonly expires_at: string | null
  /** Exact to a minute. */
  readonly last_used_at: string | null
  readonly revoked_at: string | null
}

export class ApiKeyStore extends Context.Service<ApiKeyStore>()("ledgerhook/storage/ApiKeyStore", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const at = (unixMs: number) => new Date(unixMs).toISOString()
    const owned = ({ accountId, environments }: KeyOwner) =>
      sql`account_id = ${accountId} AND environment = ANY(${environments}::text[])`

    const hasRoom = Effect.fnUntraced(function* (accountId: string, nowMs: number) {
      const limits = yield* lockedLimits(sql, accountId)
      const [row] = yield* sql<{ readonly room: boolean }>`
        SELECT count(*) < ${limits?.apiKeys ?? 0} AS room FROM api_keys
        WHERE account_id = ${accountId} AND revoked_at IS NULL
          AND (expires_at IS NULL OR expires_at > ${at(nowMs)}::timestamptz)`
      return row!.room
    })

    return {
      /**
       * Undefined when a key of that value exists already, whoever's it is, or when the limit is reached. The value is
       * shown once: it cannot be had again.
       */
      create: Effect.fnUntraced(function* (key: NewApiKey, nowMs: number) {
        if (key.withinLimits === true && !(yield* hasRoom(key.accountId, nowMs))) return undefined
        const id = randomId("key_", nowMs)
        const value = key.value ?? newKeyValue(key.environment)
        const made = yield* sql`
          INSERT INTO api_keys (id, account_id, name, key_sha256, key_hint, scopes, environment, created_at, expires_at)
          VALUES (${id}, ${key.accountId}, ${key.name}, ${keySha256(value)}, ${keyHint(value)},
                  ${column(key.scopes)}::text[], ${key.environment}, ${at(nowMs)}::timestamptz,
                  ${key.expiresAt === undefined ? null : at(key.expiresAt)}::timestamptz)
          ON CONFLICT (key_sha256) DO NOTHING RETURNING 1`
        if (made.length === 0) return undefined
        yield* sql`INSERT INTO key_usage (key_id) VALUES (${id})`
        return { id, value }
      }, sql.withTransaction),

      /** Newest first, those with an id below `beforeId`; revoked and expired ones too. */
      list: (owner: KeyOwner, beforeId: string | undefined, limit: number) =>
        sql<ApiKeyRow>`
          SELECT id, name, key_hint, scopes, environment, created_at, expires_at, last_used_at, revoked_at
          FROM api_keys JOIN key_usage ON key_id = id
          WHERE ${sql.and([owned(owner), ...(beforeId === undefined ? [] : [sql`id < ${beforeId}`])])}
          ORDER BY id DESC LIMIT ${limit}`,

      /** What one key may do; none when the owner has no such key. */
      scopesOf: (owner: KeyOwner, id: string) =>
        sql<Pick<ApiKeyRow, "scopes">>`SELECT scopes FROM api_keys WHERE id = ${id} AND ${owned(owner)}`.pipe(
          Effect.map(([key]) => Option.fromUndefinedOr(key?.scopes))
        ),

      /** False when the owner has no such key. A revoked key stays revoked since the first time. */
      revoke: (owner: KeyOwner, id: string, nowMs: number) =>
        sql`
          UPDATE api_keys SET revoked_at = coalesce(revoked_at, ${at(nowMs)}::timestamptz)
          WHERE id = ${id} AND ${owned(owner)} RETURNING 1`.pipe(Effect.map((rows) => rows.length > 0))
    }
  })
}) {
  static readonly layer = Layer.effect(ApiKeyStore, ApiKeyStore.make)
}
