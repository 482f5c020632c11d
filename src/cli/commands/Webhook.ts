/** `ledgerhook webhook`: `list` shows or searches the webhooks of all accounts or of one; `preview` is in WebhookPreview.ts. */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { type HealthState, healthStates } from "../../domain/HealthState.ts"
import { iso } from "../../domain/IsoTime.ts"
import { searchProblem, webhookBounds } from "../../domain/WebhookRules.ts"
import { shownHealth } from "../../health/Webhook.ts"
import { type WebhookSummary, webhookSummaries } from "../../storage/webhooks/WebhookOverview.ts"
import { accountFlag, findAccount, stores } from "../Stores.ts"
import { GREEN, RED, YELLOW } from "../terminal/Colour.ts"
import { optional } from "../terminal/Flags.ts"
import { about } from "../terminal/Help.ts"
import { type Column, json, printList } from "../terminal/Table.ts"
import { preview } from "./WebhookPreview.ts"

const colours: Readonly<Record<HealthState, number | undefined>> = {
  failing: RED,
  waiting: YELLOW,
  disabled: RED,
  paused: YELLOW,
  new: undefined,
  healthy: GREEN
}

const columns: ReadonlyArray<Column<WebhookSummary>> = [
  { head: "ID", cell: ({ id }) => id },
  { head: "ACCOUNT", cell: ({ account_id }) => account_id },
  { head: "NETWORK", cell: ({ network }) => network },
  { head: "HEALTH", cell: ({ health }) => health.state, colour: ({ health }) => colours[health.state] },
  { head: "SINCE", cell: ({ health }) => iso(health.since) },
  { head: "URL", cell: ({ url }) => url },
  { head: "EVENT TYPES", cell: ({ event_types }) => event_types.join(",") },
  { head: "WHY", cell: ({ health }) => (health.state === "healthy" ? "" : health.sentence) }
]

/** As the API shows it. */
const toJson = ({ health, ...webhook }: WebhookSummary) => ({ ...webhook, health: shownHealth(health) })

const list = Command.make(
  "list",
  {
    account: accountFlag.pipe(Flag.withDescription("Only the webhooks of this account"), optional),
    search: Flag.String("search").pipe(
      Flag.withMetavar("TEXT"),
      Flag.withDescription(
        "Only webhooks that have this text in their id, URL or description; A to Z also match a to z"
      ),
      Flag.filter(
        (text) => searchProblem(text) === undefined,
        () => `1 to ${webhookBounds.searchLength} characters`
      ),
      optional
    ),
    health: Flag.Literals("health", healthStates).pipe(
      Flag.withDescription("Only webhooks in this state of health"),
      optional
    ),
    json
  },
  Effect.fnUntraced(function* ({ account: accountId, health, search, json: asJson }) {
    if (accountId !== undefined) yield* findAccount(accountId)
    yield* printList({
      json: asJson,
      page: (before: WebhookSummary | undefined, limit) =>
        webhookSummaries({ accountId, search, health, beforeId: before?.id }, limit),
      columns,
      toJson,
      none:
        health !== undefined
          ? `No webhook is ${health}.`
          : search === undefined
            ? "There is no webhook. Register one with POST /v1/webhooks."
            : "No webhook has this text in its id, URL or description."
    })
  })
).pipe(
  Command.provide(stores("webhook list")),
  about(
    "List webhooks",
    "List the webhooks of all accounts or of one, newest first, or search them. HEALTH says whether the endpoint answers, and WHY says it in words. Secrets and headers are not shown. JSON contains at most 100 account filters of each webhook.",
    {
      "ledgerhook webhook list": "The webhooks of all accounts",
      "ledgerhook webhook list --health failing": "The webhooks whose endpoints do not answer",
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
