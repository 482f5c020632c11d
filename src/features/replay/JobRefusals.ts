/** Why a replay or retry job was not made, as the API says it. */

import type { Effect } from "effect"
import type { Identity } from "../domain/ApiKey.ts"
import type { WebhookId } from "../domain/Ids.ts"
import type { RefusedJob } from "../storage/replays/ReplayStore.ts"
import {
  type NotFound,
  QuotaExceeded,
  ReplayLimitReached,
  type WebhookDisabled,
  webhookDisabled
} from "./Errors.ts"
import { noWebhook } from "./WebhookRefusals.ts"

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
