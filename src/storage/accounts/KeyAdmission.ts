/**
 * Admission of API requests: one statement for any number of requests. It finds their keys by SHA-256, counts them in
 * both rate windows of each key and returns how many pass. Exact over all servers: the statement locks each key's row
 * of counts, in one order, so that statements cannot deadlock. Nothing is cached, so a revoked key fails at its next
 * request.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Identity, Scope } from "../../domain/ApiKey.ts"
import type { KeyEnvironment } from "../../domain/Network.ts"
import {
  CUSTOM_PLAN,
  type LimitOverrides,
  limitsOf,
  type Plan,
  planLimits,
  plans
} from "../../domain/Plans.ts"
import { column } from "../Columns.ts"
import { OWN_LIMITS } from "./AccountLimits.ts"

export interface WindowUse {
  readonly limit: number
  /** Requests counted in the window before these. */
  readonly usedBefore: number
  /** Unix milliseconds. */
  readonly endsMs: number
}

/** The answer for the requests with one key. */
export interface Admission {
  readonly identity: Identity
  readonly suspended: boolean
  /** How many of the requests are admitted. The others are not counted. */
  readonly admitted: number
  readonly minute: WindowUse
  readonly day: WindowUse
}

interface Row {
  readonly sha256: string
  readonly key_id: string
  readonly account_id: string
  readonly environment: KeyEnvironment
  readonly scopes: ReadonlyArray<Scope>
  readonly plan: Plan
  readonly suspended: boolean
  readonly own: LimitOverrides
  readonly minute: number
  readonly day: number
  readonly minute_used: number
  readonly day_used: number
  readonly admitted: number
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

const admissionOf = (row: Row): Admission => {
  const limits = limitsOf(row.plan, row.own)
  return {
    identity: {
      keyId: row.key_id,
      accountId: row.account_id,
      plan: row.plan,
      limits,
      environment: row.environment,
      scopes: row.scopes
    },
    suspended: row.suspended,
    admitted: row.admitted,
    minute: {
      limit: limits.requestsPerMinute,
      usedBefore: row.minute_used,
      endsMs: (row.minute + 1) * MINUTE_MS
    },
    day: { limit: limits.requestsPerDay, usedBefore: row.day_used, endsMs: (row.day + 1) * DAY_MS }
  }
}

export class KeyAdmission extends Context.Service<KeyAdmission>()("ledgerhook/storage/KeyAdmission", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const standards = plans.map((plan) => planLimits[plan])
    const planNames = column(plans)
    const perMinute = column(standards.map(({ requestsPerMinute }) => requestsPerMinute))
    const perDay = column(standards.map(({ requestsPerDay }) => requestsPerDay))

    // A crash of the database may lose counts, because their commit does not wait for the disk. If the stored window
    // is the next one, a server whose clock is ahead began it, and it is continued. If it is later than that, a wrong
    // clock began it, and it is dropped.
    return {
      /**
       * `requests`: their number by the SHA-256 of their key, in lower-case hex. Unknown, revoked and expired keys
       * are not in the result. The lookup is by hash, so its duration reveals nothing about a key.
       */
      admit: (requests: ReadonlyMap<string, number>, nowMs: number) =>
        sql<Row>`
          WITH held AS (
            SELECT asked.sha256, asked.requests, key.id AS key_id, key.account_id, key.environment, key.scopes,
                   account.plan, account.suspended_at IS NOT NULL AS suspended,
                   ${sql.literal(OWN_LIMITS)} AS own,
                   coalesce(CASE WHEN account.plan = ${CUSTOM_PLAN} THEN account.requests_per_minute END,
                            standard.per_minute) AS minute_limit,
                   coalesce(CASE WHEN account.plan = ${CUSTOM_PLAN} THEN account.requests_per_day END,
                            standard.per_day) AS day_limit,
                   CASE WHEN usage.minute - clock.minute IN (0, 1) THEN usage.minute ELSE clock.minute END AS minute,
                   CASE WHEN usage.minute - clock.minute IN (0, 1) THEN usage.minute_used ELSE 0 END AS minute_used,
                   CASE WHEN usage.day - clock.day IN (0, 1) THEN usage.day ELSE clock.day END AS day,
                   CASE WHEN usage.day - clock.day IN (0, 1) THEN usage.day_used ELSE 0 END AS day_used,
                   usage.last_used_at, clock.at
            FROM unnest(${column([...requests.keys()])}::text[], ${column([...requests.values()])}::int[])
                   AS asked (sha256, requests)
              JOIN api_keys AS key ON key.key_sha256 = decode(asked.sha256, 'hex')
              JOIN accounts AS account ON account.id = key.account_id
              JOIN unnest(${planNames}::text[], ${perMinute}::int[], ${perDay}::int[])
                   AS standard (plan, per_minute, per_day) ON standard.plan = account.plan
              JOIN key_usage AS usage ON usage.key_id = key.id
              CROSS JOIN (VALUES (${Math.floor(nowMs / MINUTE_MS)}::int, ${Math.floor(nowMs / DAY_MS)}::int,
                                  ${new Date(nowMs).toISOString()}::timestamptz)) AS clock (minute, day, at)
              CROSS JOIN set_config('synchronous_commit', 'off', true)
            WHERE key.revoked_at IS NULL AND (key.expires_at IS NULL OR key.expires_at > clock.at)
            ORDER BY usage.key_id FOR UPDATE OF usage
          ), counted AS (
            SELECT *, least(requests, greatest(minute_limit - minute_used, 0),
                            greatest(day_limit - day_used, 0)) AS admitted
            FROM held
          ), written AS (
            UPDATE key_usage AS usage SET
              minute = counted.minute, minute_used = counted.minute_used + counted.admitted,
              day = counted.day, day_used = counted.day_used + counted.admitted, last_used_at = counted.at
            FROM counted
            WHERE usage.key_id = counted.key_id
              AND (counted.admitted > 0 OR counted.last_used_at IS NULL
                   OR counted.at - counted.last_used_at >= interval '1 minute')
          )
          SELECT sha256, key_id, account_id, environment, scopes, plan, suspended, own, minute, minute_used, day, day_used, admitted
          FROM counted`.pipe(Effect.map((rows) => new Map(rows.map((row) => [row.sha256, admissionOf(row)]))))
    }
  })
}) {
  static readonly layer = Layer.effect(KeyAdmission, KeyAdmission.make)
}
