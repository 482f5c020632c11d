/** `ledgerhook webhook show`, `pause`, `resume` and `delete`, for webhooks of a service. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { about } from "../../../terminal/Help.ts"
import { webhookArgument } from "../../../terminal/Stores.ts"
import type { ServiceApi } from "../../../terminal/service/Requests.ts"
import { json, printOne } from "../../../terminal/Table.ts"
import type { Webhook, Webhooks } from "../WebhooksContract.ts"
import { atWebhook, webhookNameArgument } from "./NamedWebhook.ts"
import { fields } from "./WebhookView.ts"

/** A command that shows the webhook that the request returns. */
const showing = <E, R>(
  name: string,
  note: string,
  request: (api: ServiceApi<typeof Webhooks>, params: { readonly id: string }) => Effect.Effect<Webhook, E, R>
) =>
  Command.make(name, { webhook: webhookNameArgument, json }, ({ webhook, json: asJson }) =>
    atWebhook(webhook, (api, id) =>
      Effect.flatMap(request(api, { id }), (shown) =>
        printOne({ json: asJson, fields: fields(shown), value: shown, note })
      )
    )
  )

export const show = showing(
  "show",
  "`ledgerhook progress` shows what waits, `ledgerhook deliveries list` what was sent.",
  (api, params) => api.webhooks.get({ params })
).pipe(
  about(
    "Show a webhook",
    "Show a webhook of the service in LEDGERHOOK_URL, without its secret. It needs a key with the scope webhooks:read.",
    {
      "ledgerhook webhook show wh_01K…": "By its id",
      "ledgerhook webhook show shop": "By a part of its URL or description"
    }
  )
)

export const pause = showing(
  "pause",
  "Its events are queued and kept for 7 days. None is sent until you resume it.",
  (api, params) => api.webhooks.change({ params, payload: { paused: true } })
).pipe(
  about(
    "Queue a webhook's events without sending them",
    "Pause a webhook of the service in LEDGERHOOK_URL: its events are queued and kept for 7 days, and none is sent until it is resumed. It needs a key with the scope webhooks:write; to name the webhook otherwise than by its id, webhooks:read too.",
    { "ledgerhook webhook pause wh_01K…": "Before the receiver's maintenance" }
  )
)

export const resume = showing(
  "resume",
  "What was queued is sent, in order, at the webhook's own rate.",
  (api, params) => api.webhooks.change({ params, payload: { paused: false } })
).pipe(
  about(
    "Send a paused webhook's events again",
    "Resume a paused webhook of the service in LEDGERHOOK_URL: what was queued is sent in order. It needs a key with the scope webhooks:write.",
    { "ledgerhook webhook resume wh_01K…": "After the receiver's maintenance" }
  )
)

export const remove = Command.make(
  "delete",
  { webhook: webhookArgument, json },
  ({ webhook: id, json: asJson }) =>
    atWebhook(id, (api) =>
      Effect.andThen(
        api.webhooks.remove({ params: { id } }),
        printOne({
          json: asJson,
          fields: [["id", id]],
          value: { id, deleted: true },
          note: "The webhook is deleted. What waited is not sent; its deliveries can still be read."
        })
      )
    )
).pipe(
  about(
    "Delete a webhook",
    "Delete a webhook of the service in LEDGERHOOK_URL, which must be named by its id. Deliveries that wait are not sent. All its deliveries can still be read. It needs a key with the scope webhooks:write.",
    { "ledgerhook webhook delete wh_01K…": "Delete a webhook by its id, which `webhook list` shows" }
  )
)
