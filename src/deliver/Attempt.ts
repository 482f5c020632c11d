/**
 * One attempt as a pipeline over values: sign → send → decide what follows. What it returns says everything that is to
 * be recorded; it writes nothing itself.
 */
import { Clock, Effect, Random } from "effect"
import { Settings } from "../config/Config.ts"
import { Limits } from "../config/Limits.ts"
import type { AttemptOutcome, DeliveryWork } from "../domain/Delivery.ts"
import { delayAfter, lengthened, type RetryPolicy } from "../domain/RetryPolicy.ts"
import { traced } from "../observability/Tracing.ts"
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

const tracedAttempt = <E, R>(
  self: Effect.Effect<AttemptResult, E, R>,
  { config: { id, url } }: RegisteredWebhook,
  { event, kind }: Work
) =>
  traced(self, "attempt delivery", ({ record }) => ({
    webhook_id: id,
    delivery_id: record.deliveryId,
    event_id: event.event_id,
    event_type: event.event_type,
    kind,
    attempt: record.attempt,
    outcome: record.status,
    error: record.error,
    "http.response.status_code": record.responseStatus,
    // The rest of the address may hold a secret.
    "server.address": new URL(url).host
  }))

interface Ended {
  readonly webhookId: string
  readonly work: Work
  readonly outcome: AttemptOutcome
  readonly attemptedAt: number
  readonly endedAt: number
}

/** `chance` (0…1) is asked for only when another attempt may follow. */
const resultOf = (policy: RetryPolicy, chance: () => number, ended: Ended): AttemptResult => {
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
      attemptedAt,
      endedAt,
      nextDelayMs: nextDelayMs ?? null
    },
    retry: nextDelayMs === undefined ? undefined : nextWork(work, webhookId, endedAt + nextDelayMs)
  }
}

export const makeAttempt = Effect.gen(function* () {
  const { retryPolicy } = yield* Settings
  const sender = yield* Sender
  const recorder = yield* Recorder
  const registry = yield* WebhookRegistry
  const clock = yield* Clock.Clock
  const random = yield* Random.Random
  const chance = () => random.nextDoubleUnsafe()

  const post = (known: RegisteredWebhook, work: Work) => {
    // Deleted meanwhile: this one counts as in flight.
    const webhook = registry.get(known.config.id) ?? known
    const webhookId = webhook.config.id
    const attemptedAt = clock.currentTimeMillisUnsafe()
    const request = signedRequest({
      url: webhook.config.url,
      headers: webhook.config.headers,
      secrets: secretsAt(webhook, attemptedAt),
      webhookId,
      deliveryId: work.deliveryId,
      event: work.event,
      nowMs: attemptedAt
    })
    return Effect.map(sender.send(request), (outcome) => {
      const endedAt = clock.currentTimeMillisUnsafe()
      return resultOf(retryPolicy, chance, { webhookId, work, outcome, attemptedAt, endedAt })
    })
  }

  return (known: RegisteredWebhook, work: Work): Effect.Effect<AttemptResult> => {
    const attempt = Effect.suspend(() => {
      recorder.expect()
      // Sent is from here on: until the request is handed over nothing waits, so the secret is the newest that any
      // answered rotation has made.
      return Effect.flatMap(registry.current, () => post(known, work))
    })
    return tracedAttempt(attempt, known, work)
  }
})
