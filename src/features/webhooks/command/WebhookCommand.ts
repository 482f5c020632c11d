/**
 * `ledgerhook webhook`, with what features put under it. `list` shows or searches the webhooks of the local database or
 * of a service; `preview` is for the local database; the others are for a service.
 */

import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { healthStates } from "../../../spine/domain/HealthState.ts"
import { optional } from "../../../terminal/Flags.ts"
import { about } from "../../../terminal/Help.ts"
import { accountFlag } from "../../../terminal/Stores.ts"
import { localOnly, usesService } from "../../../terminal/service/ServiceTarget.ts"
import { defined, itemsOf, withService } from "../../../terminal/service/WithService.ts"
import { json, pageOf, printList } from "../../../terminal/Table.ts"
import { findAccount, stores } from "../../accounts/command/AccountStores.ts"
import { webhookBounds } from "../Limits.ts"
import { shownHealth } from "../WebhookHealth.ts"
import { type WebhookSummary, webhookSummaries } from "../WebhookOverview.ts"
import { searchProblem } from "../WebhookRules.ts"
import { webhooksContract } from "./NamedWebhook.ts"
import { columns, columnsOfAll } from "./WebhookView.ts"

/** As the API shows it. */
const toJson = ({ health, ...webhook }: WebhookSummary) => ({ ...webhook, health: shownHealth(health) })

export const list = Command.make(
  "list",
  {
    account: accountFlag.pipe(
      Flag.withDescription("Only the webhooks of this account; for the local database"),
      optional
    ),
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
    const none =
      health !== undefined
        ? `No webhook is ${health}.`
        : search === undefined
          ? "There is no webhook. Register one with POST /v1/webhooks, or `ledgerhook webhook create`."
          : "No webhook has this text in its id, URL or description."
    if (yield* usesService) {
      yield* localOnly("--account", accountId)
      const webhooks = yield* withService(webhooksContract, (api) =>
        itemsOf((page) => api.webhooks.list({ query: defined({ ...page, search, health }) }))
      )
      const page = pageOf(webhooks)
      return yield* printList({ json: asJson, page, columns, toJson: (webhook) => webhook, none })
    }
    yield* Effect.gen(function* () {
      if (accountId !== undefined) yield* findAccount(accountId)
      yield* printList({
        json: asJson,
        page: (before: ReturnType<typeof toJson> | undefined, limit) =>
          webhookSummaries({ accountId, search, health, beforeId: before?.id }, limit).pipe(
            Effect.map((webhooks) => webhooks.map(toJson))
          ),
        columns: columnsOfAll,
        toJson: (webhook) => webhook,
        none
      })
    }).pipe(Effect.provide(stores("webhook list")))
  })
).pipe(
  about(
    "List webhooks",
    "List webhooks, newest first, or search them: those of the service in LEDGERHOOK_URL that the key in LEDGERHOOK_API_KEY sees, or, without LEDGERHOOK_URL, those of all accounts or of one in the local database. HEALTH says whether the endpoint answers, and WHY says it in words. Secrets and headers are not shown. JSON contains at most 100 account filters of each webhook.",
    {
      "ledgerhook webhook list": "The webhooks of all accounts",
      "LEDGERHOOK_URL=https://api.example.com ledgerhook webhook list":
        "Your webhooks at this service; the key is in LEDGERHOOK_API_KEY",
      "ledgerhook webhook list --health failing": "The webhooks whose endpoints do not answer",
      "ledgerhook webhook list --account acct_01K… | jq '.[] | select(.status == \"disabled\")'":
        "The disabled webhooks of one account, with the reason",
      "ledgerhook webhook list --search shop.example.com": "The webhooks of one customer's server"
    }
  )
)

export const webhook = Command.make("webhook").pipe(
  Command.withDescription("Register, list, change and test webhooks")
)
