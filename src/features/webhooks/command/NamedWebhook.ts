/** How commands name a webhook of a service: by its id, by a part of its URL or description, or not at all if it is the only one. */
import { Effect } from "effect"
import { Argument, Flag, Param } from "effect/cli"
import { isId } from "../../../spine/words/Ids.ts"
import { failed, wrongUsage } from "../../../terminal/Failure.ts"
import { optional } from "../../../terminal/Flags.ts"
import type { ServiceApi } from "../../../terminal/service/Requests.ts"
import { withService } from "../../../terminal/service/WithService.ts"
import { webhookBounds } from "../Limits.ts"
import { searchProblem } from "../WebhookRules.ts"
import type { Webhooks } from "../WebhooksContract.ts"

export const webhooksContract = async () => (await import("../WebhooksContract.ts")).webhooksApi

const named = <Kind extends Param.ParamKind>(param: Param.Param<Kind, string>) =>
  param.pipe(
    Param.withDescription("The webhook's id, or a part of its URL or description that no other webhook has"),
    Param.filter(
      (text) => searchProblem(text) === undefined,
      () => `1 to ${webhookBounds.searchLength} characters`
    )
  )

export const webhookNameArgument = Argument.String("webhook").pipe(named)
export const webhookNameFlag = Flag.String("webhook").pipe(Flag.withMetavar("WEBHOOK"), named, optional)

/** The id of the webhook. `name` undefined: the only one. An id is not checked here, which needs no scope to read. */
export const webhookIdOf = Effect.fnUntraced(function* (
  api: ServiceApi<typeof Webhooks>,
  name: string | undefined
) {
  if (name !== undefined && isId("wh_", name)) return name
  const query = { limit: "3", ...(name === undefined ? {} : { search: name }) }
  const { data, has_more } = yield* api.webhooks.list({ query })
  const [only, another] = data
  if (only === undefined)
    return yield* failed(
      name === undefined
        ? "there is no webhook; `ledgerhook webhook create` registers one."
        : "no webhook has this text in its id, URL or description; `ledgerhook webhook list` shows them."
    )
  if (another === undefined) return only.id
  const ids = data.map(({ id, url }) => `${id} (${url})`).join(", ")
  return yield* wrongUsage(
    `${name === undefined ? "name the webhook, because there are several" : "several webhooks have this text"}: ${ids}${has_more ? " and others" : ""}.`
  )
})

/** Runs the part of a command that makes requests for one webhook. */
export const atWebhook = <A, E, R>(
  name: string | undefined,
  use: (api: ServiceApi<typeof Webhooks>, id: string) => Effect.Effect<A, E, R>
) => withService(webhooksContract, (api) => Effect.flatMap(webhookIdOf(api, name), (id) => use(api, id)))
