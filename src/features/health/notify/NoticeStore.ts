/**
 * Notices to a URL of the account: the URL, and the queue (MessageQueue.ts). A notice is queued in the transaction that
 * causes it, if the account has a URL that wants its type. It goes to the URL that the account has when it is sent.
 */

import { Clock, Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { column } from "../../../spine/store/Columns.ts"
import type { AccountId } from "../../../spine/words/Ids.ts"
import { type Leased, makeMessageQueue } from "./MessageQueue.ts"
import { makeNoticeLine } from "./NoticeLine.ts"
import { type Notice, type NoticeFormat, type NoticeType, noticeTypes, TEST_NOTICE } from "./Notices.ts"

export interface NewNotice extends Notice<NoticeType | typeof TEST_NOTICE> {
  /** Why it is sent. There is one notice for each cause. */
  readonly cause: string
  readonly accountId: AccountId
}

/** A notice that this process has leased to send. */
export type LeasedNotice = NewNotice & Leased

export interface NoticeUrl {
  readonly url: string
  readonly format: NoticeFormat
  readonly types: ReadonlyArray<NoticeType>
  /** Null if the format has no signature. */
  readonly sealedSecret: string | null
}

/** `last`: the newest notice, whether it was sent, and why not. Times are Unix milliseconds. */
export type NoticeUrlSeen = NoticeUrl & {
  readonly createdAt: number
  readonly updatedAt: number
  readonly last: {
    readonly type: string
    readonly createdAt: number
    readonly sentAt: number | null
    readonly attempts: number
    readonly error: string | null
  } | null
}

const at = (unixMs: number) => new Date(unixMs).toISOString()

/** Processes of release 0.3 show `types`, and know no others than these. The newer ones are in `also_types`. */
const TYPES_OF_0_3: ReadonlyArray<NoticeType> = noticeTypes.filter((type) => type !== "webhook.gap")
/** If nobody has chosen the newer types, who wants all older ones wants them too. */
const ALL_TYPES = `types || coalesce(also_types, CASE WHEN types @> '{${TYPES_OF_0_3.join()}}' THEN '{webhook.gap}'::text[] ELSE '{}' END)`

/** Queues notices, inside the caller's transaction if there is one. */
export const queueNotices = (
  sql: SqlClient.SqlClient,
  notices: ReadonlyArray<NewNotice>,
  nowMs: number
): Effect.Effect<void, SqlError.SqlError> =>
  notices.length === 0
    ? Effect.void
    : sql`
      WITH urls AS (
        SELECT account_id, ${sql.literal(ALL_TYPES)} AS types FROM notice_urls
        WHERE account_id = ANY(${column(notices.map(({ accountId }) => accountId))}::text[])
        ORDER BY account_id FOR NO KEY UPDATE
      )
      INSERT INTO notices (cause, account_id, type, text, data, created_at, next_attempt_at)
      SELECT cause, account_id, type, text, data::json, ${at(nowMs)}::timestamptz, ${at(nowMs)}::timestamptz
      FROM unnest(
        ${column(notices.map(({ cause }) => cause))}::text[],
        ${column(notices.map(({ accountId }) => accountId))}::text[],
        ${column(notices.map(({ type }) => type))}::text[],
        ${column(notices.map(({ text }) => text))}::text[],
        ${column(notices.map(({ data }) => JSON.stringify(data)))}::text[]
      ) AS new (cause, account_id, type, text, data)
      JOIN urls USING (account_id)
      WHERE type = ${TEST_NOTICE} OR type = ANY(types)
      ORDER BY cause ON CONFLICT (cause) DO NOTHING`.pipe(Effect.asVoid)

const ms = (time: string, name: string) => `(extract(epoch FROM ${time}) * 1000)::float8 AS "${name}"`

export class NoticeStore extends Context.Service<NoticeStore>()("ledgerhook/storage/NoticeStore", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    const find = (accountId: AccountId) =>
      sql<NoticeUrlSeen>`
        SELECT u.url, u.format, ${sql.literal(ALL_TYPES)} AS types, u.sealed_secret AS "sealedSecret", ${sql.literal(ms("u.created_at", "createdAt"))},
               ${sql.literal(ms("u.updated_at", "updatedAt"))}, (
          SELECT json_build_object('type', type, 'attempts', attempts, 'error', last_error,
            'createdAt', extract(epoch FROM created_at) * 1000, 'sentAt', extract(epoch FROM sent_at) * 1000)
          FROM notices WHERE account_id = u.account_id ORDER BY id DESC LIMIT 1
        ) AS last
        FROM notice_urls u WHERE account_id = ${accountId}`.pipe(
        Effect.map(([row]) => Option.fromUndefinedOr(row))
      )

    const queue = makeMessageQueue<LeasedNotice>(sql, "notices", "type, text, data")
    const line = makeNoticeLine(sql, queue)

    return {
      lease: line.lease,

      sent: (notice: Leased, nowMs: number) =>
        queue
          .sent(notice, nowMs)
          .pipe(Effect.andThen(line.free(notice.accountId, nowMs)), sql.withTransaction),

      failed: Effect.fnUntraced(
        function* (notice: Leased, error: string, nextAttemptAt: number | null) {
          yield* queue.failed(notice, error, nextAttemptAt)
          yield* line.free(notice.accountId, yield* Clock.currentTimeMillis)
        },
        (marked) => sql.withTransaction(marked)
      ),

      drop: queue.drop,

      /** Queues the account's test notice. False: one waits already. */
      queueTest: (notice: NewNotice, nowMs: number) =>
        // Requests of one account wait for one another here, so the next statement sees what they have queued.
        sql`SELECT FROM notice_urls WHERE account_id = ${notice.accountId} FOR NO KEY UPDATE`.pipe(
          Effect.andThen(sql`
            SELECT FROM notices
            WHERE account_id = ${notice.accountId} AND type = 'notice.test' AND next_attempt_at IS NOT NULL`),
          Effect.flatMap((waiting) =>
            waiting.length > 0 ? Effect.succeed(false) : Effect.as(queueNotices(sql, [notice], nowMs), true)
          ),
          sql.withTransaction
        ),

      /** The URL to send a notice to. */
      target: (accountId: AccountId) =>
        sql<Omit<NoticeUrl, "types">>`
        SELECT url, format, sealed_secret AS "sealedSecret" FROM notice_urls WHERE account_id = ${accountId}`.pipe(
          Effect.map(([row]) => Option.fromUndefinedOr(row))
        ),

      find,

      /** Replaces the account's URL. */
      set: (accountId: AccountId, given: NoticeUrl, nowMs: number) => {
        const now = at(nowMs)
        const [types, alsoTypes] = [true, false].map((isOlder) =>
          column(given.types.filter((type) => TYPES_OF_0_3.includes(type) === isOlder))
        )
        return sql`
        INSERT INTO notice_urls (account_id, url, format, types, also_types, sealed_secret, created_at, updated_at)
        VALUES (${accountId}, ${given.url}, ${given.format}, ${types}::text[], ${alsoTypes}::text[], ${given.sealedSecret},
                ${now}::timestamptz, ${now}::timestamptz)
        ON CONFLICT (account_id) DO UPDATE SET url = excluded.url, format = excluded.format, types = excluded.types,
          also_types = excluded.also_types, sealed_secret = excluded.sealed_secret, updated_at = excluded.updated_at`.pipe(
          Effect.andThen(find(accountId)),
          // The row is locked.
          Effect.map(Option.getOrThrow),
          sql.withTransaction
        )
      },

      /** False if the account has none. Notices that wait are given up. */
      remove: (accountId: AccountId) =>
        sql`DELETE FROM notice_urls WHERE account_id = ${accountId} RETURNING 1`.pipe(
          Effect.tap(
            () => sql`UPDATE notices SET next_attempt_at = NULL, last_error = 'the account has no URL any more'
                      WHERE account_id = ${accountId} AND next_attempt_at IS NOT NULL`
          ),
          Effect.map((rows) => rows.length > 0),
          sql.withTransaction
        )
    }
  })
}) {
  static readonly layer = Layer.effect(NoticeStore, NoticeStore.make)
}
