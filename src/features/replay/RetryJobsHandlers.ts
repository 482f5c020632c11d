/** `/v1/deliveries/retry`: creates jobs that retry deliveries, or counts what one would take. */
import { Clock, Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ownerOf } from "../../http/Authentication.ts"
import { change } from "../../http/Change.ts"
import { Caller } from "../../http/ContractParts.ts"
import { contractOf } from "../../http/FeatureContract.ts"
import { CostlyTurns } from "../../http/guard/Turns.ts"
import { checkRules } from "../../http/RequestRules.ts"
import { orUnavailable } from "../../http/StoreFailures.ts"
import { Settings } from "../../spine/config/Config.ts"
import { type RetryFilters, retryStatuses } from "../../spine/domain/Replay.ts"
import { expandPatterns } from "../../spine/event/EventPatterns.ts"
import { eventTypes } from "../../spine/event/EventType.ts"
import { randomId } from "../../spine/words/Ids.ts"
import { iso, parseIsoTime } from "../../spine/words/IsoTime.ts"
import { noWebhook } from "../webhooks/WebhookRefusals.ts"
import { WebhookStore } from "../webhooks/WebhookStore.ts"
import { refusedJob, retryRules, WEBHOOK_FIELD } from "./JobRefusals.ts"
import { ReplayStore } from "./ReplayStore.ts"
import { type NewRetryJob, RetryJobs } from "./RetryJobsContract.ts"

/** Each once, times as numbers, and no types where all are wanted. */
const retryFiltersOf = ({ event_types = [], since, statuses, until }: NewRetryJob): RetryFilters => {
  const types = expandPatterns(event_types)
  return {
    statuses: retryStatuses.filter((status) => statuses === undefined || statuses.includes(status)),
    ...(types.length === 0 || types.length === eventTypes.length ? {} : { event_types: types }),
    ...(since === undefined ? {} : { since: parseIsoTime(since)! }),
    ...(until === undefined ? {} : { until: parseIsoTime(until)! })
  }
}

export const retryJobsLayer = HttpApiBuilder.group(
  contractOf(RetryJobs),
  "retryJobs",
  Effect.fnUntraced(function* (handlers) {
    const settings = yield* Settings
    const jobs = yield* ReplayStore
    const webhooks = yield* WebhookStore
    const costly = yield* CostlyTurns

    return handlers.handleAll({
      create: Effect.fnUntraced(function* ({ payload }) {
        const caller = yield* Caller
        const owner = ownerOf(caller)
        const filters = retryFiltersOf(payload)
        yield* checkRules(retryRules, payload, settings)
        const webhookId = payload.webhook_id
        const webhook = yield* webhooks.find(owner, webhookId)
        if (Option.isNone(webhook)) return yield* noWebhook(webhookId, WEBHOOK_FIELD)
        const target = { webhookId, accountId: owner.accountId, network: webhook.value.network }
        const counted = yield* costly.run(owner.accountId, jobs.countRetries(target, filters))
        const { byType, matched } = counted
        const count = { matched, ...(counted.atLeast ? { at_least: true as const } : {}) }
        if (payload.dry_run === true) return { ...count, by_type: Object.fromEntries(byType) }
        const now = yield* Clock.currentTimeMillis
        const id = randomId("rpl_job_", now)
        const job = { id, webhookId, retry: filters, estimatedEvents: matched, endOffset: 0 }
        const made = yield* change(jobs.create(owner, job, now))
        if (made !== "queued") return yield* refusedJob(made, webhookId, caller)
        return { job_id: id, status: "queued" as const, ...count, created_at: iso(now) }
      }, orUnavailable)
    })
  })
)
