/**
 * Accounts: created, shown and changed by the operator. The first start makes the first account and its first key; if
 * several processes start together, they make one of each. The key is returned once, to be printed, and stored
 * nowhere.
 */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { OWN_LIMITS, ownColumns } from "../../http/guard/AccountLimits.ts"
import { quotaUsedUp } from "../../spine/deliveries/UsageStore.ts"
import type { LimitOverrides, Plan } from "../../spine/domain/Plans.ts"
import { openQuotaGaps } from "../../spine/registry/QuotaGaps.ts"
import { type AccountId, randomId } from "../../spine/words/Ids.ts"
import { ApiKeyStore } from "./ApiKeyStore.ts"

export interface NewAccount {
  readonly name: string
  readonly email: string | null
  readonly plan: Plan
}

export interface Account extends NewAccount {
  readonly id: string
  /** Replaces limits of the plan, if the plan allows it. */
  readonly own: LimitOverrides
  readonly created_at: string
  /** Null if it is not suspended. */
  readonly suspended_at: string | null
}

export interface KeyOwnership {
  readonly account_id: AccountId
  readonly revoked_at: string | null
}

export interface AccountChange {
  readonly name?: string
  readonly email?: string
  readonly plan?: Plan
  /** Limits that are not named stay unchanged. */
  readonly own?: Partial<LimitOverrides>
  /** Suspending a suspended account keeps the first time. */
  readonly suspended?: boolean
}

export class AccountStore extends Context.Service<AccountStore>()("ledgerhook/storage/AccountStore", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const keys = yield* ApiKeyStore

    const at = (unixMs: number) => sql`${new Date(unixMs).toISOString()}::timestamptz`
    const columns = sql`
      id, name, email, plan, created_at, suspended_at, ${sql.literal(OWN_LIMITS)} AS own`

    const create = Effect.fnUntraced(function* (account: NewAccount, nowMs: number) {
      const id = randomId("acct_", nowMs)
      yield* sql`
        INSERT INTO accounts (id, name, email, plan, created_at)
        VALUES (${id}, ${account.name}, ${account.email}, ${account.plan}, ${at(nowMs)})`
      return id
    })

    return {
      /** Returns the account's id. */
      create,

      find: (id: string) =>
        sql<Account>`SELECT ${columns} FROM accounts WHERE id = ${id} AND deleted_at IS NULL`.pipe(
          Effect.map(([account]) => Option.fromNullishOr(account))
        ),

      /** Newest first, with ids below `beforeId`. */
      list: (beforeId: string | undefined, limit: number) =>
        sql<Account>`
          SELECT ${columns} FROM accounts
          WHERE deleted_at IS NULL AND ${beforeId === undefined ? sql`true` : sql`id < ${beforeId}`}
          ORDER BY id DESC LIMIT ${limit}`,

      /** The account of a key, and when the key was revoked. */
      ofKey: (keyId: string) =>
        sql<KeyOwnership>`SELECT account_id, revoked_at FROM api_keys WHERE id = ${keyId}`.pipe(
          Effect.map(([key]) => Option.fromNullishOr(key))
        ),

      /** Returns the changed account; none if there is no such account. */
      change: Effect.fnUntraced(function* (
        id: string,
        { name, email, plan, own = {}, suspended }: AccountChange,
        nowMs: number
      ) {
        // The change may end a hold that upkeep has not seen yet.
        if (
          (plan !== undefined || own.monthlyDeliveries !== undefined) &&
          (yield* quotaUsedUp(sql, id, nowMs))
        )
          yield* openQuotaGaps(sql, [id])
        const [account] = yield* sql<Account>`
          UPDATE accounts SET ${sql.csv([
            // An UPDATE must set at least one column, even if no value changes.
            sql`id = id`,
            ...(name === undefined ? [] : [sql`name = ${name}`]),
            ...(email === undefined ? [] : [sql`email = ${email}`]),
            ...(plan === undefined ? [] : [sql`plan = ${plan}`]),
            ...ownColumns.flatMap(([limit, column]) => {
              const value = own[limit]
              return value === undefined
                ? []
                : [sql`${sql(column)} = ${value === null ? null : String(value)}::bigint`]
            }),
            ...(suspended === undefined
              ? []
              : [
                  suspended
                    ? sql`suspended_at = coalesce(suspended_at, ${at(nowMs)})`
                    : sql`suspended_at = NULL`
                ])
          ])} WHERE id = ${id} AND deleted_at IS NULL RETURNING ${columns}`
        return Option.fromNullishOr(account)
      }, sql.withTransaction),

      /**
       * Makes the first account if there is none. `adminKey` becomes a key of the first account unless a key has that
       * value already. Without `adminKey` a new first account gets a generated key, the `keyToPrint`. `adminEmail`
       * becomes the address of the first account if it has none. `firstKeyId`: the key of an account made just now.
       */
      ensureFirstAccount: Effect.fnUntraced(function* (
        {
          adminKey,
          adminEmail
        }: { readonly adminKey?: string | undefined; readonly adminEmail?: string | undefined },
        nowMs: number
      ) {
        yield* sql`SELECT pg_advisory_xact_lock(hashtextextended('ledgerhook.first-account', 0))`
        const [first] = yield* sql<{ readonly id: string }>`SELECT id FROM accounts ORDER BY id LIMIT 1`
        const accountId =
          first?.id ?? (yield* create({ name: "default", email: null, plan: "enterprise" }, nowMs))
        if (adminEmail !== undefined)
          yield* sql`UPDATE accounts SET email = ${adminEmail} WHERE id = ${accountId} AND email IS NULL`
        const admin = { accountId, scopes: ["admin"], environment: "live" } as const
        if (adminKey !== undefined) {
          const made = yield* keys.create({ ...admin, name: "ADMIN_KEY", value: adminKey }, nowMs)
          return { accountId, keyToPrint: undefined, firstKeyId: first === undefined ? made?.id : undefined }
        }
        if (first !== undefined) return { accountId, keyToPrint: undefined, firstKeyId: undefined }
        const made = yield* keys.create({ ...admin, name: "admin" }, nowMs)
        return { accountId, keyToPrint: made?.value, firstKeyId: made?.id }
      }, sql.withTransaction)
    }
  })
}) {
  static readonly layer = Layer.effect(AccountStore, AccountStore.make)
}
