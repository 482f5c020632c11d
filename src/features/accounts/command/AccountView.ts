/** How commands show an account: as a row of a table, as lines, or as JSON. Pure. */

import { accountRequests, limitsJson, limitsOf, newKeysPerDay } from "../../../spine/domain/Plans.ts"
import { iso } from "../../../spine/words/IsoTime.ts"
import { GREEN, RED } from "../../../terminal/Colour.ts"
import type { Column, Field } from "../../../terminal/Table.ts"
import type { Account } from "../AccountStore.ts"

export const toJson = (account: Account) => {
  const limits = limitsOf(account.plan, account.own)
  return {
    id: account.id,
    name: account.name,
    email: account.email,
    plan: account.plan,
    limits: limitsJson(limits),
    suspended_at: account.suspended_at === null ? null : iso(account.suspended_at),
    created_at: iso(account.created_at)
  }
}

const status = ({ suspended_at }: Account): string => (suspended_at === null ? "active" : "suspended")

export const columns: ReadonlyArray<Column<Account>> = [
  { head: "ID", cell: ({ id }) => id },
  { head: "PLAN", cell: ({ plan }) => plan },
  {
    head: "STATUS",
    cell: status,
    colour: ({ suspended_at }) => (suspended_at === null ? GREEN : RED)
  },
  { head: "CREATED", cell: ({ created_at }) => iso(created_at) },
  { head: "NAME", cell: ({ name }) => name },
  { head: "EMAIL", cell: ({ email }) => email ?? "-" }
]

export const fields = (account: Account): ReadonlyArray<Field> => {
  const limits = limitsOf(account.plan, account.own)
  const all = accountRequests(limits)
  return [
    ["id", account.id],
    ["name", account.name],
    ["email", account.email ?? "-"],
    ["plan", account.plan],
    ["requests", `${limits.requestsPerMinute} a minute, ${limits.requestsPerDay} a day, with each key`],
    ["all requests", `${all.perMinute} a minute, ${all.perDay} a day, with all keys together`],
    ["deliveries", limits.monthlyDeliveries === null ? "no quota" : `${limits.monthlyDeliveries} a month`],
    ["replays", `${limits.concurrentReplays} at the same time`],
    ["webhooks", `${limits.webhooks}, with ${limits.accountFilters} account filters in all`],
    ["API keys", `${limits.apiKeys}, ${newKeysPerDay(limits)} new ones within 24 hours`],
    ["status", account.suspended_at === null ? "active" : `suspended since ${iso(account.suspended_at)}`],
    ["created", iso(account.created_at)]
  ]
}
