/**
 * Which webhooks want an event. Those with filters are found by the accounts that the event involves, the others by its
 * network and type, so that the cost of an event does not grow with the webhooks that do not match it. Pure bookkeeping,
 * no I/O.
 */
import { isEventType, rankOf } from "../domain/EventType.ts"
import type { LedgerEvent } from "../domain/LedgerEvent.ts"
import type { PackedWebhook } from "../domain/Webhook.ts"
import { makeAccountIndex } from "./AccountIndex.ts"

export interface WebhookIndex {
  /** Takes the newest state of a webhook; undefined when it was deleted. Disabled ones match nothing. */
  readonly set: (webhookId: string, config: PackedWebhook | undefined) => void
  /** Each webhook once, in the order of their ids. */
  readonly match: (event: LedgerEvent) => ReadonlyArray<PackedWebhook>
}

/** A bit for each type: a popular account may be in thousands of webhooks' filters, and each is asked for the type. */
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
    match: ({ network, event_type, accounts }) => {
      const found = new Set(everyAccount.get(keyOf(network, event_type))?.values())
      const type = 1 << rankOf(event_type)
      for (const account of accounts) {
        byAccount.find(account, ({ config, types }) => {
          if (config.network === network && (types & type) !== 0) found.add(config)
        })
      }
      return [...found].sort((a, b) => (a.id < b.id ? -1 : 1))
    }
  }
}
