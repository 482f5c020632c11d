/** `ledgerhook webhook show`, `pause`, `resume` and `delete`, for webhooks of a service. */

import { Effect } from "effect"
import { Command } from "effect/cli"
import type { Webhook } from "../../../api/contract/Webhooks.ts"
import { webhookArgument } from "../../Stores.ts"
import { withService } from "../../service/Service.ts"
import { webhookIdOf, webhookNameArgument } from "../../service/Webhooks.ts"
import { about } from "../../terminal/Help.ts"
import { json, printOne } from "../../terminal/Table.ts"
import { fields } from "./View.ts"

const print = (webhook: Webhook, asJson: boolean, note: string) =>
  printOne({ json: asJson, fields: fields(webhook), value: webhook, note })

const flags = { webhook: webhookNameArgument, json }

export const show = Command.make("show", flags, ({ webhook: name, json: asJson }) =>
  withService(
    Effect.fnUntraced(function* (api) {
      const id = yield* webhookIdOf(api, name)
      const note = `\`ledgerhook progress ${id}\` shows what waits, \`ledgerhook deliveries list --webhook ${id}\` what was sent.`
      yield* print(yield* api.webhooks.get({ params: { id } }), asJson, note)
    })
  )
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

const setPaused = (paused: boolean, note: string) =>
  Command.make(paused ? "pause" : "resume", flags, ({ webhook: name, json: asJson }) =>
    withService(
      Effect.fnUntraced(function* (api) {
        const id = yield* webhookIdOf(api, name)
        const changed = yield* api.webhooks.change({ params: { id }, payload: { paused } })
        yield* print(changed, asJson, note)
      })
    )
  )

export const pause = setPaused(
  true,
  "Its events are queued and kept for 7 days. None is sent until you resume it."
).pipe(
  about(
    "Queue a webhook's events without sending them",
    "Pause a webhook of the service in LEDGERHOOK_URL: its events are queued and kept for 7 days, and none is sent until it is resumed. It needs a key with the scope webhooks:write; to name the webhook otherwise than by its id, webhooks:read too.",
    { "ledgerhook webhook pause wh_01K…": "Before the receiver's maintenance" }
  )
)

export const resume = setPaused(false, "What was queued is sent, in order, at the webhook's own rate.").pipe(
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
    withService(
      Effect.fnUntraced(function* (api) {
        yield* api.webhooks.remove({ params: { id } })
        yield* printOne({
          json: asJson,
          fields: [["id", id]],
          value: { id, deleted: true },
          note: "The webhook is deleted. What waited is not sent; its deliveries can still be read."
        })
      })
    )
).pipe(
  about(
    "Delete a webhook",
    "Delete a webhook of the service in LEDGERHOOK_URL. Deliveries that wait are not sent. All its deliveries can still be read. It needs a key with the scope webhooks:write. A webhook is deleted by its id only, so that no other is meant.",
    { "ledgerhook webhook delete wh_01K…": "Delete a webhook by its id, which `webhook list` shows" }
  )
)
