/** How commands show an account: as a row of a table, as lines, or as JSON. Pure. */
import { iso } from "../../domain/IsoTime.ts"
import { limitsJson, limitsOf } from "../../domain/Plans.ts"
import type { Account } from "../../storage/accounts/AccountStore.ts"
import { GREEN, RED } from "../terminal/Colour.ts"
import type { Column, Field } from "../terminal/Table.ts"

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
  return [
    ["id", account.id],
    ["name", account.name],
    ["email", account.email ?? "-"],
    ["plan", account.plan],
    ["requests", `${limits.requestsPerMinute} a minute, ${limits.requestsPerDay} a day`],
    ["deliveries", limits.monthlyDeliveries === null ? "no quota" : `${limits.monthlyDeliveries} a month`],
    ["replays", `${limits.concurrentReplays} at the same time`],
    ["webhooks", `${limits.webhooks}, with ${limits.accountFilters} account filters in all`],
    ["API keys", String(limits.apiKeys)],
    ["status", account.suspended_at === null ? "active" : `suspended since ${iso(account.suspended_at)}`],
    ["created", iso(account.created_at)]
  ]
}
