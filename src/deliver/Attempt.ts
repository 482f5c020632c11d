/**
 * One attempt: sign the request, send it, decide what follows. The result contains everything that the recorder
 * stores; this file writes nothing.
 */
import { Clock, Effect, Random, References } from "effect"
import { Settings } from "../config/Config.ts"
import { Limits } from "../config/Limits.ts"
import type { AttemptOutcome, DeliveryWork } from "../domain/Delivery.ts"
import { delayAfter, lengthened, type RetryPolicy } from "../domain/RetryPolicy.ts"
import { traced } from "../observability/Tracing.ts"
import type { AttemptRecord } from "../storage/deliveries/Transitions.ts"
import { type RegisteredWebhook, secretsAt, WebhookRegistry } from "../webhooks/WebhookRegistry.ts"
import type { Work } from "./Lane.ts"
import { Recorder } from "./Recorder.ts"
import { Sender } from "./Sender.ts"
import { signedRequest } from "./Signer.ts"

export interface AttemptResult {
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
  event: work.event
})

const tracedAttempt = <E, R>(
  self: Effect.Effect<AttemptResult, E, R>,
  { config: { id }, url }: RegisteredWebhook,
  { event, kind, traceparent }: Work
) =>
  traced(
    self,
    "attempt delivery",
    ({ record }) => ({
      webhook_id: id,
      delivery_id: record.deliveryId,
      event_id: event.event_id,
      event_type: event.event_type,
      kind,
      attempt: record.attempt,
      outcome: record.status,
      error: record.error,
      "http.response.status_code": record.responseStatus,
      // Only the host: the path or the query may hold a secret.
      "server.address": url.host
    }),
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
    record: {
      deliveryId: work.deliveryId,
      attempt: work.attempt,
      status: outcome.delivered ? "delivered" : nextDelayMs === undefined ? "failed" : "retrying",
      responseStatus: outcome.responseStatus,
      responseTimeMs: outcome.responseTimeMs,
      responseBody: outcome.responseBody,
      error: outcome.error,
      ...(outcome.details === undefined ? {} : { details: outcome.details }),
      attemptedAt,
      endedAt,
      nextDelayMs: nextDelayMs ?? null
    },
    retry: nextDelayMs === undefined ? undefined : nextWork(work, webhookId, endedAt + nextDelayMs)
  }
}

/** Makes one attempt. `ended` is called once, and never after the scope has closed. */
export type Attempt = (webhook: RegisteredWebhook, work: Work, ended: (result: AttemptResult) => void) => void

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

  /**
   * Runs `body` and reports a defect of it through a fiber that dies. Outside a fiber, a defect would not be
   * reported, or undici would swallow it.
   */
  const guarded = (body: () => void) => {
    try {
      body()
    } catch (defect) {
      run(Effect.die(defect))
    }
  }

  const post: Attempt = (known, work, ended) => {
    // If the webhook has been deleted meanwhile, this attempt still counts as in flight.
    const webhook = registry.get(known.config.id) ?? known
    const webhookId = webhook.config.id
    const attemptedAt = clock.currentTimeMillisUnsafe()
    const request = signedRequest({
      url: webhook.url,
      headers: webhook.config.headers,
      secrets: secretsAt(webhook, attemptedAt),
      signing: webhook.config.signing,
      format: webhook.config.format,
      compression: webhook.config.compression,
      webhookId,
      deliveryId: work.deliveryId,
      event: work.event,
      nowMs: attemptedAt
    })
    send(webhook.config.account_id, request, (outcome) =>
      guarded(() => {
        const endedAt = clock.currentTimeMillisUnsafe()
        ended(resultOf(retryPolicy, chance, { webhookId, work, outcome, attemptedAt, endedAt }))
      })
    )
  }

  // From here until undici gets the request, the code does not wait. So the request is signed with the secret of
  // every rotation that the API has answered.
  const attempt: Attempt = (known, work, ended) =>
    registry.whenCurrent(() => guarded(() => post(known, work, ended)))

  const inFiber: Attempt = (known, work, ended) => {
    const result = Effect.callback<AttemptResult>((resume) =>
      attempt(known, work, (result) => resume(Effect.succeed(result)))
    )
    run(Effect.map(tracedAttempt(result, known, work), ended))
  }
  const begin = isTraced ? inFiber : attempt

  return ((known, work, ended) => {
    underWay++
    recorder.expect()
    begin(known, work, (result) => {
      // `abandon` has subtracted this attempt from the recorder's count already.
      if (!isOpen) return
      underWay--
      ended(result)
    })
  }) satisfies Attempt
})
