/** `ledgerhook webhook`: `list` shows or searches the webhooks of all accounts or of one; `preview` is in WebhookPreview.ts. */
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { searchProblem, webhookBounds } from "../../domain/WebhookRules.ts"
import { webhookSummaries } from "../../storage/webhooks/WebhookOverview.ts"
import type { ListedWebhook } from "../../storage/webhooks/WebhookRow.ts"
import { accountFlag, findAccount, stores } from "../Stores.ts"
import { GREEN, RED } from "../terminal/Colour.ts"
import { about } from "../terminal/Help.ts"
import { type Column, json, printList } from "../terminal/Table.ts"
import { preview } from "./WebhookPreview.ts"

const columns: ReadonlyArray<Column<ListedWebhook>> = [
  { head: "ID", cell: ({ id }) => id },
  { head: "ACCOUNT", cell: ({ account_id }) => account_id },
  { head: "NETWORK", cell: ({ network }) => network },
  {
    head: "STATUS",
    cell: ({ status }) => status,
    colour: ({ status }) => (status === "active" ? GREEN : RED)
  },
  { head: "FAILURES", cell: ({ consecutive_failures }) => String(consecutive_failures) },
  { head: "URL", cell: ({ url }) => url },
  { head: "EVENT TYPES", cell: ({ event_types }) => event_types.join(",") }
]

const list = Command.make(
  "list",
  {
    account: accountFlag.pipe(Flag.withDescription("Only the webhooks of this account"), Flag.optional),
    search: Flag.String("search").pipe(
      Flag.withMetavar("TEXT"),
      Flag.withDescription(
        "Only webhooks that have this text in their id, URL or description; A to Z also match a to z"
      ),
      Flag.filter(
        (text) => searchProblem(text) === undefined,
        () => `1 to ${webhookBounds.searchLength} characters`
      ),
      Flag.optional
    ),
    json
  },
  Effect.fnUntraced(function* ({ account, search, json: asJson }) {
    const accountId = Option.getOrUndefined(account)
    const text = Option.getOrUndefined(search)
    if (accountId !== undefined) yield* findAccount(accountId)
    yield* printList({
      json: asJson,
      page: (before: ListedWebhook | undefined, limit) =>
        webhookSummaries({ accountId, search: text, beforeId: before?.id }, limit),
      columns,
      toJson: (webhook) => webhook,
      none:
        text === undefined
          ? "There is no webhook. Register one with POST /v1/webhooks."
          : "No webhook has this text in its id, URL or description."
    })
  })
).pipe(
  Command.provide(stores("webhook list")),
  about(
    "List webhooks",
    "List the webhooks of all accounts or of one, newest first, or search them. FAILURES is the number of failed deliveries in a row. Secrets and headers are not shown. JSON contains at most 100 account filters of each webhook.",
    {
      "ledgerhook webhook list": "The webhooks of all accounts",
      "ledgerhook webhook list --account acct_01K… | jq '.[] | select(.status == \"disabled\")'":
        "The disabled webhooks of one account, with the reason",
      "ledgerhook webhook list --search shop.example.com": "The webhooks of one customer's server"
    }
  )
)

export const webhook = Command.make("webhook").pipe(
  Command.withDescription("List webhooks, and try their filters"),
  Command.withSubcommands([list, preview])
)
