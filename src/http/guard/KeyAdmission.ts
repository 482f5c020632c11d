/**
 * Admission of API requests: one statement for any number of requests. It finds their keys, each credential in
 * the table of its kind, counts them in both rate windows of each key and of each account, and returns how
 * many pass. Exact over all servers: the statement
 * locks the rows of counts, first those of accounts and then those of keys, each in one order, so that statements cannot
 * deadlock. Nothing is cached, so a revoked key, and a session that has ended, fail at their next request.
 */

import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Credential, Identity, Scope } from "../../spine/domain/ApiKey.ts"
import {
  accountRequests,
  CUSTOM_PLAN,
  type LimitOverrides,
  limitsOf,
  type Plan,
  planLimits,
  plans
} from "../../spine/domain/Plans.ts"
import type { KeyEnvironment } from "../../spine/event/Network.ts"
import { column } from "../../spine/store/Columns.ts"
import type { AccountId } from "../../spine/words/Ids.ts"
import { OWN_LIMITS } from "./AccountLimits.ts"

export interface WindowUse {
  readonly limit: number
  /** Requests counted in the window before these. */
  readonly usedBefore: number
  /** Unix milliseconds. */
  readonly endsMs: number
}

/** The answer for the requests with one key, or with one session. */
export interface Admission {
  readonly identity: Identity
  readonly suspended: boolean
  /** How many of the requests are admitted. The others are not counted. */
  readonly admitted: number
  /** The key's windows. */
  readonly minute: WindowUse
  readonly day: WindowUse
  /** The windows of all keys of the account, revoked ones included: a new key is no way around the limits. */
  readonly account: { readonly minute: WindowUse; readonly day: WindowUse }
}

interface Row {
  readonly credential: Credential
  readonly key_id: string
  readonly account_id: AccountId
  readonly environment: KeyEnvironment
  readonly scopes: ReadonlyArray<Scope>
  readonly plan: Plan
  readonly suspended: boolean
  readonly own: LimitOverrides
  readonly minute: number
  readonly day: number
  readonly minute_used: number
  readonly day_used: number
  readonly account_minute: number
  readonly account_day: number
  readonly account_minute_used: number
  readonly account_day_used: number
  readonly admitted: number
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

const minuteOf = (limit: number, usedBefore: number, minute: number): WindowUse => ({
  limit,
  usedBefore,
  endsMs: (minute + 1) * MINUTE_MS
})

const dayOf = (limit: number, usedBefore: number, day: number): WindowUse => ({
  limit,
  usedBefore,
  endsMs: (day + 1) * DAY_MS
})

const admissionOf = (row: Row): Admission => {
  const limits = limitsOf(row.plan, row.own)
  const { perDay, perMinute } = accountRequests(limits)
  return {
    identity: {
      keyId: row.key_id,
      admittedBy: row.credential,
      accountId: row.account_id,
      plan: row.plan,
      limits,
      environment: row.environment,
      scopes: row.scopes
    },
    suspended: row.suspended,
    admitted: row.admitted,
    minute: minuteOf(limits.requestsPerMinute, row.minute_used, row.minute),
    day: dayOf(limits.requestsPerDay, row.day_used, row.day),
    account: {
      minute: minuteOf(perMinute, row.account_minute_used, row.account_minute),
      day: dayOf(perDay, row.account_day_used, row.account_day)
    }
  }
}

/** A row of `asked` has a credential. */
export const KEYS_OF_CREDENTIALS = `
  LEFT JOIN api_keys AS key ON asked.credential LIKE 'key %'
    AND key.key_sha256 = decode(split_part(asked.credential, ' ', 2), 'hex')
  LEFT JOIN sessions AS session ON asked.credential LIKE 'session %'
    AND session.sha256 = decode(split_part(asked.credential, ' ', 2), 'hex')`

export class KeyAdmission extends Context.Service<KeyAdmission>()("ledgerhook/storage/KeyAdmission", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const standards = plans.map((plan) => planLimits[plan])
    const planNames = column(plans)
    const perMinute = column(standards.map(({ requestsPerMinute }) => requestsPerMinute))
    const perDay = column(standards.map(({ requestsPerDay }) => requestsPerDay))
    const keysOf = column(standards.map(({ apiKeys }) => apiKeys))

    /**
     * A crash of the database may lose counts, because their commit does not wait for the disk. If the stored window
     * is the next one, a server whose clock is ahead began it, and it is continued. If it is later than that, a wrong
     * clock began it, and it is dropped.
     */
    const window = (name: "minute" | "day") =>
      sql.literal(`
        CASE WHEN usage.${name} - clock.${name} IN (0, 1) THEN usage.${name} ELSE clock.${name} END AS ${name},
        CASE WHEN usage.${name} - clock.${name} IN (0, 1) THEN usage.${name}_used ELSE 0 END AS ${name}_used`)

    return {
      /**
       * `requests`: their number by credential. Unknown, revoked and expired ones are not in the result. The lookup is by
       * hash, so its duration reveals nothing about a key.
       */
      admit: (requests: ReadonlyMap<Credential, number>, nowMs: number) =>
        sql<Row>`
          WITH clock (minute, day, at) AS (
            VALUES (${Math.floor(nowMs / MINUTE_MS)}::int, ${Math.floor(nowMs / DAY_MS)}::int,
                    ${new Date(nowMs).toISOString()}::timestamptz)
          ), asked AS (
            SELECT asked.credential, asked.requests, coalesce(key.id, session.key_id) AS key_id,
                   -- The requests of the key's other callers in this statement that come first.
                   sum(asked.requests) OVER (
                     PARTITION BY coalesce(key.id, session.key_id) ORDER BY asked.credential
                   ) - asked.requests AS before
            FROM unnest(${column([...requests.keys()])}::text[], ${column([...requests.values()])}::int[])
                   AS asked (credential, requests)
              CROSS JOIN clock
              ${sql.literal(KEYS_OF_CREDENTIALS)} AND session.expires_at > clock.at
          ), valid AS (
            SELECT of_key.requests, key.id AS key_id, key.account_id, key.environment, key.scopes,
                   clock.minute AS clock_minute, clock.day AS clock_day, clock.at
            FROM (SELECT key_id, sum(requests)::int AS requests FROM asked GROUP BY key_id) AS of_key
              JOIN api_keys AS key ON key.id = of_key.key_id
              CROSS JOIN clock
              CROSS JOIN set_config('synchronous_commit', 'off', true)
            WHERE key.revoked_at IS NULL AND (key.expires_at IS NULL OR key.expires_at > clock.at)
          ), accounts_held AS (
            SELECT usage.account_id, ${window("minute")}, ${window("day")}
            FROM account_usage AS usage CROSS JOIN clock
            WHERE usage.account_id IN (SELECT account_id FROM valid)
            ORDER BY usage.account_id FOR UPDATE OF usage
          ), keys_held AS (
            SELECT usage.key_id, ${window("minute")}, ${window("day")}, usage.last_used_at
            FROM key_usage AS usage CROSS JOIN clock
            -- Locks every account before the first key.
            WHERE (SELECT count(*) FROM accounts_held) >= 0 AND usage.key_id IN (SELECT key_id FROM valid)
            ORDER BY usage.key_id FOR UPDATE OF usage
          ), held AS (
            SELECT valid.*, account.plan, account.suspended_at IS NOT NULL AS suspended,
                   ${sql.literal(OWN_LIMITS)} AS own, standard.keys::bigint AS keys,
                   coalesce(CASE WHEN account.plan = ${CUSTOM_PLAN} THEN account.requests_per_minute END,
                            standard.per_minute) AS minute_limit,
                   coalesce(CASE WHEN account.plan = ${CUSTOM_PLAN} THEN account.requests_per_day END,
                            standard.per_day) AS day_limit,
                   key.minute, key.minute_used, key.day, key.day_used, key.last_used_at,
                   coalesce(whole.minute, clock_minute) AS account_minute,
                   coalesce(whole.minute_used, 0) AS account_minute_used,
                   coalesce(whole.day, clock_day) AS account_day, coalesce(whole.day_used, 0) AS account_day_used
            FROM valid JOIN keys_held AS key USING (key_id)
              JOIN accounts AS account ON account.id = valid.account_id
              JOIN unnest(${planNames}::text[], ${perMinute}::int[], ${perDay}::int[], ${keysOf}::int[])
                   AS standard (plan, per_minute, per_day, keys) ON standard.plan = account.plan
              LEFT JOIN accounts_held AS whole ON whole.account_id = valid.account_id
          ), wanted AS (
            SELECT *, least(requests, greatest(minute_limit - minute_used, 0),
                            greatest(day_limit - day_used, 0)) AS wanted
            FROM held
          ), placed AS (
            -- The requests of an account's other keys in this statement that come first.
            SELECT *, sum(wanted) OVER (PARTITION BY account_id ORDER BY key_id) - wanted AS ahead FROM wanted
          ), counted AS (
            SELECT *, least(wanted, greatest(minute_limit * keys - account_minute_used - ahead, 0),
                            greatest(day_limit * keys - account_day_used - ahead, 0))::int AS admitted
            FROM placed
          ), keys_written AS (
            UPDATE key_usage AS usage SET
              minute = counted.minute, minute_used = counted.minute_used + counted.admitted,
              day = counted.day, day_used = counted.day_used + counted.admitted, last_used_at = counted.at
            FROM counted
            WHERE usage.key_id = counted.key_id
              AND (counted.admitted > 0 OR counted.last_used_at IS NULL
                   OR counted.at - counted.last_used_at >= interval '1 minute')
          ), accounts_written AS (
            INSERT INTO account_usage (account_id, minute, minute_used, day, day_used)
            SELECT account_id, min(account_minute), min(account_minute_used) + sum(admitted),
                   min(account_day), min(account_day_used) + sum(admitted)
            FROM counted GROUP BY account_id HAVING sum(admitted) > 0 ORDER BY account_id
            ON CONFLICT (account_id) DO UPDATE SET
              minute = excluded.minute, minute_used = excluded.minute_used,
              day = excluded.day, day_used = excluded.day_used
          )
          SELECT credential, key_id, account_id, environment, scopes, plan, suspended, own,
                 minute, (minute_used + passed)::int AS minute_used, day, (day_used + passed)::int AS day_used,
                 account_minute, (account_minute_used + ahead + passed)::float8 AS account_minute_used,
                 account_day, (account_day_used + ahead + passed)::float8 AS account_day_used,
                 least(asked.requests, admitted - passed)::int AS admitted
          FROM asked JOIN counted USING (key_id) CROSS JOIN LATERAL (SELECT least(before, admitted) AS passed) AS first`.pipe(
          Effect.map((rows) => new Map(rows.map((row) => [row.credential, admissionOf(row)])))
        )
    }
  })
}) {
  static readonly layer = Layer.effect(KeyAdmission, KeyAdmission.make)
}
