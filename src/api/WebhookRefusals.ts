/** Why a webhook was not found or not changed, as the API says it. */
import { Effect } from "effect"
import type { WebhookLimit } from "../storage/webhooks/WebhookLimits.ts"
import { NotFound, WebhookLimitReached } from "./Errors.ts"

export const noWebhook = (id: string) => NotFound.because(`There is no webhook ${id}.`)

export const limitReached = ({ limit, allowed, present }: WebhookLimit) =>
  Effect.fail(
    WebhookLimitReached.because(
      limit === "webhooks"
        ? `The plan allows ${allowed} webhooks, and the account has ${present}; delete one, or choose a larger plan.`
        : `The plan allows ${allowed} account filters in all webhooks together, and the account has ${present}; use fewer, or choose a larger plan.`
    )
  )
