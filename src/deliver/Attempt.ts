/**
 * One attempt as a pipeline over values: sign → send → decide what follows. What it returns says everything that is to
 * be recorded; it writes nothing itself.
 */
import { Clock, Effect, Random } from "effect"
import { Settings } from "../config/Config.ts"
import { Limits } from "../config/Limits.ts"
import type { DeliveryWork } from "../domain/Delivery.ts"
import { delayAfter, lengthened } from "../domain/RetryPolicy.ts"
import type { AttemptRecord } from "../storage/DeliveryStore.ts"
import { type RegisteredWebhook, secretsAt, WebhookRegistry } from "../webhooks/WebhookRegistry.ts"
import type { Work } from "./Lane.ts"
import { Recorder } from "./Recorder.ts"
import { Sender } from "./Sender.ts"
import { signedRequest } from "./Signer.ts"

export interface AttemptResult {
  readonly record: AttemptRecord
  readonly retry: DeliveryWork | undefined
}

/** The work of the attempt after `work`. */
export const nextWork = (work: Work, webhookId: string, dueAt: number): DeliveryWork => ({
  delivery_id: work.deliveryId,
  webhook_id: webhookId,
  attempt: work.attempt + 1,
  series_attempt: work.seriesAttempt + 1,
  due_at: dueAt,
  ...(work.kind === "replays" ? { replay: true } : {}),
  event: work.event
})

export const makeAttempt = Effect.gen(function* () {
  const { retryPolicy } = yield* Settings
  const sender = yield* Sender
  const recorder = yield* Recorder
  const registry = yield* WebhookRegistry
  const clock = yield* Clock.Clock

  return Effect.fnUntraced(function* (known: RegisteredWebhook, work: Work) {
    recorder.expect()
    // Sent is from here on: until the request is handed over nothing waits, so the secret is the newest that any
    // answered rotation has made.
    yield* registry.current
    // Deleted meanwhile: this one counts as in flight.
    const webhook = registry.get(known.config.id) ?? known
    const attemptedAt = clock.currentTimeMillisUnsafe()
    const outcome = yield* sender.send(
      signedRequest({
        url: webhook.config.url,
        headers: webhook.config.headers,
        secrets: secretsAt(webhook, attemptedAt),
        webhookId: webhook.config.id,
        deliveryId: work.deliveryId,
        event: work.event,
        nowMs: attemptedAt
      })
    )
    const endedAt = clock.currentTimeMillisUnsafe()
    const scheduledMs = outcome.delivered
      ? undefined
      : delayAfter(retryPolicy, work.seriesAttempt, yield* Random.next)
    const nextDelayMs =
      scheduledMs === undefined
        ? undefined
        : lengthened(scheduledMs, outcome.retryAfterMs ?? 0, Limits.retryAfterAddsMs)
    const result: AttemptResult = {
      record: {
        deliveryId: work.deliveryId,
        attempt: work.attempt,
        status: outcome.delivered ? "delivered" : nextDelayMs === undefined ? "failed" : "retrying",
        responseStatus: outcome.responseStatus,
        responseTimeMs: outcome.responseTimeMs,
        responseBody: outcome.responseBody,
        error: outcome.error,
        attemptedAt,
        endedAt,
        nextDelayMs: nextDelayMs ?? null
      },
      retry: nextDelayMs === undefined ? undefined : nextWork(work, webhook.config.id, endedAt + nextDelayMs)
    }
    return result
  })
})
