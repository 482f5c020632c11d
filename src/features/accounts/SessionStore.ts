/**
 * Sessions of the dashboard and the links that sign in (domain/Session.ts). A session admits requests as its key does
 * (KeyAdmission.ts), so it ends when its key is revoked or expires. A link is used once: one update turns its row into
 * the session's, and of two requests with the same link the second finds no such row.
 */

import { Clock, Context, Data, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../spine/config/Limits.ts"
import {
  newSessionToken,
  newSignInLink,
  SESSION_MS,
  sessionSha256,
  signInLinkSha256
} from "../../spine/domain/Session.ts"
import type { KeyEnvironment } from "../../spine/event/Network.ts"
import { deleteEvery } from "../../spine/observe/ClockTrust.ts"
import { column } from "../../spine/store/Columns.ts"
import type { AccountId } from "../../spine/words/Ids.ts"
import { accountBounds } from "./Limits.ts"

/** The key has as many sessions and unused links as it may have. */
export class SessionLimit extends Data.TaggedError("SessionLimit") {}

interface AccountName {
  readonly id: AccountId
  readonly name: string
}

export class SessionStore extends Context.Service<SessionStore>()("ledgerhook/storage/SessionStore", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const at = (unixMs: number) => sql`${new Date(unixMs).toISOString()}::timestamptz`
    const bytes = (sha256: string) => sql`decode(${sha256}, 'hex')`

    /** The lock of the key's row makes those that begin at once count one another. */
    const insert = Effect.fnUntraced(function* (
      sha256: string,
      keyId: string,
      nowMs: number,
      lifeMs: number
    ) {
      yield* sql`SELECT FROM api_keys WHERE id = ${keyId} FOR NO KEY UPDATE`
      const inserted = yield* sql`
        INSERT INTO sessions (sha256, key_id, created_at, expires_at)
        SELECT ${bytes(sha256)}, ${keyId}, ${at(nowMs)}, ${at(nowMs + lifeMs)}
        WHERE (SELECT count(*) FROM sessions WHERE key_id = ${keyId} AND expires_at > ${at(nowMs)})
          < ${accountBounds.sessionsPerKey}
        RETURNING 1`
      if (inserted.length === 0) return yield* new SessionLimit()
    }, sql.withTransaction)

    /** What may sign in at this moment, with the key that it stands for. */
    const usableLink = (link: string, nowMs: number) => sql`
      FROM api_keys AS key JOIN accounts AS account ON account.id = key.account_id
      WHERE sessions.sha256 = ${bytes(signInLinkSha256(link))} AND sessions.expires_at > ${at(nowMs)}
        AND key.id = sessions.key_id AND key.revoked_at IS NULL
        AND (key.expires_at IS NULL OR key.expires_at > ${at(nowMs)}) AND account.suspended_at IS NULL`

    return {
      /** Begins a session of the key, if it has not too many. The token is returned only here. */
      open: Effect.fnUntraced(function* (keyId: string, nowMs: number) {
        const token = newSessionToken()
        yield* insert(sessionSha256(token), keyId, nowMs, SESSION_MS)
        return token
      }),

      /** Makes a link that signs in with the key, once, if it has not too many. It is returned only here. */
      makeLink: Effect.fnUntraced(function* (keyId: string, environment: KeyEnvironment, nowMs: number) {
        const link = newSignInLink(environment)
        yield* insert(signInLinkSha256(link), keyId, nowMs, accountBounds.signInLinkMs)
        return link
      }),

      /** The account that the link signs in to. Undefined if it cannot sign in. */
      accountOfLink: (link: string, nowMs: number) =>
        sql<AccountName>`
          SELECT account.id, account.name FROM sessions JOIN LATERAL (
            SELECT account.id, account.name ${usableLink(link, nowMs)}
          ) AS account ON true`.pipe(Effect.map(([account]) => account)),

      /** The accounts of the sessions with these tokens that have not ended. */
      accountsOf: (tokens: ReadonlyArray<string>, nowMs: number) =>
        sql<AccountName>`
          SELECT DISTINCT account.id, account.name
          FROM sessions JOIN api_keys AS key ON key.id = sessions.key_id
            JOIN accounts AS account ON account.id = key.account_id
          WHERE sha256 = ANY(${column(tokens.map((token) => `\\x${sessionSha256(token)}`))}::text[]::bytea[])
            AND sessions.expires_at > ${at(nowMs)} AND key.revoked_at IS NULL
            AND (key.expires_at IS NULL OR key.expires_at > ${at(nowMs)})`,

      /** The session that the link begins. Undefined if the link is unknown, used or expired, or its key cannot be used. */
      redeem: Effect.fnUntraced(function* (link: string, nowMs: number) {
        const token = newSessionToken()
        const [used] = yield* sql<{ readonly environment: KeyEnvironment }>`
          UPDATE sessions SET sha256 = ${bytes(sessionSha256(token))}, created_at = ${at(nowMs)},
                 expires_at = ${at(nowMs + SESSION_MS)}
          ${usableLink(link, nowMs)}
          RETURNING key.environment`
        return used && { token, environment: used.environment }
      }),

      /** Ends the session. Does nothing if there is none. */
      close: (token: string) => sql`DELETE FROM sessions WHERE sha256 = ${bytes(sessionSha256(token))}`,

      /** Deletes what has expired. Returns how many rows. */
      drop: (nowMs: number) =>
        sql`DELETE FROM sessions WHERE expires_at <= ${at(nowMs)} RETURNING 1`.pipe(
          Effect.map((rows) => rows.length)
        )
    }
  })
}) {
  static readonly layer = Layer.effect(SessionStore, SessionStore.make)
}

/** Hourly. Needs the database only. */
export const forgetSessions = Effect.gen(function* () {
  const { drop } = yield* SessionStore.make
  return yield* Effect.flatMap(Clock.currentTimeMillis, drop).pipe(
    deleteEvery("deleting expired sessions", Limits.maintenanceMs)
  )
})
