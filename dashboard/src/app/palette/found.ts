/** What the service knows about the text that was typed or pasted. */
import {
  IconActivityHeartbeat,
  IconBook2,
  IconCopy,
  IconHistory,
  IconPlus,
  IconSend2,
  IconStack2,
  IconWebhook
} from "@tabler/icons-react"
import { useQueries, useQuery } from "@tanstack/react-query"
import { useAccount, useMay } from "../../api/account.ts"
import { call } from "../../api/call.ts"
import { type Explanation, explainTransaction } from "../../api/ledgerhook.ts"
import { nameIn, useNewestWebhooks, useWebhookSearch } from "../../api/webhooks.ts"
import { loadSearch } from "../../features/docs/load.ts"
import { inDashboard } from "../../features/docs/paths.ts"
import { copyText } from "../../ui/value/copying.ts"
import { useNow } from "../../ui/value/now.ts"
import { eventTypes } from "../../words/eventTypes.ts"
import { count, relativeTime } from "../../words/format.ts"
import { visible } from "../../words/visible.ts"
import { type Place, places } from "../places.ts"
import { type Asked, asked, isIn } from "./asked.ts"
import type { Choice, Choices } from "./choice.ts"

/** Shown of a transaction's events, and of its deliveries. */
const MOST = 6
/** Places that are offered before anything is typed. */
const FIRST_PLACES = 6
/** With fewer characters most types match. */
const TYPE_CHARACTERS = 3

const networks = { live: ["mainnet"], test: ["testnet", "devnet"] } as const

/** Where an event's page is. */
const eventPage = (id: string, network?: string): string =>
  `/events/${encodeURIComponent(id)}${network === undefined ? "" : `?network=${network}`}`

/** One thing with a page of its own; there is nothing to ask the service. */
const pageOf = ({ kind, text }: Asked): Choice | undefined => {
  switch (kind) {
    case "event":
      return { id: text, icon: IconStack2, title: "Open the event", go: eventPage(text) }
    case "delivery":
      return { id: text, icon: IconSend2, title: "Open the delivery", go: `/deliveries/${text}` }
    case "webhook":
      return { id: text, icon: IconWebhook, title: "Open the webhook", go: `/webhooks/${text}` }
    case "job":
      return { id: text, icon: IconHistory, title: "Open the job", go: `/replay/${text}` }
    case "incident":
      return { id: text, icon: IconActivityHeartbeat, title: "Open the incident", go: `/incidents/${text}` }
    case "account":
      return {
        id: text,
        icon: IconStack2,
        title: "Events of this account",
        go: `/events?account=${text}`
      }
    case "ledger":
      return {
        id: text,
        icon: IconStack2,
        title: `Events of ledger ${count(Number(text))}`,
        go: `/events?ledger_index_min=${text}&ledger_index_max=${text}`
      }
    default:
      return undefined
  }
}

const names: Partial<Record<Asked["kind"], string>> = { account: "Account", ledger: "Ledger" }
const nouns: Partial<Record<Asked["kind"], string>> = {
  transaction: "hash",
  account: "address",
  ledger: "index"
}

const copyOf = ({ kind, text }: Asked): Choice => ({
  id: "copy",
  icon: IconCopy,
  title: `Copy the ${nouns[kind] ?? "id"}`,
  go: () => copyText(text)
})

/** The events of a transaction, and what became of them. */
const explained = (
  found: ReadonlyArray<{ readonly network: string; readonly explanation: Explanation }>,
  nameOf: (id: string) => string,
  nowMs: number
): ReadonlyArray<Choices> =>
  found.flatMap(({ network, explanation: { events, ledger } }) => {
    if (events.length === 0) return []
    const taken = ledger === null ? undefined : relativeTime(Date.parse(ledger.taken_at), nowMs)
    const where = ledger === null ? "" : ` of ledger ${count(ledger.index)}`
    return [
      {
        label: `Transaction${where} on ${network}${taken === undefined ? "" : `, ${taken}`}`,
        choices: events.slice(0, MOST).map(
          ({ event_id, event_type }): Choice => ({
            id: event_id,
            icon: IconStack2,
            title: event_type,
            what: "event",
            go: eventPage(event_id, network)
          })
        )
      },
      {
        label: "Deliveries of its events",
        choices: events
          .flatMap(({ event_type, webhooks }) =>
            webhooks.flatMap(
              ({ delivery, webhook_id }): ReadonlyArray<Choice> =>
                delivery === null
                  ? []
                  : [
                      {
                        id: delivery.id,
                        icon: delivery.status,
                        title: nameOf(webhook_id),
                        detail: event_type,
                        what: delivery.status,
                        go: `/deliveries/${delivery.id}`
                      }
                    ]
            )
          )
          .slice(0, MOST)
      }
    ]
  })

const useTransaction = (hash: string | undefined) => {
  const { environment } = useAccount().key
  const webhooks = useNewestWebhooks()
  const now = useNow()
  const may = useMay("deliveries:read")
  const asking = hash === undefined || !may ? [] : networks[environment]
  const queries = useQueries({
    queries: asking.map((network) => ({
      queryKey: ["explain", network, hash],
      queryFn: () => call(explainTransaction(hash!, { network }))
    }))
  })
  const found = queries.flatMap(({ data }, index) =>
    data === undefined ? [] : [{ network: asking[index]!, explanation: data }]
  )
  return {
    choices: explained(found, (id) => visible(nameIn(webhooks, id)), now),
    isLoading: queries.some(({ isLoading }) => isLoading)
  }
}

const actions: ReadonlyArray<Place> = [
  { to: "/webhooks/new", label: "New webhook", icon: IconPlus },
  { to: "/replay/new", label: "New replay", icon: IconHistory, detail: "past events to a webhook" }
]

const named = (offered: ReadonlyArray<Place>, words: string): ReadonlyArray<Choice> =>
  offered
    .filter(({ label, detail }) => isIn(`${label} ${detail ?? ""}`, words))
    .map(({ to, label, icon, detail = "" }) => ({ id: to, icon, title: label, detail, go: to }))

const typesWith = (words: string): ReadonlyArray<Choice> =>
  eventTypes
    .filter((type) => isIn(type, words))
    .slice(0, MOST)
    .map((type) => ({
      id: type,
      icon: IconStack2,
      title: type,
      what: "events",
      go: `/events?event_type=${type}`
    }))

/** Sections of the guides and of the API reference. */
const useGuides = (words: string): ReadonlyArray<Choice> => {
  const search = useQuery({
    queryKey: ["search of the guides"],
    queryFn: loadSearch,
    enabled: words.length >= TYPE_CHARACTERS,
    staleTime: Number.POSITIVE_INFINITY
  })
  const found = words.length < TYPE_CHARACTERS ? [] : (search.data?.(words) ?? [])
  return found.slice(0, MOST).map(({ page, title, to }) => ({
    id: to,
    icon: IconBook2,
    title,
    detail: page === title ? "" : page,
    what: "guide",
    go: inDashboard(to) ?? to
  }))
}

/** By what was typed. `isLoading`: the service has not answered yet. */
export const useFound = (
  typed: string
): { readonly found: ReadonlyArray<Choices>; readonly isLoading: boolean } => {
  const what = asked(typed)
  const { kind, text } = what
  const transaction = useTransaction(kind === "transaction" ? text : undefined)
  const webhooks = useWebhookSearch(kind === "words" ? text : "")
  const guides = useGuides(kind === "words" ? text : "")
  const only = pageOf(what)
  const groups: ReadonlyArray<Choices> =
    kind === "words"
      ? [
          {
            label: "Webhooks",
            choices: (text === "" ? [] : (webhooks.data?.data ?? [])).slice(0, MOST).map((webhook) => ({
              id: webhook.id,
              icon: webhook.health.state,
              title: visible(webhook.description ?? webhook.url),
              detail: webhook.description === null ? "" : visible(webhook.url),
              what: webhook.health.state,
              go: `/webhooks/${webhook.id}`
            }))
          },
          { label: "Events by type", choices: text.length < TYPE_CHARACTERS ? [] : typesWith(text) },
          { label: "Pages", choices: named(text === "" ? places.slice(0, FIRST_PLACES) : places, text) },
          { label: "Actions", choices: named(actions, text) },
          { label: "Guides", choices: guides }
        ]
      : [
          ...(only === undefined
            ? transaction.choices
            : [{ label: names[kind] ?? "By its id", choices: [only] }]),
          { label: "Actions", choices: [copyOf(what)] }
        ]
  return {
    found: groups.filter(({ choices }) => choices.length > 0),
    isLoading: transaction.isLoading || (kind === "words" && webhooks.isLoading)
  }
}
