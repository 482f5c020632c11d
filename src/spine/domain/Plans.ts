/**
 * Plans and their limits. Only accounts on the plan Enterprise can have limits of their own, which replace the plan's.
 * Pure.
 */
export const plans = ["developer", "builder", "professional", "compliance", "enterprise"] as const
export type Plan = (typeof plans)[number]

export interface PlanLimits {
  readonly requestsPerMinute: number
  readonly requestsPerDay: number
  /** Delivery attempts a UTC calendar month; null: no quota. */
  readonly monthlyDeliveries: number | null
  readonly concurrentReplays: number
  /** Webhooks, active or disabled. */
  readonly webhooks: number
  /** Addresses in the filters of all of them. */
  readonly accountFilters: number
  /** API keys that are neither revoked nor expired. The operator's own commands may make more. */
  readonly apiKeys: number
}

/** Requests of all keys of an account together, also revoked ones: as many as its valid keys may make. */
export const accountRequests = ({ apiKeys, requestsPerDay, requestsPerMinute }: PlanLimits) => ({
  perMinute: requestsPerMinute * apiKeys,
  perDay: requestsPerDay * apiKeys
})

/** Replaces all keys of an account four times a day. Each key is a row that is never deleted. */
const KEY_ROTATIONS_A_DAY = 4

/** Keys that an account may create within 24 hours. */
export const newKeysPerDay = ({ apiKeys }: PlanLimits): number => apiKeys * KEY_ROTATIONS_A_DAY

/** In one table, also what only features count: a plan is sold as a whole, and docs/api.md has the same table. */
export const planLimits: Readonly<Record<Plan, PlanLimits>> = {
  developer: {
    requestsPerMinute: 60,
    requestsPerDay: 1_000,
    monthlyDeliveries: 10_000,
    concurrentReplays: 1,
    webhooks: 10,
    accountFilters: 10_000,
    apiKeys: 5
  },
  builder: {
    requestsPerMinute: 300,
    requestsPerDay: 10_000,
    monthlyDeliveries: 250_000,
    concurrentReplays: 2,
    webhooks: 50,
    accountFilters: 50_000,
    apiKeys: 20
  },
  professional: {
    requestsPerMinute: 1_000,
    requestsPerDay: 100_000,
    monthlyDeliveries: 5_000_000,
    concurrentReplays: 5,
    webhooks: 200,
    accountFilters: 200_000,
    apiKeys: 100
  },
  compliance: {
    requestsPerMinute: 1_000,
    requestsPerDay: 100_000,
    monthlyDeliveries: 5_000_000,
    concurrentReplays: 10,
    webhooks: 500,
    accountFilters: 500_000,
    apiKeys: 100
  },
  enterprise: {
    requestsPerMinute: 10_000,
    requestsPerDay: 10_000_000,
    monthlyDeliveries: null,
    concurrentReplays: 50,
    webhooks: 10_000,
    accountFilters: 2_000_000,
    apiKeys: 100
  }
}

/** The plan whose figures an account may replace. */
export const CUSTOM_PLAN: Plan = "enterprise"

/** An account's own limits. Null: the plan's limit applies. */
export type LimitOverrides = { readonly [K in Exclude<keyof PlanLimits, "apiKeys">]: number | null }

export const limitsOf = (plan: Plan, own: LimitOverrides): PlanLimits => {
  const standard = planLimits[plan]
  if (plan !== CUSTOM_PLAN) return standard
  return {
    requestsPerMinute: own.requestsPerMinute ?? standard.requestsPerMinute,
    requestsPerDay: own.requestsPerDay ?? standard.requestsPerDay,
    monthlyDeliveries: own.monthlyDeliveries ?? standard.monthlyDeliveries,
    concurrentReplays: own.concurrentReplays ?? standard.concurrentReplays,
    webhooks: own.webhooks ?? standard.webhooks,
    accountFilters: own.accountFilters ?? standard.accountFilters,
    apiKeys: standard.apiKeys
  }
}

/** The limits as the API and the commands show them. */
export const limitsJson = (limits: PlanLimits) => {
  const account = accountRequests(limits)
  return {
    requests_per_minute: limits.requestsPerMinute,
    requests_per_day: limits.requestsPerDay,
    account_requests_per_minute: account.perMinute,
    account_requests_per_day: account.perDay,
    monthly_deliveries: limits.monthlyDeliveries,
    concurrent_replays: limits.concurrentReplays,
    webhooks: limits.webhooks,
    account_filters: limits.accountFilters,
    api_keys: limits.apiKeys,
    new_api_keys_per_day: newKeysPerDay(limits)
  }
}
