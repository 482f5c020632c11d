/** `ledgerhook webhook test` and `ledgerhook trigger`: send a synthetic event to a webhook, and show the attempt. */

import { Effect } from "effect"
import { Command } from "effect/cli"
import type { EventType } from "../../spine/event/EventType.ts"
import { seconds } from "../../spine/words/Words.ts"
import { typeArgument } from "../../terminal/EventTypeFlags.ts"
import { about } from "../../terminal/Help.ts"
import { withService } from "../../terminal/service/WithService.ts"
import { json, printOne } from "../../terminal/Table.ts"
import {
  webhookIdOf,
  webhookNameArgument,
  webhookNameFlag,
  webhooksContract
} from "../webhooks/command/NamedWebhook.ts"
import { MOST_WAIT_MS } from "./TestWait.ts"

const contract = async () =>
  (await webhooksContract()).add((await import("./TestEventContract.ts")).TestEvents)

const send = (name: string | undefined, type: EventType, asJson: boolean) =>
  withService(
    contract,
    Effect.fnUntraced(function* (api) {
      const id = yield* webhookIdOf(api, name)
      const { attempt = null, delivery_id } = yield* api.testEvents.send({
        params: { id },
        query: { wait: `${MOST_WAIT_MS}ms` },
        payload: { event_type: type }
      })
      yield* printOne({
        json: asJson,
        fields: [
          ["webhook", id],
          ["event", type],
          ["delivery", delivery_id],
          ["attempt", attempt?.status ?? `none ended within ${seconds(MOST_WAIT_MS)}`],
          ["answer", attempt === null ? "-" : (attempt.error ?? `HTTP ${attempt.response_status}`)],
          ["time", attempt === null ? "-" : `${attempt.total_ms} ms`],
          ["body", attempt?.response_body || "-"]
        ],
        value: { delivery_id, attempt },
        note: "A failed attempt is retried, as for a real event."
      })
    })
  )

const scopes =
  "It needs a key with the scope webhooks:write; to name the webhook otherwise than by its id, webhooks:read too."

export const test = Command.make(
  "test",
  { webhook: webhookNameArgument, json },
  ({ webhook, json: asJson }) => send(webhook, "payment.xrp", asJson)
).pipe(
  about(
    "Send a test event and show the answer",
    `Send a synthetic payment.xrp event, signed like a real one, to a webhook of the service in LEDGERHOOK_URL, and show how its endpoint answered. The webhook's filters are ignored, and the quota is not used. \`ledgerhook trigger\` sends other types. ${scopes}`,
    { "ledgerhook webhook test wh_01K…": "See whether the endpoint answers" }
  )
)

export const trigger = Command.make(
  "trigger",
  { type: typeArgument, webhook: webhookNameFlag, json },
  ({ webhook, type, json: asJson }) => send(webhook, type, asJson)
).pipe(
  about(
    "Send a synthetic event of a type to a webhook",
    `Send a synthetic event of a type to a webhook of the service in LEDGERHOOK_URL, as \`webhook test\` does. Without --webhook, the only webhook gets it. ${scopes}`,
    {
      "ledgerhook trigger payment.xrp": "To the only webhook",
      "ledgerhook trigger nft.minted --webhook shop":
        "To the webhook with this text in its URL or description"
    }
  )
)
