/** `ledgerhook webhook`: `list` shows the webhooks of all accounts or of one; `preview` is in WebhookPreview.ts. */
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
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
    json
  },
  Effect.fnUntraced(function* ({ account, json: asJson }) {
    const accountId = Option.getOrUndefined(account)
    if (accountId !== undefined) yield* findAccount(accountId)
    yield* printList({
      json: asJson,
      page: (before: ListedWebhook | undefined, limit) => webhookSummaries(accountId, before?.id, limit),
      columns,
      toJson: (webhook) => webhook,
      none: "There is no webhook. Register one with POST /v1/webhooks."
    })
  })
).pipe(
  Command.provide(stores("webhook list")),
  about(
    "List webhooks",
    "List the webhooks of all accounts or of one, newest first. FAILURES is the number of failed deliveries in a row. Secrets and headers are not shown. JSON contains at most 100 account filters of each webhook.",
    {
      "ledgerhook webhook list": "The webhooks of all accounts",
      "ledgerhook webhook list --account acct_01K… | jq '.[] | select(.status == \"disabled\")'":
        "The disabled webhooks of one account, with the reason"
    }
  )
)

export const webhook = Command.make("webhook").pipe(
  Command.withDescription("List webhooks, and try their filters"),
  Command.withSubcommands([list, preview])
)
