/**
 * Finds the webhooks that want an event: those with an account filter by the event's accounts, the others by network
 * and type. So the cost of an event does not grow with the webhooks that match neither. The payload filters of the
 * webhooks found are checked last. In memory, no I/O. Only what routing needs is kept: about 300 bytes for a webhook,
 * and 80 for each of its account filters.
 */

import type { WebhookConfig } from "../domain/Webhook.ts"
import { accountKey } from "../event/AccountId.ts"
import { type EventType, isEventType, rankOf } from "../event/EventType.ts"
import type { LedgerEvent } from "../event/LedgerEvent.ts"
import type { Network } from "../event/Network.ts"
import { compileStored, type EventFilter } from "../filter/Match.ts"
import type { AccountId, WebhookId } from "../words/Ids.ts"

/** What route knows of an active webhook. */
export interface RoutedWebhook {
  readonly id: string
  readonly account_id: AccountId
  readonly network: Network
  /** Whether its payloads get fields that records have beside the payload. */
  readonly includes: boolean
}

export interface WebhookIndex {
  /**
   * Sets the newest state of a webhook; undefined if it is deleted. A disabled webhook matches nothing. Throws, and
   * changes nothing, if this version cannot read `config`.
   */
  readonly set: (webhookId: WebhookId, config: WebhookConfig | undefined) => void
  /** Each matching webhook once, in the order of ids. */
  readonly match: (event: LedgerEvent) => ReadonlyArray<RoutedWebhook>
}

interface Entry extends RoutedWebhook {
  /** One bit for each type. A popular account may be in thousands of filters, and the type of each must be checked. */
  readonly types: number
  /** Undefined: every payload. */
  readonly wantsPayload: EventFilter | undefined
  /** The keys of its account filters. Empty: every account. */
  readonly accounts: ReadonlyArray<string>
}

const bitOf = (type: EventType): number => 1 << rankOf(type)

/** Types that a later version has written are skipped. */
const typeBits = (types: ReadonlyArray<string>): number =>
  types.reduce((bits, type) => (isEventType(type) ? bits | bitOf(type) : bits), 0)

export const makeWebhookIndex = (): WebhookIndex => {
  const known = new Map<string, Entry>()
  /** Webhooks with account filters, by the account's key. Most accounts have one: a list for each would take half as much again. */
  const byAccount = new Map<string, Entry | Array<Entry>>()
  /** Webhooks without account filters, by network and type. */
  const everyAccount = new Map<string, Map<string, Entry>>()
  const keyOf = (network: Network, type: number) => `${network} ${type}`

  /** Calls `use` with the key of each of the webhook's types. */
  const eachKey = ({ network, types }: Entry, use: (key: string) => void) => {
    for (let rest = types; rest !== 0; rest &= rest - 1) use(keyOf(network, rest & -rest))
  }

  const removeFrom = (account: string, entry: Entry) => {
    const present = byAccount.get(account)
    if (Array.isArray(present)) present.splice(present.indexOf(entry), 1)
    if (present === entry || (Array.isArray(present) && present.length === 0)) byAccount.delete(account)
  }

  const addTo = (account: string, entry: Entry) => {
    const present = byAccount.get(account)
    if (present === undefined) byAccount.set(account, entry)
    else if (Array.isArray(present)) present.push(entry)
    else byAccount.set(account, [present, entry])
  }

  const remove = (entry: Entry) => {
    known.delete(entry.id)
    for (const account of entry.accounts) removeFrom(account, entry)
    if (entry.accounts.length === 0) eachKey(entry, (key) => everyAccount.get(key)?.delete(entry.id))
  }

  const add = (entry: Entry) => {
    known.set(entry.id, entry)
    for (const account of entry.accounts) addTo(account, entry)
    if (entry.accounts.length > 0) return
    eachKey(entry, (key) => {
      const webhooks = everyAccount.get(key)
      if (webhooks === undefined) everyAccount.set(key, new Map([[entry.id, entry]]))
      else webhooks.set(entry.id, entry)
    })
  }

  const parse = (
    id: string,
    { account_id, network, event_types, account_filters, payload_filter, include = [] }: WebhookConfig
  ): Entry => ({
    id,
    account_id,
    network,
    includes: include.length > 0,
    types: typeBits(event_types),
    wantsPayload: payload_filter === undefined ? undefined : compileStored(payload_filter),
    accounts: account_filters.map(accountKey)
  })

  return {
    set: (webhookId, config) => {
      const next = config === undefined ? undefined : parse(webhookId, config)
      const before = known.get(webhookId)
      if (before !== undefined) remove(before)
      if (next !== undefined && config?.status === "active") add(next)
    },
    match: (event) => {
      const { network, event_type, accounts } = event
      // A newer version may have written it. No webhook that this version knows can ask for it.
      if (!isEventType(event_type)) return []
      const type = bitOf(event_type)
      const found = new Set(everyAccount.get(keyOf(network, type))?.values())
      for (const account of accounts) {
        const present = byAccount.get(accountKey(account)) ?? []
        for (const entry of Array.isArray(present) ? present : [present])
          if (entry.network === network && (entry.types & type) !== 0) found.add(entry)
      }
      const wanting = [...found].filter(({ wantsPayload }) => wantsPayload?.(event) ?? true)
      return wanting.sort((a, b) => (a.id < b.id ? -1 : 1))
    }
  }
}
