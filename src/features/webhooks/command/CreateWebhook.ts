/** `ledgerhook webhook create`: registers a webhook at a service. Its secret is printed only then. */
import { Effect, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { Limits } from "../../../spine/config/Limits.ts"
import { eventTypes } from "../../../spine/event/EventType.ts"
import { networks } from "../../../spine/event/Network.ts"
import { isDeeperThan } from "../../../spine/words/JsonDepth.ts"
import { patternsFlag } from "../../../terminal/EventTypeFlags.ts"
import { wrongUsage } from "../../../terminal/Failure.ts"
import { optional, optionalText, several } from "../../../terminal/Flags.ts"
import { about } from "../../../terminal/Help.ts"
import { fileFault, linesOf } from "../../../terminal/InputFile.ts"
import { parseJson } from "../../../terminal/JsonText.ts"
import { payloadFilterFlag, payloadFilterOf } from "../../../terminal/PayloadFilterFlag.ts"
import type { ServiceApi } from "../../../terminal/service/Requests.ts"
import { defined, withService } from "../../../terminal/service/WithService.ts"
import { json, printOne } from "../../../terminal/Table.ts"
import { addressFlag } from "../../../terminal/WantedEvents.ts"
import type { Webhooks } from "../WebhooksContract.ts"
import { webhooksContract } from "./NamedWebhook.ts"
import { fields } from "./WebhookView.ts"

type NewWebhook = Parameters<ServiceApi<typeof Webhooks>["webhooks"]["create"]>[0]["payload"]

const bodyOf = Effect.fnUntraced(function* (file: string) {
  const lines = yield* Stream.runCollect(linesOf(file, Limits.requestBodyBytes)).pipe(
    Effect.catchTag("PlatformError", (error) => Effect.fail(fileFault(file, error)))
  )
  const text = lines.join("\n")
  const result = isDeeperThan(text, Limits.jsonDepth)
    ? { message: "it is nested too deep." }
    : parseJson(text)
  if (!("value" in result)) return yield* wrongUsage(`--body ${file}: ${result.message}`)
  return Object(result.value)
})

export const create = Command.make(
  "create",
  {
    url: optionalText("url", "URL", "The endpoint that receives the events"),
    types: patternsFlag("Events to send: a type, as payment.xrp, or a family, as 'nft.*'; '*' is every type"),
    accounts: addressFlag("Only events that involve this XRPL address; repeat it for several").pipe(several),
    network: Flag.Literals("network", networks).pipe(
      Flag.withDescription("The network (default: mainnet with a live key, testnet with a test key)"),
      optional
    ),
    description: optionalText("description", "TEXT", "A note of your own"),
    payloadFilter: payloadFilterFlag("Only events whose payload matches this filter"),
    body: optionalText(
      "body",
      "FILE",
      "A JSON file with more fields, as the API takes them; - means standard input; flags win"
    ),
    json
  },
  Effect.fnUntraced(function* ({ accounts, body, json: asJson, payloadFilter, types, ...given }) {
    // The client checks it against the contract.
    const payload: NewWebhook = {
      ...(body === undefined ? {} : yield* bodyOf(body)),
      ...defined({
        ...given,
        event_types: types.length === 0 ? undefined : types,
        account_filters: accounts.length === 0 ? undefined : accounts,
        payload_filter: yield* payloadFilterOf(payloadFilter, eventTypes)
      })
    }
    if (payload.url === undefined || payload.event_types === undefined)
      return yield* wrongUsage("give --url and --type, or a --body that has `url` and `event_types`.")
    yield* withService(
      webhooksContract,
      Effect.fnUntraced(function* (api) {
        const created = yield* api.webhooks.create({ payload })
        yield* printOne({
          json: asJson,
          fields: [...fields(created), ["secret", created.secret]],
          value: created,
          note: `Store the secret now: it is not shown again. \`ledgerhook webhook test ${created.id}\` sends a test event.`
        })
      })
    )
  })
).pipe(
  about(
    "Register a webhook",
    "Register a webhook at the service in LEDGERHOOK_URL. It needs a key with the scope webhooks:write. The response contains the secret that requests are signed with; it is not shown again. In JSON it is the field `secret`.",
    {
      "ledgerhook webhook create --url https://example.com/hooks --type payment.xrp,payment.issued --account r…":
        "Payments of one account",
      "ledgerhook webhook create --url https://example.com/hooks --type 'nft.*' | jq -r .secret > secret":
        "Write only the secret to a file",
      'echo \'{"batch": {"max_events": 100, "max_wait_ms": 1000}}\' | ledgerhook webhook create --url https://example.com/hooks --type \'*\' --body -':
        "Fields that have no flag"
    }
  )
)
