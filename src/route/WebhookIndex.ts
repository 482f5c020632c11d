/**
 * Which webhooks want an event. Indexed by network and event type, then by involved account, so that the cost of an
 * event does not grow with the webhooks that do not match it. Pure bookkeeping, no I/O.
 */
import type { EventType } from "../domain/EventType.ts"
import type { LedgerEvent } from "../domain/LedgerEvent.ts"
import type { WebhookConfig } from "../domain/Webhook.ts"

interface TypeIndex {
  readonly everyAccount: Map<string, WebhookConfig>
  readonly byAccount: Map<string, Map<string, WebhookConfig>>
}

export interface WebhookIndex {
  /** Takes the newest state of a webhook; undefined when it was deleted. Disabled ones match nothing. */
  readonly set: (webhookId: string, config: WebhookConfig | undefined) => void
  /** Each webhook once, in the order of their ids. */
  readonly match: (event: LedgerEvent) => ReadonlyArray<WebhookConfig>
}

export const makeWebhookIndex = (): WebhookIndex => {
  const types = new Map<string, TypeIndex>()
  const known = new Map<string, WebhookConfig>()
  const keyOf = (network: string, type: EventType) => `${network} ${type}`

  const remove = (config: WebhookConfig) => {
    for (const type of config.event_types) {
      const index = types.get(keyOf(config.network, type))
      if (index === undefined) continue
      index.everyAccount.delete(config.id)
      for (const account of config.account_filters) {
        const webhooks = index.byAccount.get(account)
        webhooks?.delete(config.id)
        if (webhooks?.size === 0) index.byAccount.delete(account)
      }
    }
  }

  const add = (config: WebhookConfig) => {
    for (const type of config.event_types) {
      const key = keyOf(config.network, type)
      let index = types.get(key)
      if (index === undefined) {
        index = { everyAccount: new Map(), byAccount: new Map() }
        types.set(key, index)
      }
      if (config.account_filters.length === 0) index.everyAccount.set(config.id, config)
      for (const account of config.account_filters) {
        const webhooks = index.byAccount.get(account)
        if (webhooks === undefined) index.byAccount.set(account, new Map([[config.id, config]]))
        else webhooks.set(config.id, config)
      }
    }
  }

  return {
    set: (webhookId, config) => {
      const before = known.get(webhookId)
      if (before !== undefined) remove(before)
      if (config === undefined || config.status !== "active") known.delete(webhookId)
      else {
        known.set(webhookId, config)
        add(config)
      }
    },
    match: (event) => {
      const index = types.get(keyOf(event.network, event.event_type))
      if (index === undefined) return []
      const found = new Set(index.everyAccount.values())
      for (const account of event.accounts) {
        for (const config of index.byAccount.get(account)?.values() ?? []) found.add(config)
      }
      return [...found].sort((a, b) => (a.id < b.id ? -1 : 1))
    }
  }
}
