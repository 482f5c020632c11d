/**
 * Finds the webhooks that want an event: those with an account filter by the event's accounts, the others by network
 * and type. So the cost of an event does not grow with the webhooks that match neither. The payload filters of the
 * webhooks found are checked last. In memory, no I/O. A process may have a million webhooks, so only what routing
 * needs is kept: about 300 bytes for each, and 40 for each account filter (AccountIndex.ts).
 */
import { type AccountIds, packAccountIds } from "../domain/AccountIds.ts"
import { type EventType, isEventType, rankOf } from "../domain/EventType.ts"
import { compileStored, type EventFilter } from "../domain/filter/Match.ts"
import type { LedgerEvent } from "../domain/LedgerEvent.ts"
import type { Network } from "../domain/Network.ts"
import type { WebhookConfig } from "../domain/Webhook.ts"
import { makeAccountIndex } from "./AccountIndex.ts"

/** What route knows of an active webhook. */
export interface RoutedWebhook {
  readonly id: string
  readonly account_id: string
  readonly network: Network
}

export interface WebhookIndex {
  /**
   * Sets the newest state of a webhook; undefined if it is deleted. A disabled webhook matches nothing. Throws, and
   * changes nothing, if this version cannot read `config`.
   */
  readonly set: (webhookId: string, config: WebhookConfig | undefined) => void
  /** Each matching webhook once, in the order of ids. */
  readonly match: (event: LedgerEvent) => ReadonlyArray<RoutedWebhook>
}

interface Entry extends RoutedWebhook {
  /** One bit for each type. A popular account may be in thousands of filters, and the type of each must be checked. */
  readonly types: number
  /** Undefined: every payload. */
  readonly wantsPayload: EventFilter | undefined
  /** Its list in the account index; undefined: every account. */
  list: number | undefined
}

const bitOf = (type: EventType): number => 1 << rankOf(type)

/** Types that a later version has written are skipped. */
const typeBits = (types: ReadonlyArray<string>): number =>
  types.reduce((bits, type) => (isEventType(type) ? bits | bitOf(type) : bits), 0)

export const makeWebhookIndex = (): WebhookIndex => {
  const known = new Map<string, Entry>()
  const byAccount = makeAccountIndex<Entry>()
  /** Webhooks without account filters, by network and type. */
  const everyAccount = new Map<string, Map<string, Entry>>()
  const keyOf = (network: Network, type: number) => `${network} ${type}`

  /** Calls `use` with the key of each of the webhook's types. */
  const eachKey = ({ network, types }: Entry, use: (key: string) => void) => {
    for (let rest = types; rest !== 0; rest &= rest - 1) use(keyOf(network, rest & -rest))
  }

  const remove = (entry: Entry) => {
    known.delete(entry.id)
    if (entry.list !== undefined) byAccount.remove(entry.list)
    else eachKey(entry, (key) => everyAccount.get(key)?.delete(entry.id))
  }

  const add = (entry: Entry, accounts: AccountIds | undefined) => {
    known.set(entry.id, entry)
    if (accounts !== undefined) {
      entry.list = byAccount.add(accounts, entry)
      return
    }
    eachKey(entry, (key) => {
      const webhooks = everyAccount.get(key)
      if (webhooks === undefined) everyAccount.set(key, new Map([[entry.id, entry]]))
      else webhooks.set(entry.id, entry)
    })
  }

  /** The accounts are packed only while they are added: the account index has its own copy. */
  const parse = (
    id: string,
    { account_id, network, event_types, account_filters, payload_filter }: WebhookConfig
  ) => {
    const entry: Entry = {
      id,
      account_id,
      network,
      types: typeBits(event_types),
      wantsPayload: payload_filter === undefined ? undefined : compileStored(payload_filter),
      list: undefined
    }
    return { entry, accounts: account_filters.length === 0 ? undefined : packAccountIds(account_filters) }
  }

  return {
    set: (webhookId, config) => {
      const next = config === undefined ? undefined : parse(webhookId, config)
      const before = known.get(webhookId)
      if (before !== undefined) remove(before)
      if (next !== undefined && config?.status === "active") add(next.entry, next.accounts)
    },
    match: (event) => {
      const { network, event_type, accounts } = event
      // A newer version may have written it. No webhook that this version knows can ask for it.
      if (!isEventType(event_type)) return []
      const type = bitOf(event_type)
      const found = new Set(everyAccount.get(keyOf(network, type))?.values())
      for (const account of accounts) {
        byAccount.find(account, (entry) => {
          if (entry.network === network && (entry.types & type) !== 0) found.add(entry)
        })
      }
      const wanting = [...found].filter(({ wantsPayload }) => wantsPayload?.(event) ?? true)
      return wanting.sort((a, b) => (a.id < b.id ? -1 : 1))
    }
  }
}
