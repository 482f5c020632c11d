/** Makes webhooks that each want one account's events, 10 of them the same account, and events for those 10. */
import { addressOfAccountId } from "../../src/domain/AccountId.ts"
import { eventTypes } from "../../src/domain/EventType.ts"
import type { LedgerEvent } from "../../src/domain/LedgerEvent.ts"
import type { Network } from "../../src/domain/Network.ts"
import type { WebhookConfig } from "../../src/domain/Webhook.ts"
import { makeEvents } from "./webhooks.ts"

export const MATCHES = 10

/** The step through the accounts, so that accounts of consecutive events are not neighbours in memory. */
const STRIDE = 7_919

const accountOf = (group: number): string => addressOfAccountId(`A${group.toString(16).padStart(39, "0")}`)

const NOBODYS = addressOfAccountId("B".repeat(40))

export const wantingWebhooks = (
  count: number,
  network: Network,
  sealedSecret: string
): ReadonlyArray<WebhookConfig> =>
  Array.from({ length: count }, (_, i) => ({
    id: `wh_${`${network}${i}`.toUpperCase().padStart(26, "0")}`,
    account_id: "acct_benchmark",
    network,
    status: "active",
    url: `https://customer-${i}.example/hook`,
    event_types: i % 2 === 0 ? eventTypes : ["payment.xrp"],
    account_filters: [accountOf(Math.floor(i / MATCHES))],
    headers: {},
    max_in_flight: 16,
    max_per_second: null,
    sealed_secret: sealedSecret
  }))

/** `series`: as in makeEvents. */
export const wantedEvents = (
  count: number,
  network: Network,
  webhooks: number,
  bodyBytes: number,
  series: number
): ReadonlyArray<LedgerEvent> =>
  makeEvents(count, bodyBytes, series).map((event, i) => ({
    ...event,
    network,
    // Webhooks want the first account, and none wants the second.
    accounts: [accountOf(((series * count + i) * STRIDE) % (webhooks / MATCHES)), NOBODYS]
  }))
