/**
 * Chooses a webhook: the newest ones are offered at once, and typing searches all. The id of a webhook can be pasted;
 * it is offered also if the webhook is deleted, because its deliveries are still there.
 */
import { Select } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { useState } from "react"
import { useMay } from "../../api/account.ts"
import type { Webhook } from "../../api/ledgerhook.ts"
import {
  isWebhookId,
  nameOf,
  SEARCH_ROWS,
  useNewestWebhooks,
  useWebhook,
  useWebhookSearch
} from "../../api/webhooks.ts"
import { visible } from "../../words/visible.ts"
import { choices } from "./selecting.ts"
import classes from "./WebhookSelect.module.css"

/** A search begins when the viewer has typed nothing for this long. */
const PAUSE_MS = 250
/** The most characters that the API searches for. */
const SEARCH_CHARS = 200

const NEWEST = `The newest ${SEARCH_ROWS}. Type to find others.`
const MATCHING = `The newest ${SEARCH_ROWS} that match. Type more.`

interface WebhookSelectProps {
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
  readonly placeholder: string
  readonly size?: "xs" | "sm"
}

const Choice = ({ name, webhook }: { readonly name: string; readonly webhook: Webhook | undefined }) => (
  <span className={classes["choice"]}>
    <span>{name}</span>
    {webhook?.description && <span className={classes["url"]}>{visible(webhook.url)}</span>}
  </span>
)

export const WebhookSelect = ({ value, onChange, placeholder, size = "sm" }: WebhookSelectProps) => {
  const maySearch = useMay("webhooks:read")
  const newest = useNewestWebhooks()
  const chosen = useWebhook(value)
  const [text, setText] = useState("")
  const labelOf = (webhook: Webhook | undefined, id: string) => visible(nameOf(webhook, id))
  // The name of the chosen one stands in the input until the viewer types.
  const typed =
    value !== undefined && (text === value || text === labelOf(chosen, value))
      ? ""
      : [...text.trim()].slice(0, SEARCH_CHARS).join("")
  const [search] = useDebouncedValue(typed, PAUSE_MS)
  const found = useWebhookSearch(typed === "" ? "" : search)
  const hits = typed === "" ? newest : (found.data?.data ?? [])
  const more = typed === "" ? hits.length > SEARCH_ROWS : found.data?.has_more === true
  const shown = hits.slice(0, SEARCH_ROWS)
  const items = shown.map((webhook) => ({ value: webhook.id, label: labelOf(webhook, webhook.id) }))
  // The input shows the name of the chosen one only if it is among the choices.
  const beside = typed === "" ? value : isWebhookId(typed) ? typed : undefined
  const isShown = beside === undefined || shown.some(({ id }) => id === beside)
  return (
    <Select
      {...choices}
      size={size}
      label="Webhook"
      placeholder={placeholder}
      data={[
        ...(isShown
          ? []
          : [{ value: beside, label: labelOf(beside === value ? chosen : undefined, beside) }]),
        ...(more ? [{ group: typed === "" ? NEWEST : MATCHING, items }] : items)
      ]}
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <Choice name={option.label} webhook={shown.find(({ id }) => id === option.value)} />
      )}
      nothingFoundMessage={
        !maySearch
          ? "This key may not see webhooks (scope webhooks:read). Paste the id of one."
          : found.isError
            ? found.error.message
            : typed !== search || found.isFetching
              ? "Searching…"
              : typed === ""
                ? "There is no webhook yet"
                : "No webhook has this in its name, address or id"
      }
      searchValue={text}
      onSearchChange={setText}
      value={value ?? null}
      onChange={(next) => onChange(next ?? undefined)}
    />
  )
}
