/**
 * What a webhook's deliveries wait for. `first_attempt`: first attempts start in ledger order, and a retry holds nothing
 * back. `strict`: nothing later is sent until the earlier delivery is answered or given up.
 */

export const orderings = ["first_attempt", "strict"] as const
export type Ordering = (typeof orderings)[number]

export const defaultOrdering: Ordering = "first_attempt"
