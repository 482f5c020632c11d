/** Why a replay or retry job was not made, as the API says it. */

import type { Effect } from "effect"
import {
  type NotFound,
  QuotaExceeded,
  ReplayLimitReached,
  type WebhookDisabled,
  webhookDisabled
} from "../../http/Errors.ts"
import type { Identity } from "../../spine/domain/ApiKey.ts"
import type { WebhookId } from "../../spine/words/Ids.ts"
import { noWebhook } from "../webhooks/WebhookRefusals.ts"
import type { RefusedJob } from "./ReplayStore.ts"

/** Where the body of a request for a job names the webhook. */
export const WEBHOOK_FIELD = "/webhook_id"

export const refusedJob = (
  refused: RefusedJob,
  webhookId: WebhookId,
  { limits }: Identity
): Effect.Effect<never, NotFound | WebhookDisabled | ReplayLimitReached | QuotaExceeded> => {
  switch (refused) {
    case "not found":
      return noWebhook(webhookId, WEBHOOK_FIELD)
    case "webhook disabled":
      return webhookDisabled(webhookId, WEBHOOK_FIELD)
    case "limit reached":
      return ReplayLimitReached.because(
        `The plan allows ${limits.concurrentReplays} queued or running replay jobs, and the account has as many; cancel one or wait until one ends.`
      )
    case "quota used up":
      return QuotaExceeded.because(
        "The month's delivery quota is used up; create the job when the next month (UTC) begins, or choose a larger plan."
      )
  }
}
