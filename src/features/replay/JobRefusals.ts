/** Why a replay or retry job was not made, as the API says it, and rules of new jobs that depend on several fields. */

import type { Effect } from "effect"
import { periodFault } from "../../http/CommonRules.ts"
import {
  type Fault,
  type NotFound,
  pointerOf,
  QuotaExceeded,
  ReplayLimitReached,
  type WebhookDisabled,
  webhookDisabled
} from "../../http/Errors.ts"
import type { RuleContext } from "../../http/RequestRules.ts"
import type { Identity } from "../../spine/domain/ApiKey.ts"
import { expandPatterns } from "../../spine/event/EventPatterns.ts"
import { eventTypes } from "../../spine/event/EventType.ts"
import type { PayloadFilter } from "../../spine/filter/PayloadFilter.ts"
import type { WebhookId } from "../../spine/words/Ids.ts"
import { filterFaultsOf } from "../webhooks/FilterFaults.ts"
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

interface Filters {
  readonly event_types?: ReadonlyArray<string>
  readonly payload_filter?: PayloadFilter | null
  readonly since?: string
  readonly until?: string
}

interface Replay {
  readonly event_ids?: ReadonlyArray<string>
  readonly filters?: Filters
}

export const replayRules = (
  given: Replay,
  { wrong }: Pick<RuleContext, "wrong">
): ReadonlyArray<Fault | undefined> => {
  const [hasIds, hasFilters] = (["event_ids", "filters"] as const).map(
    (name) => given[name] !== undefined || wrong.has(name)
  )
  const { filters = {} } = given
  const types = filters.event_types === undefined ? eventTypes : expandPatterns(filters.event_types)
  return [
    hasIds === hasFilters
      ? {
          param: hasFilters === true ? pointerOf(["filters"]) : "",
          message: "Give either event_ids or filters, not both."
        }
      : undefined,
    periodFault(filters, ["filters"]),
    ...filterFaultsOf(filters.payload_filter, types, ["filters", "payload_filter"])
  ]
}

export const retryRules = (given: Pick<Filters, "since" | "until">) => [periodFault(given, [])]
