/**
 * `/v1/replay`: creates, shows and cancels jobs; the role `replay` works on them. The number of events is estimated
 * before the job is created: for event ids it is their number, for filters see replay/ReplayEstimate.ts.
 */

import { Clock, Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ownerOf } from "../../http/Authentication.ts"
import { change } from "../../http/Change.ts"
import { Caller } from "../../http/ContractParts.ts"
import { JobNotCancellable, NotFound, PlanRequired } from "../../http/Errors.ts"
import { contractOf } from "../../http/FeatureContract.ts"
import { CostlyTurns } from "../../http/guard/Turns.ts"
import { makePage } from "../../http/Pages.ts"
import { checkRules } from "../../http/RequestRules.ts"
import { orUnavailable } from "../../http/StoreFailures.ts"
import { hasHistory, Settings } from "../../spine/config/Config.ts"
import {
  etaSeconds,
  filterReplayPlans,
  percentOf,
  type ReplayFilters,
  type ReplayProgress
} from "../../spine/domain/Replay.ts"
import { expandPatterns } from "../../spine/event/EventPatterns.ts"
import { eventTypes } from "../../spine/event/EventType.ts"
import { eventsTopic } from "../../spine/event/LedgerEvent.ts"
import type { Network } from "../../spine/event/Network.ts"
import { BackfillStore } from "../../spine/ledger/backfill/BackfillStore.ts"
import { Log } from "../../spine/log/Log.ts"
import { type EventId, randomId } from "../../spine/words/Ids.ts"
import { iso, parseIsoTime } from "../../spine/words/IsoTime.ts"
import { EventCounts, type EventEstimate } from "../events/EventCounts.ts"
import { noWebhook } from "../webhooks/WebhookRefusals.ts"
import { WebhookStore } from "../webhooks/WebhookStore.ts"
import { refusedJob, replayRules, WEBHOOK_FIELD } from "./JobRefusals.ts"
import { type Filters, Replay, type ReplayJob } from "./ReplayContract.ts"
import { estimateReplay } from "./ReplayEstimate.ts"
import { type ReplayJobRow, ReplayStore } from "./ReplayStore.ts"
import { tallyReplay } from "./ReplayTally.ts"

const requestedOf = ({ event_types, since, statuses, until }: NonNullable<ReplayJobRow["requested"]>) => ({
  ...(statuses === undefined ? {} : { statuses }),
  ...(event_types === undefined ? {} : { event_types }),
  ...(since === undefined ? {} : { since: iso(Math.floor(since)) }),
  ...(until === undefined ? {} : { until: iso(Math.ceil(until)) })
})

const jobOf = (row: ReplayJobRow): ReplayJob => ({
  job_id: row.id,
  mode: row.mode,
  status: row.status,
  webhook_id: row.webhook_id,
  total_events: row.total_events,
  processed_events: row.processed_events,
  failed_events: row.failed_events,
  delivered: row.deliveries?.delivered ?? null,
  waiting: row.deliveries?.waiting ?? null,
  failed: row.deliveries?.failed ?? null,
  error: row.error,
  requested: row.requested === null ? null : requestedOf(row.requested),
  created_at: iso(row.created_at),
  completed_at: row.completed_at === null ? null : iso(row.completed_at),
  finished_at: row.finished_at === null ? null : iso(row.finished_at)
})

const progressOf = ({ history, part, started_at, status }: ReplayJobRow): ReplayProgress => {
  const startedAt = history?.settled_at ?? started_at
  return { status, part, startedAt: startedAt === null ? null : Date.parse(startedAt) }
}

const estimateOf = ({ atLeast, events }: EventEstimate) => ({
  estimated_events: events,
  ...(atLeast ? { at_least: true as const } : {})
})

const capitalised = (text: string): string => text[0]!.toUpperCase() + text.slice(1)

const noJob = (id: string) => NotFound.because(`There is no replay job ${id}.`, { param: "job_id" })

/** Without duplicates, with times as numbers, and without `event_types` if all types are wanted. */
const filtersOf = ({ event_types = [], accounts, payload_filter, since, until }: Filters): ReplayFilters => {
  const types = expandPatterns(event_types)
  return {
    ...(types.length === 0 || types.length === eventTypes.length ? {} : { event_types: types }),
    ...(accounts === undefined ? {} : { accounts: [...new Set(accounts)] }),
    ...(payload_filter === undefined || payload_filter === null ? {} : { payload_filter }),
    ...(since === undefined ? {} : { since: parseIsoTime(since)! }),
    ...(until === undefined ? {} : { until: parseIsoTime(until)! })
  }
}

export const replayLayer = HttpApiBuilder.group(
  contractOf(Replay),
  "replay",
  Effect.fnUntraced(function* (handlers) {
    const jobs = yield* ReplayStore
    const page = yield* makePage
    const webhooks = yield* WebhookStore
    const counts = yield* EventCounts
    const log = yield* Log
    const history = yield* BackfillStore
    const settings = yield* Settings
    const costly = yield* CostlyTurns

    const estimate = (network: Network, filters: ReplayFilters) =>
      estimateReplay({ log, counts, history }, network, filters, hasHistory(settings, network))

    const counted = Effect.fnUntraced(function* (
      network: Network,
      eventIds: ReadonlyArray<EventId> | undefined,
      filters: ReplayFilters | undefined,
      estimated: EventEstimate
    ) {
      if (estimated.atLeast) {
        return { ...estimateOf(estimated), by_type: null, first_ledger: null, last_ledger: null }
      }
      const { byType, firstLedger, lastLedger } = yield* tallyReplay(
        { counts, log },
        network,
        eventIds,
        filters ?? {}
      )
      return {
        ...estimateOf(estimated),
        by_type: byType,
        first_ledger: firstLedger,
        last_ledger: lastLedger
      }
    })

    return handlers.handleAll({
      create: Effect.fnUntraced(function* ({ payload }) {
        const caller = yield* Caller
        const owner = ownerOf(caller)
        yield* checkRules(replayRules, payload, settings)
        const filters = payload.filters === undefined ? undefined : filtersOf(payload.filters)
        const webhook = yield* webhooks.find(owner, payload.webhook_id)
        if (Option.isNone(webhook)) return yield* noWebhook(payload.webhook_id, WEBHOOK_FIELD)
        const { network } = webhook.value
        if (filters !== undefined && !filterReplayPlans.includes(caller.plan)) {
          return yield* PlanRequired.because(
            `Replay by filters needs one of the plans ${filterReplayPlans.map(capitalised).join(", ")}; on every plan you can replay event_ids.`,
            { param: "/filters" }
          )
        }
        const eventIds = payload.event_ids === undefined ? undefined : [...new Set(payload.event_ids)]
        // Read before the estimate, so that the estimate includes every event that the job reads.
        const { end } = yield* log.offsets({ topic: eventsTopic(network), partition: 0 })
        const estimated =
          eventIds === undefined
            ? yield* costly.run(caller.accountId, estimate(network, filters ?? {}))
            : { events: eventIds.length, atLeast: false }
        if (payload.dry_run === true)
          return yield* costly.run(caller.accountId, counted(network, eventIds, filters, estimated))
        const now = yield* Clock.currentTimeMillis
        const id = randomId("rpl_job_", now)
        const estimatedEvents = estimated.events
        const job = { id, webhookId: payload.webhook_id, eventIds, filters, estimatedEvents, endOffset: end }
        const result = yield* change(jobs.create(owner, job, now))
        if (result !== "queued") return yield* refusedJob(result, payload.webhook_id, caller)
        return {
          job_id: id,
          status: "queued" as const,
          webhook_id: payload.webhook_id,
          ...estimateOf(estimated),
          created_at: iso(now)
        }
      }, orUnavailable),

      list: Effect.fnUntraced(function* ({ query }) {
        const owner = ownerOf(yield* Caller)
        const list = ["replay", owner.accountId, ...owner.networks]
        return yield* page(query, list, (beforeId, limit) => jobs.list(owner, beforeId, limit), jobOf)
      }, orUnavailable),

      get: Effect.fnUntraced(function* ({ params }) {
        const found = yield* jobs.find(ownerOf(yield* Caller), params.job_id)
        if (Option.isNone(found)) return yield* noJob(params.job_id)
        const progress = progressOf(found.value)
        const { history: asked, skipped_ledgers } = found.value
        return {
          ...jobOf(found.value),
          progress_percent: percentOf(progress),
          eta_seconds: etaSeconds(progress, yield* Clock.currentTimeMillis),
          ...(asked === null ? {} : { history: { ledgers: asked.ledgers, fetched_ledgers: asked.fetched } }),
          ...(skipped_ledgers.length > 0 && { skipped_ledgers })
        }
      }, orUnavailable),

      cancel: Effect.fnUntraced(function* ({ params }) {
        const cancelled = yield* jobs.cancel(ownerOf(yield* Caller), params.job_id)
        switch (cancelled.result) {
          case "cancelled":
            return {
              job_id: params.job_id,
              status: "cancelled" as const,
              processed_events: cancelled.job.processed_events,
              // A cancelled job always has this time.
              cancelled_at: iso(cancelled.job.cancelled_at!)
            }
          case "not found":
            return yield* noJob(params.job_id)
          case "not cancellable":
            return yield* JobNotCancellable.because(
              `Replay job ${params.job_id} is ${cancelled.job.status}; only queued and running jobs can be cancelled.`,
              { param: "job_id" }
            )
        }
      }, orUnavailable)
    })
  })
)
