/** `ledgerhook webhook test` and `ledgerhook trigger`: send a synthetic event to a webhook, and show the attempt. */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import type { EventType } from "../../../domain/EventType.ts"
import { MOST_WAIT_MS } from "../../../domain/TestWait.ts"
import { withService } from "../../service/Service.ts"
import { webhookIdOf, webhookNameArgument, webhookNameFlag } from "../../service/Webhooks.ts"
import { about } from "../../terminal/Help.ts"
import { json, printOne } from "../../terminal/Table.ts"
import { oneTypeFlag, typeArgument } from "../EventTypeFlags.ts"

const send = (name: string | undefined, type: EventType, asJson: boolean) =>
  withService(
    Effect.fnUntraced(function* (api) {
      const id = yield* webhookIdOf(api, name)
      const { attempt = null, delivery_id } = yield* api.webhooks.test({
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
          ...(attempt === null
            ? []
            : ([
                ["attempt", attempt.status],
                ["answer", attempt.error ?? `HTTP ${attempt.response_status}`],
                ["time", `${attempt.total_ms ?? attempt.response_time_ms ?? 0} ms`],
                ["body", attempt.response_body || "-"]
              ] as const))
        ],
        value: { delivery_id, attempt },
        note:
          attempt === null
            ? `No attempt has ended within ${MOST_WAIT_MS / 1_000} s; \`ledgerhook deliveries list --webhook ${id}\` shows it later.`
            : attempt.status === "delivered"
              ? "The endpoint answered."
              : "The attempt failed and is retried, as for a real event."
      })
    })
  )

const scopes =
  "It needs a key with the scope webhooks:write; to name the webhook otherwise than by its id, webhooks:read too."

export const test = Command.make(
  "test",
  {
    webhook: webhookNameArgument,
    type: oneTypeFlag.pipe(
      Flag.withDescription("The event's type (default: payment.xrp)"),
      Flag.withDefault<EventType>("payment.xrp")
    ),
    json
  },
  ({ webhook, type, json: asJson }) => send(webhook, type, asJson)
).pipe(
  about(
    "Send a test event and show the answer",
    `Send a synthetic event, signed like a real one, to a webhook of the service in LEDGERHOOK_URL, and show how its endpoint answered. The webhook's filters are ignored, and the quota is not used. ${scopes}`,
    {
      "ledgerhook webhook test wh_01K…": "A payment",
      "ledgerhook webhook test wh_01K… --type nft.minted": "Another type"
    }
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
