/**
 * Whether a load balancer should send requests to this process, and whether a probe should call it ready
 * (`/readyz/traffic`). Only faults that other processes do not share count, except a database without which the API can
 * answer nothing. Everything else is for alerts: taking processes away would make it worse. Pure.
 */

import type { Role } from "../../../spine/config/Definitions.ts"
import { Limits } from "../../../spine/config/Limits.ts"
import { seconds } from "../../../spine/words/Words.ts"
import { operateLimits } from "../Limits.ts"

/** Times are of the monotonic clock. */
export interface TrafficFacts {
  readonly nowMs: number
  /** What the process says while it starts or stops. */
  readonly startOrStop: string | undefined
  readonly roles: ReadonlyArray<Role>
  /** Names of the parts. A role's part has its name; `ingest` has one for each network, such as `ingest.mainnet`. */
  readonly parts: ReadonlyArray<string>
  /** Since when parts have failed. */
  readonly failedSince: ReadonlyMap<string, number>
  readonly databaseFailedSince: number | undefined
  /**
   * When the database or the log failed last. A stage that fails because of them is not at fault, nor while it begins
   * again afterwards.
   */
  readonly sharedFailedAt: number | undefined
}

/** Since when all parts of the role have failed; undefined if one works. */
export const roleFailedSince = (
  { failedSince, parts }: Pick<TrafficFacts, "failedSince" | "parts">,
  role: Role
): number | undefined => {
  const own = parts.filter((part) => part === role || part.startsWith(`${role}.`))
  const since = own.flatMap((part) => failedSince.get(part) ?? [])
  return own.length > 0 && since.length === own.length ? Math.max(...since) : undefined
}

/** Why the process should get no requests; undefined if it should. */
export const trafficObstacle = (facts: TrafficFacts): string | undefined => {
  const { databaseFailedSince, nowMs, roles, sharedFailedAt, startOrStop } = facts
  if (startOrStop !== undefined) return startOrStop
  for (const role of roles) {
    const since = roleFailedSince(facts, role)
    if (since !== undefined && nowMs - Math.max(since, sharedFailedAt ?? since) >= Limits.troubleMs)
      return `the role ${role} has failed for ${seconds(nowMs - since, 0)}; the log says why`
  }
  if (databaseFailedSince === undefined || !roles.includes("api")) return undefined
  const failedMs = nowMs - databaseFailedSince
  return failedMs < operateLimits.databaseFailedMs
    ? undefined
    : `the database has not answered for ${seconds(failedMs, 0)}`
}
