/**
 * Finds the webhooks that want an event: those with an account filter by the event's accounts, the others by network
 * and type. So the cost of an event does not grow with the webhooks that match neither. The payload filters of the
 * webhooks found are checked last. In memory, no I/O.
 */
import { isEventType, rankOf } from "../domain/EventType.ts"
import type { LedgerEvent } from "../domain/LedgerEvent.ts"
import type { PackedWebhook } from "../domain/Webhook.ts"
import { makeAccountIndex } from "./AccountIndex.ts"

export interface WebhookIndex {
  /** Sets the newest state of a webhook; undefined if it is deleted. A disabled webhook matches nothing. */
  readonly set: (webhookId: string, config: PackedWebhook | undefined) => void
  /** Each matching webhook once, in the order of ids. */
  readonly match: (event: LedgerEvent) => ReadonlyArray<PackedWebhook>
}

/** One bit for each type. A popular account may be in thousands of filters, and the type of each must be checked. */
const typeBits = (types: ReadonlyArray<string>): number =>
  types.reduce((bits, type) => (isEventType(type) ? bits | (1 << rankOf(type)) : bits), 0)

export const makeWebhookIndex = (): WebhookIndex => {
  const everyAccount = new Map<string, Map<string, PackedWebhook>>()
  const byAccount = makeAccountIndex<{ readonly config: PackedWebhook; readonly types: number }>()
  const known = new Map<string, PackedWebhook>()
  const keyOf = (network: string, type: string) => `${network} ${type}`

  const remove = ({ id, network, event_types, accounts }: PackedWebhook) => {
    if (accounts !== undefined) return
    for (const type of event_types) everyAccount.get(keyOf(network, type))?.delete(id)
  }

  const add = (config: PackedWebhook) => {
    const { id, network, event_types, accounts } = config
    if (accounts !== undefined) return
    for (const type of event_types) {
      const key = keyOf(network, type)
      const webhooks = everyAccount.get(key)
      if (webhooks === undefined) everyAccount.set(key, new Map([[id, config]]))
      else webhooks.set(id, config)
    }
  }

  return {
    set: (webhookId, config) => {
      const active = config?.status === "active" ? config : undefined
      const before = known.get(webhookId)
      if (before !== undefined) remove(before)
      byAccount.set(
        webhookId,
        active?.accounts === undefined
          ? undefined
          : { accounts: active.accounts, value: { config: active, types: typeBits(active.event_types) } }
      )
      if (active === undefined) known.delete(webhookId)
      else {
        known.set(webhookId, active)
        add(active)
      }
    },
    match: (event) => {
      const { network, event_type, accounts } = event
      // A newer version may have written it. No webhook that this version knows can ask for it.
      if (!isEventType(event_type)) return []
      const found = new Set(everyAccount.get(keyOf(network, event_type))?.values())
      const type = 1 << rankOf(event_type)
      for (const account of accounts) {
        byAccount.find(account, ({ config, types }) => {
          if (config.network === network && (types & type) !== 0) found.add(config)
        })
      }
      const wanting = [...found].filter(({ wantsPayload }) => wantsPayload?.(event) ?? true)
      return wanting.sort((a, b) => (a.id < b.id ? -1 : 1))
    }
  }
}
