/**
 * Stores the API's responses to requests with an `Idempotency-Key` for 24 hours. The request's changes and its response
 * commit in one transaction, so a repeated request never acts twice, even after a crash. Responses are encrypted,
 * because some contain a secret. The daily rate limit of the API key bounds how many are stored.
 */

import { Clock, Context, Effect, Layer, Result } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Limits } from "../spine/config/Limits.ts"
import type { KeyEnvironment } from "../spine/event/Network.ts"
import { deleteEvery } from "../spine/observe/ClockTrust.ts"
import { SecretBox } from "../spine/store/secrets/SecretBox.ts"
import type { AccountId } from "../spine/words/Ids.ts"
import { httpLimits } from "./Limits.ts"

export interface KeptAnswer {
  readonly status: number
  /** Empty if the response has no body. */
  readonly body: string
}

export interface IdempotentRequest {
  readonly accountId: AccountId
  readonly environment: KeyEnvironment
  readonly key: string
  /** A hash of API key, method, URL and body: shows whether a request with the same key is the same request. */
  readonly fingerprint: string
}

/**
 * `first`: the request ran now. `again`: it ran before. `running`: it is running now. `other`: the key belongs to
 * another request.
 */
export type Outcome<A> =
  | { readonly is: "first"; readonly result: A }
  | { readonly is: "again"; readonly answer: KeptAnswer }
  | { readonly is: "running" }
  | { readonly is: "other" }

const at = (unixMs: number) => new Date(unixMs).toISOString()

export class IdempotencyStore extends Context.Service<IdempotencyStore>()(
  "ledgerhook/storage/IdempotencyStore",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const box = yield* SecretBox

      const find = Effect.fnUntraced(function* (
        { accountId, environment, key, fingerprint }: IdempotentRequest,
        nowMs: number
      ) {
        const [kept] = yield* sql<{
          readonly fingerprint: string
          readonly status: number
          readonly sealed_body: string
        }>`
          SELECT fingerprint, status, sealed_body FROM idempotency_answers
          WHERE account_id = ${accountId} AND environment = ${environment} AND key = ${key}
            AND answered_at > ${at(nowMs - httpLimits.idempotencyKeptMs)}::timestamptz`
        if (kept === undefined) return undefined
        if (kept.fingerprint !== fingerprint) return { is: "other" } as const
        // Opening fails only if the key was removed within 24 hours. Then fail: acting twice is worse.
        const body = Result.getOrThrow(box.open(kept.sealed_body))
        return { is: "again", answer: { status: kept.status, body } } as const
      })

      return {
        /** What is known of the request; undefined if it has no stored response. */
        find,

        /**
         * Runs `handle` unless this request ran before, and stores its response. If `handle` fails, all is rolled back.
         */
        once: <A extends { readonly answer: KeptAnswer }, E, R>(
          asked: IdempotentRequest,
          nowMs: number,
          handle: Effect.Effect<A, E, R>
        ): Effect.Effect<Outcome<A>, E | SqlError.SqlError, R> =>
          Effect.gen(function* () {
            const { accountId, environment, key, fingerprint } = asked
            // PostgreSQL releases the lock when the transaction ends, even if this process dies.
            const name = ["idempotency", accountId, environment, key].join(" ")
            const [lock] = yield* sql<{ readonly taken: boolean }>`
              SELECT pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) AS taken`
            if (lock?.taken !== true) return { is: "running" } as const
            const known = yield* find(asked, nowMs)
            if (known !== undefined) return known
            const result = yield* handle
            const { status, body } = result.answer
            yield* sql`
              INSERT INTO idempotency_answers
                (account_id, environment, key, fingerprint, status, sealed_body, answered_at)
              VALUES (${accountId}, ${environment}, ${key}, ${fingerprint}, ${status}, ${box.seal(body)},
                      ${at(nowMs)}::timestamptz)
              ON CONFLICT (account_id, environment, key) DO UPDATE SET
                fingerprint = excluded.fingerprint, status = excluded.status,
                sealed_body = excluded.sealed_body, answered_at = excluded.answered_at`
            return { is: "first", result } as const
          }).pipe(sql.withTransaction),

        /** Deletes responses older than 24 hours. Returns how many. */
        drop: (nowMs: number) =>
          sql`
            DELETE FROM idempotency_answers
            WHERE answered_at <= ${at(nowMs - httpLimits.idempotencyKeptMs)}::timestamptz RETURNING 1`.pipe(
            Effect.map((rows) => rows.length)
          )
      }
    })
  }
) {
  static readonly layer = Layer.effect(IdempotencyStore, IdempotencyStore.make)
}

/** Deletes responses older than 24 hours, every hour. */
export const forgetAnswers = Effect.gen(function* () {
  const store = yield* IdempotencyStore
  return yield* Effect.flatMap(Clock.currentTimeMillis, store.drop).pipe(
    deleteEvery("deleting old idempotent responses", Limits.maintenanceMs)
  )
})
