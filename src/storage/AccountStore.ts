/**
 * Accounts. The first start makes the first account and a key to begin with; processes that start together make one of
 * each between them. The key is returned once, to be printed: it is stored nowhere.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { AdvisoryLocks } from "../config/AdvisoryLocks.ts"
import { randomId } from "../domain/Ids.ts"
import type { Plan } from "../domain/Plans.ts"
import { ApiKeyStore } from "./ApiKeyStore.ts"

export interface NewAccount {
  readonly name: string
  readonly email: string | null
  readonly plan: Plan
}

export class AccountStore extends Context.Service<
  AccountStore,
  {
    /** Returns the account's id. */
    readonly create: (account: NewAccount, nowMs: number) => Effect.Effect<string, SqlError.SqlError>
    /**
     * Makes the first account when there is none. `adminKey` becomes a key of the first account when no key has that
     * value yet; without it a new first account gets a key of its own, and that is the `keyToPrint`.
     */
    readonly ensureFirstAccount: (
      adminKey: string | undefined,
      nowMs: number
    ) => Effect.Effect<
      { readonly accountId: string; readonly keyToPrint: string | undefined },
      SqlError.SqlError
    >
  }
>()("ledgerhook/storage/AccountStore") {
  static readonly layer = Layer.effect(
    AccountStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const keys = yield* ApiKeyStore

      const create = Effect.fnUntraced(function* (account: NewAccount, nowMs: number) {
        const id = randomId("acct_", nowMs)
        yield* sql`
          INSERT INTO accounts (id, name, email, plan, created_at)
          VALUES (${id}, ${account.name}, ${account.email}, ${account.plan}, ${new Date(nowMs).toISOString()}::timestamptz)`
        return id
      })

      return AccountStore.of({
        create,
        ensureFirstAccount: (adminKey, nowMs) =>
          Effect.gen(function* () {
            yield* sql`SELECT pg_advisory_xact_lock(${AdvisoryLocks.firstAccount}::bigint)`
            const [first] = yield* sql<{ readonly id: string }>`SELECT id FROM accounts ORDER BY id LIMIT 1`
            const accountId =
              first?.id ?? (yield* create({ name: "default", email: null, plan: "enterprise" }, nowMs))
            const admin = { accountId, scopes: ["admin"], environment: "live" } as const
            if (adminKey !== undefined) {
              yield* keys.create({ ...admin, name: "ADMIN_KEY", value: adminKey }, nowMs)
              return { accountId, keyToPrint: undefined }
            }
            if (first !== undefined) return { accountId, keyToPrint: undefined }
            const made = yield* keys.create({ ...admin, name: "admin" }, nowMs)
            return { accountId, keyToPrint: made?.value }
          }).pipe(sql.withTransaction)
      })
    })
  )
}
