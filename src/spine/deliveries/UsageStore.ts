/**
 * Reads how much of their monthly delivery quota accounts have used, which accounts are on hold, and which must get a
 * mail. DeliveryStore.record does the counting. The SQL for the quota must agree with `limitsOf` (domain/Plans.ts).
 */

import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { Limits } from "../config/Limits.ts"
import { CUSTOM_PLAN, type Plan, planLimits, plans } from "../domain/Plans.ts"
import { CHARGED_NETWORK, type Hold, monthOf, type QuotaNotice, quotaNotices } from "../domain/Quota.ts"
import { column } from "../store/Columns.ts"
import type { AccountId } from "../words/Ids.ts"
import { dateOf } from "../words/IsoTime.ts"

/** An account that has reached a notice percentage of its quota and has not got a mail about it. */
export interface ReachedQuota {
  readonly accountId: AccountId
  readonly name: string
  readonly email: string | null
  readonly plan: Plan
  readonly month: string
  readonly percent: QuotaNotice
  readonly deliveries: number
  readonly quota: number
  /** The mail's cause: unique for each account, month, quota and percentage. */
  readonly cause: string
}

/** Charged attempts of an account in a UTC month. */
interface MonthUsage {
  readonly deliveries: number
  /** Every day of the month up to today, oldest first. */
  readonly days: ReadonlyArray<DayUsage>
}

interface DayUsage {
  /** `2026-11-21`, in UTC. */
  readonly date: string
  readonly deliveries: number
}

const firstDayOf = (month: string): string => `${month}-01`

/** A table expression: every account, its quota (null: none) and its attempts in that month. */
const accountUsage = (sql: SqlClient.SqlClient, month: string) => sql`(
  SELECT a.id, a.name, a.email, a.plan, a.suspended_at, coalesce(u.deliveries, 0) AS deliveries,
         coalesce(CASE WHEN a.plan = ${CUSTOM_PLAN} THEN a.monthly_deliveries END, p.quota) AS quota
  FROM accounts a
  JOIN unnest(
    ${column(plans)}::text[], ${column(plans.map((plan) => planLimits[plan].monthlyDeliveries))}::bigint[]
  ) AS p (plan, quota) ON p.plan = a.plan
  LEFT JOIN delivery_usage u ON u.account_id = a.id AND u.month = ${firstDayOf(month)}::date
)`

/** Whether the account's quota of this month is used up. Runs in the caller's transaction. */
export const quotaUsedUp = (
  sql: SqlClient.SqlClient,
  accountId: AccountId,
  nowMs: number
): Effect.Effect<boolean, SqlError.SqlError> =>
  sql`SELECT 1 FROM ${accountUsage(sql, monthOf(nowMs))} AS account
      WHERE id = ${accountId} AND deliveries >= quota`.pipe(Effect.map((rows) => rows.length > 0))

/**
 * Returns the accounts whose quota was used up at that time, as far as is known. An account counts if its usage of
 * that month reached its present quota, unless the mail about it is from a later time. That mail is queued within
 * Limits.quotaNoticesMs; if it has been deleted, the account counts.
 */
export const quotaUsedUpAt = (
  sql: SqlClient.SqlClient,
  accountIds: ReadonlyArray<AccountId>,
  atMs: number
): Effect.Effect<ReadonlySet<string>, SqlError.SqlError> =>
  sql<{ readonly id: string }>`
    SELECT id FROM ${accountUsage(sql, monthOf(atMs))} AS account
    WHERE id = ANY(${column(accountIds)}::text[]) AND deliveries >= quota AND NOT EXISTS (
      SELECT 1 FROM mails
      WHERE mails.cause = concat_ws('/', 'quota', account.id, ${monthOf(atMs)}::text, account.quota, 100)
        AND mails.created_at > ${new Date(atMs + Limits.quotaNoticesMs).toISOString()}::timestamptz
    )`.pipe(Effect.map((rows) => new Set(rows.map(({ id }) => id))))

/**
 * How many more deliveries this month's quota allows. Each queued delivery counts as one attempt. Null: any number.
 */
export const deliveriesLeftInQuota = (
  sql: SqlClient.SqlClient,
  accountId: AccountId,
  nowMs: number
): Effect.Effect<number | null, SqlError.SqlError> =>
  sql<{ readonly remaining: number | null }>`
    SELECT CASE WHEN quota IS NOT NULL THEN (quota - deliveries - (
      SELECT coalesce(sum(count), 0) FROM delivery_counts
      WHERE account_id = account.id AND network = ${CHARGED_NETWORK} AND status IN ('pending', 'retrying')
        AND width = '1 day'
    ))::float8 END AS remaining
    FROM ${accountUsage(sql, monthOf(nowMs))} AS account WHERE id = ${accountId}`.pipe(
    Effect.map(([row]) => (row?.remaining == null ? null : Math.max(0, row.remaining)))
  )

/** The accounts on hold among those that `which` chooses of the table `account`. */
export const accountHolds = (
  sql: SqlClient.SqlClient,
  nowMs: number,
  which: Statement.Fragment
): Effect.Effect<ReadonlyMap<string, Hold>, SqlError.SqlError> =>
  sql<{ readonly id: string; readonly hold: Hold }>`
    SELECT id, CASE WHEN suspended_at IS NULL THEN 'quota' ELSE 'suspended' END AS hold
    FROM ${accountUsage(sql, monthOf(nowMs))} AS account
    WHERE (suspended_at IS NOT NULL OR deliveries >= quota) AND ${which}`.pipe(
    Effect.map((rows) => new Map(rows.map(({ id, hold }) => [id, hold])))
  )

export class UsageStore extends Context.Service<UsageStore>()("ledgerhook/storage/UsageStore", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const holds = (nowMs: number, which: Statement.Fragment) => accountHolds(sql, nowMs, which)

    return {
      /** Usage in the UTC month of `nowMs`. */
      usageOf: (accountId: AccountId, nowMs: number) =>
        sql<DayUsage & { readonly total: number }>`
          SELECT to_char(date, 'YYYY-MM-DD') AS date, coalesce(d.deliveries, 0)::float8 AS deliveries,
                 coalesce(u.deliveries, 0)::float8 AS total
          FROM generate_series(${firstDayOf(monthOf(nowMs))}::timestamp, ${dateOf(nowMs)}::timestamp, '1 day') AS date
          LEFT JOIN delivery_usage_days d ON d.account_id = ${accountId} AND d.day = date::date
          LEFT JOIN delivery_usage u ON u.account_id = ${accountId} AND u.month = ${firstDayOf(monthOf(nowMs))}::date
          ORDER BY date`.pipe(
          Effect.map(
            (rows): MonthUsage => ({
              deliveries: rows[0]?.total ?? 0,
              days: rows.map(({ date, deliveries }) => ({ date, deliveries }))
            })
          )
        ),

      /** The accounts on hold at `nowMs`. */
      holds: (nowMs: number) => holds(nowMs, sql`true`),

      /** The account's hold at `nowMs`; undefined if its deliveries do not wait. */
      holdOf: (accountId: AccountId, nowMs: number) =>
        Effect.map(holds(nowMs, sql`id = ${accountId}`), (found) => found.get(accountId)),

      /** Accounts that must get a mail because they have reached a notice percentage of their quota. */
      dueNotices: (nowMs: number, limit: number) => {
        const month = monthOf(nowMs)
        return sql<Omit<ReachedQuota, "month">>`
          SELECT reached.* FROM (
            SELECT id AS "accountId", name, email, plan, percent, deliveries::float8 AS deliveries,
                   quota::float8 AS quota, concat_ws('/', 'quota', id, ${month}::text, quota, percent) AS cause
            FROM ${accountUsage(sql, month)} AS account
            CROSS JOIN unnest(${column(quotaNotices)}::int[]) AS notice (percent)
            WHERE quota > 0 AND deliveries * 100 >= quota * percent
          ) AS reached
          WHERE NOT EXISTS (SELECT 1 FROM mails WHERE mails.cause = reached.cause)
          ORDER BY cause LIMIT ${limit}`.pipe(Effect.map((rows) => rows.map((row) => ({ ...row, month }))))
      }
    }
  })
}) {
  static readonly layer = Layer.effect(UsageStore, UsageStore.make)
}
