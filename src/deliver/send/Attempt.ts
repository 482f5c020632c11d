/**
 * One request: sign it, send it, decide what follows for each delivery that it carries. The results contain everything
 * that the recorder stores; this file writes nothing.
 */
import { Clock, Effect, Random, References } from "effect"
import { Settings } from "../../config/Config.ts"
import { Limits } from "../../config/Limits.ts"
import type { AttemptOutcome, DeliveryWork } from "../../domain/Delivery.ts"
import { randomId } from "../../domain/Ids.ts"
import { delayAfter, lengthened, type RetryPolicy } from "../../domain/RetryPolicy.ts"
import { traced } from "../../observability/Tracing.ts"
import type { AttemptRecord } from "../../storage/deliveries/Transitions.ts"
import { type RegisteredWebhook, secretsAt, WebhookRegistry } from "../../webhooks/WebhookRegistry.ts"
import type { Sending } from "../queue/BatchMaking.ts"
import type { Work } from "../queue/Lane.ts"
import { Recorder } from "../record/Recorder.ts"
import { batchOutcomes } from "./BatchOutcome.ts"
import type { NotSent } from "./Exchange.ts"
import { Sender } from "./Sender.ts"
import { signedBatch, signedRequest } from "./Signer.ts"

export interface AttemptResult {
  readonly work: Work
  readonly record: AttemptRecord
  readonly retry: DeliveryWork | undefined
}

export const nextWork = (work: Work, webhookId: string, dueAt: number): DeliveryWork => ({
  delivery_id: work.deliveryId,
  webhook_id: webhookId,
  attempt: work.attempt + 1,
  series_attempt: work.seriesAttempt + 1,
  due_at: dueAt,
  ...(work.kind === "replays" ? { replay: true } : {}),
  ...(work.manual === undefined ? {} : { manual: true }),
  ledger_index: work.event.ledger_index,
  event: work.event
})

const tracedAttempt = <E, R>(
  self: Effect.Effect<ReadonlyArray<AttemptResult> | NotSent, E, R>,
  { config: { id }, url }: RegisteredWebhook,
  traceparent: string | undefined
) =>
  traced(
    self,
    "attempt delivery",
    (results) => {
      if ("shortage" in results) return { webhook_id: id, error: results.shortage }
      const { record, work } = results[0]!
      const batchId = record.details?.batchId
      return {
        webhook_id: id,
        kind: work.kind,
        ...(batchId === undefined
          ? {
              delivery_id: record.deliveryId,
              event_id: work.event.event_id,
              event_type: work.event.event_type,
              attempt: record.attempt,
              outcome: record.status
            }
          : {
              batch_id: batchId,
              deliveries: results.length,
              delivered: results.filter(({ record }) => record.status === "delivered").length
            }),
        error: record.error,
        "http.response.status_code": record.responseStatus,
        // Only the host: the path or the query may hold a secret.
        "server.address": url.host
      }
    },
    traceparent
  )

interface FinishedRequest {
  readonly webhookId: string
  readonly work: Work
  readonly outcome: AttemptOutcome
  readonly attemptedAt: number
  readonly endedAt: number
}

/** `chance` (0 to 1) is the jitter. It is drawn only if the attempt failed. */
const resultOf = (policy: RetryPolicy, chance: () => number, ended: FinishedRequest): AttemptResult => {
  const { webhookId, work, outcome, attemptedAt, endedAt } = ended
  const scheduledMs = outcome.delivered ? undefined : delayAfter(policy, work.seriesAttempt, chance())
  const nextDelayMs =
    scheduledMs === undefined
      ? undefined
      : lengthened(scheduledMs, outcome.retryAfterMs ?? 0, Limits.retryAfterAddsMs)
  return {
    work,
    record: {
      deliveryId: work.deliveryId,
      attempt: work.attempt,
      status: outcome.delivered ? "delivered" : nextDelayMs === undefined ? "failed" : "retrying",
      responseStatus: outcome.responseStatus,
      responseTimeMs: outcome.responseTimeMs,
      responseBody: outcome.responseBody,
      error: outcome.error,
      ...(outcome.details === undefined ? {} : { details: outcome.details }),
      answered: outcome.answered,
      manual: work.manual,
      attemptedAt,
      endedAt,
      nextDelayMs: nextDelayMs ?? null
    },
    retry: nextDelayMs === undefined ? undefined : nextWork(work, webhookId, endedAt + nextDelayMs)
  }
}

/** Makes one request. `ended` is called once, and never after the scope has closed. */
export type Attempt = (
  webhook: RegisteredWebhook,
  sending: Sending,
  ended: (results: ReadonlyArray<AttemptResult> | NotSent) => void
) => void

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

/** `run` forks a fiber. Only a traced attempt needs one; otherwise an attempt is callbacks. */
export const makeAttempt = Effect.fnUntraced(function* (run: (self: Effect.Effect<void>) => void) {
  const { retryPolicy } = yield* Settings
  const sender = yield* Sender
  const send = yield* sender.opened
  const recorder = yield* Recorder
  const registry = yield* WebhookRegistry
  const clock = yield* Clock.Clock
  const random = yield* Random.Random
  const chance = () => random.nextDoubleUnsafe()
  const isTraced = yield* References.TracerEnabled
  let underWay = 0
  let isOpen = true
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      isOpen = false
      recorder.abandon(underWay)
    })
  )

  const guarded = makeGuarded(run)

  const post: Attempt = (known, { items, works }, ended) => {
    // If the webhook has been deleted meanwhile, this attempt still counts as in flight.
    const webhook = registry.get(known.config.id) ?? known
    const { config, url } = webhook
    const webhookId = config.id
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
    const resultAt = (endedAt: number, work: Work, outcome: AttemptOutcome, chance: () => number) =>
      resultOf(retryPolicy, chance, { webhookId, work, outcome, attemptedAt, endedAt })

    if (items === undefined) {
      const work = works[0]!
      const { deliveryId, event } = work
      const request = signedRequest({ ...options, format: config.format, deliveryId, event })
      send(config.account_id, request, Limits.responseBodyBytes, (outcome) =>
        guarded(() => {
          if ("shortage" in outcome) return ended(outcome)
          ended([resultAt(clock.currentTimeMillisUnsafe(), work, outcome, chance)])
        })
      )
      return
    }
    const batchId = randomId("bat_", attemptedAt)
    // The items were made in the format that the webhook had then.
    const request = signedBatch({ ...options, format: known.config.format, batchId, items })
    send(config.account_id, request, Limits.batchResponseBytes, (outcome) =>
      guarded(() => {
        if ("shortage" in outcome) return ended(outcome)
        const endedAt = clock.currentTimeMillisUnsafe()
        const ids = works.map(({ deliveryId }) => deliveryId)
        const outcomes = batchOutcomes(outcome, batchId, ids)
        // With the same jitter, deliveries that fail together are due together, so they become a batch again.
        const jitter = chance()
        ended(works.map((work, i) => resultAt(endedAt, work, outcomes[i]!, () => jitter)))
      })
    )
  }

  const attempt: Attempt = (known, sending, ended) => guarded(() => post(known, sending, ended))

  const inFiber: Attempt = (known, sending, ended) => {
    const results = Effect.callback<ReadonlyArray<AttemptResult> | NotSent>((resume) =>
      attempt(known, sending, (results) => resume(Effect.succeed(results)))
    )
    // The span of a batch belongs to the trace of its first delivery.
    run(Effect.map(tracedAttempt(results, known, sending.works[0]?.traceparent), ended))
  }
  const begin = isTraced ? inFiber : attempt

  return ((known, sending, ended) => {
    const attempts = sending.works.length
    underWay += attempts
    recorder.expect(attempts)
    begin(known, sending, (results) => {
      // `abandon` has subtracted these attempts from the recorder's count already.
      if (!isOpen) return
      underWay -= attempts
      if ("shortage" in results) recorder.abandon(attempts)
      ended(results)
    })
  }) satisfies Attempt
})
