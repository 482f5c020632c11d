/** Why a webhook was not found or not changed, as the API says it. */
import { Effect } from "effect"
import { NotFound, WebhookLimitReached } from "../../http/Errors.ts"
import type { WebhookLimit } from "./WebhookLimits.ts"

/** `param`: where the request names the webhook. */
export const noWebhook = (id: string, param = "id") =>
  NotFound.because(`There is no webhook ${id}.`, { param })

/** `filters`: where the request names account filters. */
export const limitReached = (
  { limit, allowed, present }: WebhookLimit,
  filters: "/account_filters" | "/add" = "/account_filters"
) =>
  Effect.fail(
    WebhookLimitReached.because(
      limit === "webhooks"
        ? `The plan allows ${allowed} webhooks, and the account has ${present}; delete one, or choose a larger plan.`
        : `The plan allows ${allowed} account filters in all webhooks together, and the account has ${present}; use fewer, or choose a larger plan.`,
      limit === "webhooks" ? {} : { param: filters }
    )
  )
