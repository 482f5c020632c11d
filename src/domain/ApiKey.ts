/**
 * API keys: what they look like, what they may do, and who is calling with one. The value is shown once; afterwards
 * only its SHA-256 exists, so a lookup compares hashes and tells nothing about a key by its timing.
 */
import { hash, randomBytes } from "node:crypto"
import type { KeyEnvironment } from "./Network.ts"
import type { Plan, PlanLimits } from "./Plans.ts"

export const scopes = [
  "webhooks:read",
  "webhooks:write",
  "deliveries:read",
  "deliveries:write",
  "events:read",
  "api_keys:read",
  "api_keys:write",
  "admin"
] as const
export type Scope = (typeof scopes)[number]

/** `admin` has every scope. */
export const hasScope = (held: ReadonlyArray<Scope>, scope: Scope): boolean =>
  held.includes("admin") || held.includes(scope)

export const apiKeyBounds = {
  /** Characters of a key's name. */
  apiKeyNameLength: 100
} as const

/** Who a valid key stands for. */
export interface Identity {
  readonly keyId: string
  readonly accountId: string
  readonly plan: Plan
  /** The plan's, with what its account has of its own. */
  readonly limits: PlanLimits
  readonly environment: KeyEnvironment
  readonly scopes: ReadonlyArray<Scope>
}

const keyPrefix = (environment: KeyEnvironment): string => `svc_${environment}_`

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const KEY_BYTES = 32
/** Characters that any 32 bytes fit into: 62^43 > 2^256. */
const KEY_CHARS = 43

export const newKeyValue = (environment: KeyEnvironment): string => {
  let rest = BigInt(`0x${randomBytes(KEY_BYTES).toString("hex")}`)
  let text = ""
  for (let i = 0; i < KEY_CHARS; i++) {
    text = BASE62[Number(rest % 62n)] + text
    rest /= 62n
  }
  return keyPrefix(environment) + text
}

export const keySha256 = (value: string): Buffer => hash("sha256", value, "buffer")

/** Enough to recognise a key by: `svc_live_…x7Qb`. */
export const keyHint = (value: string): string => {
  const prefix = value.slice(0, value.lastIndexOf("_") + 1)
  return `${prefix}…${value.slice(-4)}`
}
