/** `ledgerhook progress`: up to which ledger a webhook of a service has got everything. */
import { Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { about } from "../../../terminal/Help.ts"
import { withService } from "../../../terminal/service/WithService.ts"
import { json, printOne } from "../../../terminal/Table.ts"
import { webhookIdOf, webhookNameArgument } from "../../webhooks/command/NamedWebhook.ts"

const contract = async () =>
  (await import("../../webhooks/WebhooksContract.ts")).webhooksApi.add(
    (await import("../ProgressContract.ts")).ProgressGroup
  )

const shown = (ledger: number | null): string => (ledger === null ? "not known" : String(ledger))

export const progress = Command.make(
  "progress",
  { webhook: Argument.optional(webhookNameArgument), json },
  ({ webhook, json: asJson }) =>
    withService(
      contract,
      Effect.fnUntraced(function* (api) {
        const id = yield* webhookIdOf(api, Option.getOrUndefined(webhook))
        const now = yield* api.progress.ofWebhook({ params: { id } })
        const { complete_through, gaps, oldest_waiting, routed_through } = now
        yield* printOne({
          json: asJson,
          fields: [
            ["webhook", `${id} (${now.network})`],
            ["complete through", shown(complete_through)],
            ["routed through", shown(routed_through)],
            ["waiting", String(now.waiting)],
            ...(oldest_waiting === null
              ? []
              : ([
                  ["oldest", `${oldest_waiting.delivery_id}, of ledger ${oldest_waiting.ledger_index}`]
                ] as const)),
            ...gaps.map(({ from, reason, to }) => ["gap", `${from} to ${to ?? "now"}: ${reason}`] as const)
          ],
          value: now,
          note:
            gaps.length === 0
              ? "Up to the first ledger, everything is delivered or has failed finally."
              : "Events of gaps were not sent; a replay sends them, except those that are lost."
        })
      })
    )
).pipe(
  about(
    "Show how far a webhook has got",
    "Show up to which ledger every event that a webhook wanted is delivered or has failed finally, what waits, and in which ledgers nothing was queued for it. Without an argument: of the only webhook. It asks the service in LEDGERHOOK_URL and needs a key with the scope webhooks:read.",
    {
      "ledgerhook progress": "Of the only webhook",
      "ledgerhook progress wh_01K… | jq .complete_through": "Only the ledger"
    }
  )
)
