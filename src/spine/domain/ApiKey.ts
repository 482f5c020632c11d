/**
 * API keys: format, scopes and identity. A key's value is shown once. Only its SHA-256 is stored, so the timing of a
 * lookup reveals nothing about a key.
 */

import { hash, randomBytes } from "node:crypto"
import type { KeyEnvironment, Network } from "../event/Network.ts"
import type { AccountId } from "../words/Ids.ts"
import type { Plan, PlanLimits } from "./Plans.ts"

/** In one list, also those of features: keys are stored with them, and must be readable without the feature. */
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

/**
 * What a caller shows, by kind and SHA-256 in lower-case hex. Each kind is looked up in its own table, so that the hash of
 * one is never accepted as another.
 */
export type Credential = `${"key" | "session"} ${string}`

/** The account and rights of a valid key. */
export interface Identity {
  readonly keyId: string
  /** What the request was admitted by. */
  readonly admittedBy: Credential
  readonly accountId: AccountId
  readonly plan: Plan
  /** The plan's limits, with the account's own limits applied. */
  readonly limits: PlanLimits
  readonly environment: KeyEnvironment
  readonly scopes: ReadonlyArray<Scope>
}

/** The account and the networks whose data a request may see. */
export interface Owner {
  readonly accountId: AccountId
  readonly networks: ReadonlyArray<Network>
}

const keyPrefix = (environment: KeyEnvironment): string => `svc_${environment}_`

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const KEY_BYTES = 32
/** Characters that any 32 bytes fit into: 62^43 > 2^256. */
const KEY_CHARS = 43

/** 256 random bits as letters and digits. */
export const randomText = (): string => {
  let rest = BigInt(`0x${randomBytes(KEY_BYTES).toString("hex")}`)
  let text = ""
  for (let i = 0; i < KEY_CHARS; i++) {
    text = BASE62[Number(rest % 62n)] + text
    rest /= 62n
  }
  return text
}

export const newKeyValue = (environment: KeyEnvironment): string => keyPrefix(environment) + randomText()

/** A generated key has 43 characters behind the prefix, `ADMIN_KEY` 32 to 128. */
export const KEY_FORM = /^svc_(?:live|test)_[A-Za-z0-9]{32,128}$/

export const keySha256 = (value: string): Buffer => hash("sha256", value, "buffer")

/** Undefined if the text has not the form of a key. */
export const keyCredential = (value: string): Credential | undefined =>
  KEY_FORM.test(value) ? `key ${hash("sha256", value)}` : undefined

/** Enough to recognise a key by: `svc_live_…x7Qb`. */
export const keyHint = (value: string): string => {
  const prefix = value.slice(0, value.lastIndexOf("_") + 1)
  return `${prefix}…${value.slice(-4)}`
}
