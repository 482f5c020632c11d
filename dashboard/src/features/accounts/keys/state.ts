/** Whether keys can be used, what needs attention, and what stops when one is revoked. Pure. */
import type { ApiKey } from "../../../api/ledgerhook.ts"
import { plural, relativeTime } from "../../../words/format.ts"
import { mayDo } from "./rights.ts"

const DAY_MS = 86_400_000
/** A key that expires sooner is shown as one that needs to be replaced. */
const SOON_MS = 14 * DAY_MS

export const statusOf = (
  { revoked_at, expires_at }: Pick<ApiKey, "revoked_at" | "expires_at">,
  nowMs: number
): "revoked" | "expired" | "active" =>
  revoked_at !== null
    ? "revoked"
    : expires_at !== null && Date.parse(expires_at) <= nowMs
      ? "expired"
      : "active"

/** "in 5 days", "in 3 h 20 min"; undefined if it is not soon. */
export const expiresSoon = (
  { expires_at }: Pick<ApiKey, "expires_at">,
  nowMs: number
): string | undefined => {
  if (expires_at === null) return undefined
  const ms = Date.parse(expires_at) - nowMs
  if (ms > SOON_MS) return undefined
  return relativeTime(nowMs + ms, nowMs) ?? `in ${plural(Math.floor(ms / DAY_MS), "day")}`
}

/** Active keys, those used last first. */
export const activeKeys = (keys: ReadonlyArray<ApiKey>, nowMs: number): ReadonlyArray<ApiKey> =>
  keys
    .filter((key) => statusOf(key, nowMs) === "active")
    .toSorted((a, b) => Date.parse(b.last_used_at ?? "1970") - Date.parse(a.last_used_at ?? "1970"))

/** "1 key expires in 5 days"; the page's plain name if nothing needs attention. */
export const headlineOf = (active: ReadonlyArray<ApiKey>, nowMs: number): string => {
  const soon = active
    .filter((key) => expiresSoon(key, nowMs) !== undefined)
    .toSorted((a, b) => Date.parse(a.expires_at!) - Date.parse(b.expires_at!))
  if (soon.length === 0) return "API keys"
  return soon.length === 1
    ? `1 key expires ${expiresSoon(soon[0]!, nowMs)}`
    : `${soon.length} keys expire soon, the first ${expiresSoon(soon[0]!, nowMs)}`
}

/** What stops when the key is revoked. */
export const whatStops = (key: ApiKey, nowMs: number): string => {
  if (key.last_used_at === null) return "Nothing has used it so far."
  const ago = relativeTime(Date.parse(key.last_used_at), nowMs)
  const used = ago === undefined ? "It was not used in the last 24 hours." : `It was last used ${ago}.`
  return `${used} Whatever uses it can then no longer ${mayDo(key.scopes, key.environment)}.`
}
