/**
 * Makes webhooks that each want the events of some accounts, 10 of them the same accounts, and events for those 10.
 */

import type { WebhookConfig } from "../../src/spine/domain/Webhook.ts"
import { addressOfAccountId } from "../../src/spine/event/AccountId.ts"
import { eventTypes } from "../../src/spine/event/EventType.ts"
import type { LedgerEvent } from "../../src/spine/event/LedgerEvent.ts"
import type { Network } from "../../src/spine/event/Network.ts"
import { makeEvents } from "./webhooks.ts"

export const MATCHES = 10

/** The step through the accounts, so that accounts of consecutive events are not neighbours in memory. */
const STRIDE = 7_919

const accountOf = (number: number): string =>
  addressOfAccountId(`A${number.toString(16).toUpperCase().padStart(39, "0")}`)

const NOBODYS = addressOfAccountId("B".repeat(40))

export const ACCOUNT_ID = "acct_benchmark"

export const wantingWebhook = (
  i: number,
  network: Network,
  sealedSecret: string,
  accounts: ReadonlyArray<string>
): WebhookConfig => ({
  id: `wh_${`${network}${i}`.toUpperCase().padStart(26, "0")}`,
  account_id: ACCOUNT_ID,
  network,
  status: "active",
  url: `https://customer-${i}.example/hook`,
  event_types: i % 2 === 0 ? eventTypes : ["payment.xrp"],
  account_filters: accounts,
  headers: {},
  max_in_flight: 16,
  max_per_second: null,
  sealed_secret: sealedSecret
})

/** Webhooks `from` to `to`, each with as many account filters. */
export const wantingWebhooks = (
  to: number,
  network: Network,
  sealedSecret: string,
  { from = 0, filters = 1 }: { readonly from?: number; readonly filters?: number } = {}
): ReadonlyArray<WebhookConfig> => {
  const webhooks: Array<WebhookConfig> = []
  let accounts: ReadonlyArray<string> = []
  for (let i = from; i < to; i++) {
    const group = Math.floor(i / MATCHES)
    if (i % MATCHES === 0 || i === from)
      accounts = Array.from({ length: filters }, (_, n) => accountOf(group * filters + n))
    webhooks.push(wantingWebhook(i, network, sealedSecret, accounts))
  }
  return webhooks
}

/** `series`: as in makeEvents. `filters`: of each webhook. */
export const wantedEvents = (
  count: number,
  network: Network,
  webhooks: number,
  bodyBytes: number,
  series: number,
  filters = 1
): ReadonlyArray<LedgerEvent> =>
  makeEvents(count, bodyBytes, series).map((event, i) => ({
    ...event,
    network,
    // Webhooks want the first account, and none wants the second.
    accounts: [accountOf(((series * count + i) * STRIDE) % ((webhooks * filters) / MATCHES)), NOBODYS]
  }))
