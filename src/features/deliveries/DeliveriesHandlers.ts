/**
 * `/v1/deliveries`. Request bodies are not stored. They are rebuilt from the event in the log, byte for byte as they
 * were sent.
 */

import { Clock, Effect, Option, Semaphore } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ownerOf } from "../../http/Authentication.ts"
import { change } from "../../http/Change.ts"
import { periodRules } from "../../http/CommonRules.ts"
import { Caller } from "../../http/ContractParts.ts"
import { DeliveryNotFailed, NotFound, QuotaExceeded, webhookDisabled } from "../../http/Errors.ts"
import { CostlyTurns } from "../../http/guard/Turns.ts"
import { makePage } from "../../http/Pages.ts"
import { ratio } from "../../http/Ratio.ts"
import { checkRules } from "../../http/RequestRules.ts"
import { orUnavailable } from "../../http/StoreFailures.ts"
import { Settings } from "../../spine/config/Config.ts"
import { Limits } from "../../spine/config/Limits.ts"
import type { WantedEvent } from "../../spine/deliveries/DeliveryPages.ts"
import { eventTopicOf } from "../../spine/domain/Backfill.ts"
import { deliveryStatuses } from "../../spine/domain/Delivery.ts"
import { shownRequestHeaders, unixSeconds } from "../../spine/domain/RequestHeaders.ts"
import { batchItem } from "../../spine/event/Batch.ts"
import { type EventType, eventTypes, expandPattern } from "../../spine/event/EventType.ts"
import { withIncluded } from "../../spine/event/Include.ts"
import { type LedgerEvent, parseLedgerEvent } from "../../spine/event/LedgerEvent.ts"
import type { Network } from "../../spine/event/Network.ts"
import { requestBody } from "../../spine/event/RequestFormat.ts"
import { Log } from "../../spine/log/Log.ts"
import { idTime } from "../../spine/words/Ids.ts"
import { iso, parseIsoTime } from "../../spine/words/IsoTime.ts"
import { EventQueries } from "../events/EventQueries.ts"
import type { DeliveryPoint } from "../statistics/DeliveryStats.ts"
import { attemptsShown } from "../statistics/ShownStats.ts"
import { attemptOf } from "./AttemptShown.ts"
import { type Delivery, deliveriesApi } from "./DeliveriesContract.ts"
import {
  type AttemptRow,
  type DeliveryDetailRow,
  DeliveryQueries,
  type DeliveryRow
} from "./DeliveryQueries.ts"
import { liveDeliveryIds } from "./LiveDeliveryIds.ts"
import { statsRules } from "./StatsRules.ts"

const deliveryOf = (row: DeliveryRow): Delivery => ({
  id: row.id,
  webhook_id: row.webhook_id,
  event_id: row.event_id,
  event_type: row.event_type,
  status: row.status,
  attempts: row.attempts,
  last_error: row.last_error,
  response_status: row.response_status,
  response_time_ms: row.response_time_ms,
  // A failed delivery that is retried by hand is `pending`.
  next_attempt_at:
    row.status !== "retrying" || row.next_attempt_at === null ? null : iso(row.next_attempt_at),
  created_at: iso(idTime(row.id)),
  updated_at: iso(row.updated_at)
})

/** The request headers that the last attempt sent. */
const headersOf = (row: DeliveryDetailRow, event: LedgerEvent, last: AttemptRow) =>
  shownRequestHeaders({
    ...row.request,
    compression: row.request.compression ?? undefined,
    webhookId: row.webhook_id,
    carried:
      last.details?.batchId === undefined ? { deliveryId: row.id, event } : { batchId: last.details.batchId },
    seconds: unixSeconds(Date.parse(iso(last.attempted_at)))
  })

const bodyOf = ({ id, request, webhook_id }: DeliveryDetailRow, event: LedgerEvent, last: AttemptRow) => {
  const sent = withIncluded(event, request.include)
  return last.details?.batchId === undefined
    ? requestBody(request.format, sent, webhook_id)
    : batchItem(request.format, sent, webhook_id, id)
}

const pointOf = (
  { answerTimes, at, attempts, p50Ms, p99Ms, ...counts }: DeliveryPoint,
  withAnswerTimes: boolean
) => ({
  at: iso(at),
  ...counts,
  ...attemptsShown(attempts),
  p50_ms: p50Ms,
  p99_ms: p99Ms,
  ...(withAnswerTimes && { answer_times: answerTimes })
})

/** Reads one page for each type of the pattern (a family has at most 5) and merges them, newest first. */
const ofTypes = <E>(
  pattern: string | undefined,
  limit: number,
  pageOf: (type: EventType | undefined) => Effect.Effect<ReadonlyArray<DeliveryRow>, E>
): Effect.Effect<ReadonlyArray<DeliveryRow>, E> => {
  const types = pattern === undefined ? eventTypes : expandPattern(pattern)
  if (types.length === eventTypes.length) return pageOf(undefined)
  return Effect.map(Effect.forEach(types, pageOf, { concurrency: "unbounded" }), (pages) =>
    pages
      .flat()
      .sort((a, b) => (a.id < b.id ? 1 : -1))
      .slice(0, limit)
  )
}

const noDelivery = (id: string) => NotFound.because(`There is no delivery ${id}.`, { param: "id" })

export const deliveriesLayer = HttpApiBuilder.group(
  deliveriesApi,
  "deliveries",
  Effect.fnUntraced(function* (handlers) {
    const deliveries = yield* DeliveryQueries
    const settings = yield* Settings
    const page = yield* makePage
    const events = yield* EventQueries
    const log = yield* Log
    const costly = yield* CostlyTurns
    const jobSearches = yield* Semaphore.make(Limits.heavyRequestsAtOnce)

    const findOne = Effect.fnUntraced(function* (id: string) {
      const row = yield* deliveries.find(ownerOf(yield* Caller), id)
      return Option.isNone(row) ? yield* noDelivery(id) : row.value
    })

    /** Undefined if retention has dropped the event. */
    const eventOf = Effect.fnUntraced(function* (row: DeliveryDetailRow) {
      if (row.event_offset === null) return parseLedgerEvent(row.test_event)
      const topic = eventTopicOf(row.network, row.from_history)
      const offset = row.event_offset
      const [record] = yield* log.read({ topic, partition: 0, offset }, 1)
      const event = record?.offset === offset ? parseLedgerEvent(record.value) : undefined
      // Checks that the record at this offset is this delivery's event.
      return event?.event_id === row.event_id ? event : undefined
    })

    const wantedEvent = Effect.fnUntraced(
      function* (networks: ReadonlyArray<Network>, id: string) {
        const liveIds = yield* liveDeliveryIds(log, events, networks, id)
        return { id, liveIds } satisfies WantedEvent
      },
      Effect.catchTag("NotAMarker", Effect.die)
    )

    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        const owner = ownerOf(yield* Caller)
        const since = query.since === undefined ? undefined : parseIsoTime(query.since)
        const until = query.until === undefined ? undefined : parseIsoTime(query.until)
        yield* checkRules(periodRules, query, settings)
        const { webhook_id: webhookId, event_type: eventType, event_id: eventId, job_id: jobId } = query
        const wanted = deliveryStatuses.filter((one) => query.status?.includes(one))
        const statuses = wanted.length === 0 || wanted.length === deliveryStatuses.length ? undefined : wanted
        const { accountId, networks } = owner
        const list = [
          "deliveries",
          accountId,
          ...networks,
          webhookId,
          eventType,
          eventId,
          statuses?.join(),
          ...(jobId === undefined ? [] : [jobId]),
          since,
          until
        ]
        const event = eventId === undefined ? undefined : yield* wantedEvent(networks, eventId)
        const job = jobId === undefined ? undefined : yield* deliveries.ofJob(owner, jobId)
        const search = (beforeId: string | undefined, limit: number) =>
          ofTypes(eventType, limit, (type) =>
            deliveries.list(
              owner,
              { webhookId, eventType: type, event, job, statuses, since, until },
              beforeId,
              limit
            )
          )
        const read = (beforeId: string | undefined, limit: number) => {
          if (jobId === undefined) return search(beforeId, limit)
          if (job === undefined || (webhookId ?? job.webhookId) !== job.webhookId) return Effect.succeed([])
          // With these filters a page may read all deliveries of the job.
          return statuses === undefined && eventType === undefined
            ? search(beforeId, limit)
            : costly.run(accountId, jobSearches.withPermit(search(beforeId, limit)))
        }
        return yield* page(query, list, read, deliveryOf)
      }, orUnavailable),

      stats: Effect.fnUntraced(function* ({ query }) {
        const { webhook_id: webhookId, period = "24h", series = "false", interval, answer_times } = query
        const withAnswerTimes = answer_times === "true"
        yield* checkRules(statsRules, query, settings)
        const nowMs = yield* Clock.currentTimeMillis
        const owner = ownerOf(yield* Caller)
        const wanted = interval === undefined ? series === "true" : "quarters"
        const stats = yield* deliveries.stats(owner, webhookId, period, nowMs, wanted)
        const { delivered, failed, pending, retrying, latencySumMs, points } = stats
        return {
          period,
          total: delivered + failed + pending,
          delivered,
          failed,
          pending,
          retrying,
          success_rate: ratio(delivered * 100, delivered + failed),
          ...attemptsShown(stats.attempts),
          avg_latency_ms: ratio(latencySumMs, delivered),
          p50_ms: stats.p50Ms,
          p99_ms: stats.p99Ms,
          ...(series === "true" ? { series: points.map((point) => pointOf(point, withAnswerTimes)) } : {})
        }
      }, orUnavailable),

      get: Effect.fnUntraced(function* ({ params }) {
        const row = yield* findOne(params.id)
        const attempts = yield* deliveries.attempts(row.id)
        const last = attempts.at(-1)
        const event = last === undefined ? undefined : yield* eventOf(row)
        const sent = last === undefined || event === undefined ? undefined : { event, last }
        return {
          ...deliveryOf(row),
          request_headers: sent === undefined ? null : headersOf(row, sent.event, sent.last),
          request_body: sent === undefined ? null : bodyOf(row, sent.event, sent.last),
          response_body: row.response_body,
          attempt_history: attempts.map(attemptOf)
        }
      }, orUnavailable),

      retry: Effect.fnUntraced(function* ({ params }) {
        const owner = ownerOf(yield* Caller)
        const row = yield* findOne(params.id)
        const event = yield* eventOf(row)
        if (event === undefined) {
          return yield* NotFound.because(
            `The event of delivery ${row.id} is no longer kept (the operator sets how long: RETENTION_EVENTS).`,
            { param: "id" }
          )
        }
        const result = yield* change(deliveries.retry(owner, row.id, event, yield* Clock.currentTimeMillis))
        switch (result.is) {
          case "queued":
            return { delivery_id: row.id, status: result.status }
          case "not found":
            return yield* noDelivery(row.id)
          case "webhook deleted":
            return yield* NotFound.because(
              `Webhook ${row.webhook_id} of delivery ${row.id} no longer exists.`,
              { param: "id" }
            )
          case "not failed":
            return yield* DeliveryNotFailed.because(
              `Delivery ${row.id} is ${result.status}; only failed and retrying deliveries can be retried.`,
              { param: "id" }
            )
          case "webhook disabled":
            return yield* webhookDisabled(row.webhook_id, "id")
          case "quota used up":
            return yield* QuotaExceeded.because(
              "The month's delivery quota is used up; retry when the next month (UTC) begins, or choose a larger plan."
            )
        }
      }, orUnavailable)
    })
  })
)
