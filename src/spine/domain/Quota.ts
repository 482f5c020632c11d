/**
 * The rules of the monthly delivery quota: which deliveries it counts, when an account's deliveries wait, and for
 * which webhooks. An account has a hold; the effect on a webhook depends on the webhook's network. Pure.
 */
import type { Network } from "../event/Network.ts"

/** Why an account's deliveries wait. */
export type Hold = "quota" | "suspended"

/** Which deliveries of a webhook may start: all, only free ones (test deliveries), or none. */
export type SendPermission = "all" | "free" | "none"

/** Deliveries on this network count towards the quota, except test deliveries. The test networks are free. */
export const CHARGED_NETWORK: Network = "mainnet"

export const permissionUnder = (hold: Hold | undefined, network: Network): SendPermission => {
  if (hold === undefined) return "all"
  if (hold === "suspended") return "none"
  return network === CHARGED_NETWORK ? "free" : "all"
}

/** Percentages of the quota at which the account gets a mail. */
export const quotaNotices = [80, 100] as const
export type QuotaNotice = (typeof quotaNotices)[number]

/** `2026-11`: the UTC calendar month of a moment. */
export const monthOf = (unixMs: number): string => new Date(unixMs).toISOString().slice(0, 7)
