/**
 * The room `send`: makes one request at a time for a webhook. It takes a connection, signs and sends the request,
 * decides what follows for each delivery that it carries, and gives the outcomes to the recorder.
 */

import { Clock, Effect, Random, References } from "effect"
import { Settings } from "../../config/Config.ts"
import type { AttemptRecord } from "../../deliveries/Transitions.ts"
import type { AttemptOutcome } from "../../domain/Delivery.ts"
import type { Ordering } from "../../domain/Ordering.ts"
import { delayAfter, lengthened, type RetryPolicy } from "../../domain/RetryPolicy.ts"
import { failedDeliveries } from "../../event/Batch.ts"
import { withIncluded } from "../../event/Include.ts"
import { traced } from "../../observe/Tracing.ts"
import { type RegisteredWebhook, secretsAt, WebhookRegistry } from "../../registry/WebhookRegistry.ts"
import { type DeliveryId, randomId, type WebhookId } from "../../words/Ids.ts"
import { responseLimits } from "../Limits.ts"
import { type Outcome, Recorder } from "../record/Recorder.ts"
import type { LaneKind, Sending, Work } from "../Work.ts"
import { makeShares, type Share } from "./ConnectionLimiter.ts"
import type { NotSent } from "./Exchange.ts"
import { Sender } from "./Sender.ts"
import { signedBatch, signedRequest } from "./Signer.ts"

/**
 * Characters of the response to a batch that each of its deliveries keeps: 500 of them are written in one statement.
 */
export const EACH_KEEPS = 1_024

/**
 * Bytes of the response to a batch that are read, and bytes of it when it is decoded. It may name 500 failed deliveries,
 * which take about 17 KB.
 */
export const BATCH_RESPONSE_BYTES = 4 * responseLimits.responseBodyBytes

export type { Share }

const tracedAttempt = <E, R>(
  self: Effect.Effect<ReadonlyArray<Outcome> | NotSent, E, R>,
  { config: { id }, url }: RegisteredWebhook,
  traceparent: string | undefined
) =>
  traced(
    self,
    "attempt delivery",
    (results) => {
      if ("shortage" in results) return { webhook_id: id, error: results.shortage }
      const { attempt, work } = results[0]!
      const batchId = attempt.details?.batchId
      return {
        webhook_id: id,
        kind: work.kind,
        ...(batchId === undefined
          ? {
              delivery_id: attempt.deliveryId,
              event_id: work.event.event_id,
              event_type: work.event.event_type,
              attempt: attempt.attempt,
              outcome: attempt.status
            }
          : {
              batch_id: batchId,
              deliveries: results.length,
              delivered: results.filter((one) => one.attempt.status === "delivered").length
            }),
        error: attempt.error,
        "http.response.status_code": attempt.responseStatus,
        // Only the host: the path or the query may hold a secret.
        "server.address": url.host
      }
    },
    traceparent
  )

/** `chance` (0 to 1) is the jitter. It is drawn only if the attempt failed. */
const recordOf = (
  policy: RetryPolicy,
  chance: () => number,
  work: Work,
  ordering: Ordering | undefined,
  outcome: AttemptOutcome,
  times: { readonly attemptedAt: number; readonly endedAt: number }
): AttemptRecord => {
  const scheduledMs = outcome.delivered ? undefined : delayAfter(policy, work.seriesAttempt, chance())
  const nextDelayMs =
    scheduledMs === undefined
      ? null
      : lengthened(scheduledMs, outcome.retryAfterMs ?? 0, responseLimits.retryAfterAddsMs)
  return {
    deliveryId: work.deliveryId,
    attempt: work.attempt,
    status: outcome.delivered ? "delivered" : nextDelayMs === null ? "failed" : "retrying",
    responseStatus: outcome.responseStatus,
    responseTimeMs: outcome.responseTimeMs,
    responseBody: outcome.responseBody,
    error: outcome.error,
    ...(outcome.details === undefined ? {} : { details: outcome.details }),
    answered: outcome.answered,
    manual: work.manual,
    ...(ordering === "strict" && nextDelayMs !== null && work.isTest !== true ? { holds: work.kind } : {}),
    ...times,
    nextDelayMs
  }
}

const MULTI_STATUS = 207

/**
 * What the response to a batch means for each of its deliveries.
 *
 *   2xx that names failed deliveries   those failed; all others are delivered
 *   207 that names none readably       all failed: the receiver says that some did
 *   any other 2xx                      all are delivered
 *   anything else, or no response      all failed
 *
 * Ids of other deliveries are ignored. A list that was not read to its end is not readable. Pure.
 */
export const batchOutcomes = (
  outcome: AttemptOutcome,
  batchId: string,
  deliveryIds: ReadonlyArray<DeliveryId>
): ReadonlyArray<AttemptOutcome> => {
  const { details, responseBody, responseStatus } = outcome
  const all: AttemptOutcome = {
    ...outcome,
    responseBody: responseBody?.slice(0, EACH_KEEPS) ?? null,
    ...(details === undefined ? undefined : { details: { ...details, batchId } })
  }
  const failed = outcome.delivered && responseBody !== null ? failedDeliveries(responseBody) : undefined
  if (outcome.delivered && responseStatus === MULTI_STATUS && failed === undefined) {
    const error = `HTTP ${MULTI_STATUS} without a list of failed deliveries`
    return deliveryIds.map(() => ({ ...all, delivered: false, error }))
  }
  const listed = {
    ...all,
    delivered: false,
    answered: true,
    error: `listed as failed (HTTP ${responseStatus})`
  }
  return deliveryIds.map((id) => (failed?.has(id) === true ? listed : all))
}

/** What happens to a request that was sent: `ended` and then `settled`, or `notSent`. */
export interface OnRequest {
  /** This machine lacked something, so the attempts do not count. `shortage` is the end of a sentence. */
  readonly notSent: (shortage: string) => void
  /**
   * The request has ended and its connection is free. Its outcomes are not recorded yet. `holds`: a delivery of this lane
   * will hold back the lane's others until its next attempt.
   */
  readonly ended: (holds: LaneKind | undefined) => void
  /** All its attempts are recorded, and their retries are appended. */
  readonly settled: () => void
}

/** What an actor may do with requests. When its scope closes, open requests are aborted and connections returned. */
export interface Attempts {
  /** Takes a connection for a request. Undefined if none is free; `wake` follows. */
  readonly connect: (webhook: RegisteredWebhook) => Share | undefined
  /** Returns a connection that no request has used. */
  readonly disconnect: (share: Share) => void
  /** Makes one request on the connection. */
  readonly send: (webhook: RegisteredWebhook, sending: Sending, share: Share, on: OnRequest) => void
  /** See `Recorder.mayRunAhead`. */
  readonly mayRunAhead: () => boolean
  /** The webhook will start no more requests. */
  readonly leave: (webhookId: WebhookId) => void
}

/**
 * Runs `body` and reports a defect of it through a fiber that dies. Outside a fiber, a defect would not be reported, or
 * undici would swallow it.
 */
export const makeGuarded = (run: (self: Effect.Effect<never>) => void) => (body: () => void) => {
  try {
    body()
  } catch (defect) {
    run(Effect.die(defect))
  }
}

/**
 * `wake` is called with the id of a webhook that was denied a connection, when it may try again. `run` forks a fiber.
 * Only a traced attempt needs one; otherwise an attempt is callbacks.
 */
export const makeAttempts = Effect.fnUntraced(function* (
  run: (self: Effect.Effect<void>) => void,
  wake: (webhookId: WebhookId) => void
) {
  // Made before the sender is opened, so it is closed after it: requests return connections.
  const shares = yield* makeShares(wake)
  const { retryPolicy } = yield* Settings
  const send = yield* (yield* Sender).opened
  const recorder = yield* Recorder
  const registry = yield* WebhookRegistry
  const clock = yield* Clock.Clock
  const random = yield* Random.Random
  const chance = () => random.nextDoubleUnsafe()
  const isTraced = yield* References.TracerEnabled
  const guarded = makeGuarded(run)
  type Ended = (results: ReadonlyArray<Outcome> | NotSent) => void

  const post = (known: RegisteredWebhook, { items, works }: Sending, ended: Ended) => {
    // If the webhook has been deleted meanwhile, this attempt still counts as in flight.
    const webhook = registry.get(known.config.id) ?? known
    const { config, url } = webhook
    const webhookId = config.id
    const accountId = known.config.account_id
    const attemptedAt = clock.currentTimeMillisUnsafe()
    const options = {
      url,
      headers: config.headers,
      secrets: secretsAt(webhook, attemptedAt),
      signing: config.signing,
      compression: config.compression,
      webhookId,
      nowMs: attemptedAt
    }
    const answered =
      (outcomes: (outcome: AttemptOutcome) => ReadonlyArray<AttemptOutcome>) =>
      (outcome: AttemptOutcome | NotSent) =>
        guarded(() => {
          if ("shortage" in outcome) return ended(outcome)
          const times = { attemptedAt, endedAt: clock.currentTimeMillisUnsafe() }
          // With the same jitter, deliveries that fail together are due together, so they become a batch again.
          let drawn: number | undefined
          const jitter = () => (drawn ??= chance())
          const all = outcomes(outcome)
          ended(
            works.map((work, i) => {
              const attempt = recordOf(retryPolicy, jitter, work, config.ordering, all[i]!, times)
              return { attempt, accountId, webhookId, work }
            })
          )
        })
    if (items === undefined) {
      const { deliveryId } = works[0]!
      const event = withIncluded(works[0]!.event, config.include)
      const request = signedRequest({ ...options, format: config.format, deliveryId, event })
      send(
        config.account_id,
        request,
        responseLimits.responseBodyBytes,
        answered((outcome) => [outcome])
      )
      return
    }
    const batchId = randomId("bat_", attemptedAt)
    const ids = works.map(({ deliveryId }) => deliveryId)
    // The items were made in the format that the webhook had then.
    const request = signedBatch({ ...options, format: known.config.format, batchId, items })
    send(
      config.account_id,
      request,
      BATCH_RESPONSE_BYTES,
      answered((outcome) => batchOutcomes(outcome, batchId, ids)),
      true
    )
  }

  const attempt = (known: RegisteredWebhook, sending: Sending, ended: Ended) =>
    guarded(() => post(known, sending, ended))

  const inFiber = (known: RegisteredWebhook, sending: Sending, ended: Ended) => {
    const results = Effect.callback<ReadonlyArray<Outcome> | NotSent>((resume) =>
      attempt(known, sending, (results) => resume(Effect.succeed(results)))
    )
    // The span of a batch belongs to the trace of its first delivery.
    run(Effect.map(tracedAttempt(results, known, sending.works[0]?.traceparent), ended))
  }
  const begin = isTraced ? inFiber : attempt
  let isOpen = true
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      isOpen = false
    })
  )

  const attempts: Attempts = {
    ...shares,
    mayRunAhead: recorder.mayRunAhead,
    send: (known, sending, share, on) =>
      begin(known, sending, (results) => {
        if (!isOpen) return
        shares.disconnect(share)
        if ("shortage" in results) return on.notSent(results.shortage)
        recorder.record(results, on.settled)
        on.ended(results.find(({ attempt }) => attempt.holds !== undefined)?.attempt.holds)
      })
  }
  return attempts
})
