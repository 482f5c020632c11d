/**
 * `ledgerhook listen --forward URL`: posts each event of a stream to a local address, signed as a webhook's requests
 * are. Requests start in the stream's order, a few at the same time. A failed request is shown and not repeated.
 * While the local server is slow, the stream is not read further, so nothing is queued here.
 */
import { Clock, Effect, Semaphore } from "effect"
import { timeoutFailure } from "../../../spine/deliver/send/RequestFailures.ts"
import { signedRequest } from "../../../spine/deliver/send/Signer.ts"
import type { EnvelopeFields } from "../../../spine/event/LedgerEvent.ts"
import { type DeliveryId, randomId, type WebhookId } from "../../../spine/words/Ids.ts"
import type { CommandFailed } from "../../../terminal/Failure.ts"
import { requestFailure } from "../../../terminal/service/Requests.ts"
import { ANSWER_MS, readStream, type StreamClientOptions } from "../../events/follow/StreamClient.ts"

/** Requests that are in flight at a time to the local address. */
export const PARALLEL = 4

/** One event and the result of its request. */
export interface Forwarded {
  readonly event: EnvelopeFields
  readonly deliveryId: DeliveryId
  readonly sentAt: number
  /** The status of the answer; undefined if there was none. */
  readonly status: number | undefined
  readonly tookMs: number
  /** Why there was no answer. */
  readonly failure: string | undefined
}

export interface ForwardOptions extends Omit<StreamClientOptions, "onEvent"> {
  /** The address to which events are posted. */
  readonly to: URL
  readonly secret: string
  /** The webhook id in the envelopes. It is made up: the service has no such webhook. */
  readonly webhookId: WebhookId
  readonly onForwarded: (forwarded: Forwarded) => Effect.Effect<void>
}

const post = Effect.fnUntraced(function* ({ secret, to, webhookId }: ForwardOptions, event: EnvelopeFields) {
  const sentAt = yield* Clock.currentTimeMillis
  const deliveryId = randomId("dlv_", sentAt)
  const { body, headers } = signedRequest({
    url: to,
    headers: {},
    secrets: [secret],
    webhookId,
    deliveryId,
    event,
    nowMs: sentAt
  })
  const { failure, status } = yield* Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(to, { method: "POST", redirect: "manual", headers, body, signal })
      await response.body?.cancel()
      return { status: response.status, failure: undefined }
    },
    catch: requestFailure
  }).pipe(
    Effect.timeoutOrElse({
      duration: ANSWER_MS,
      orElse: () => Effect.fail(timeoutFailure(ANSWER_MS))
    }),
    Effect.catch((failure) => Effect.succeed({ status: undefined, failure }))
  )
  const tookMs = (yield* Clock.currentTimeMillis) - sentAt
  return { event, deliveryId, sentAt, status, tookMs, failure } satisfies Forwarded
})

export const forward = Effect.fnUntraced(function* (
  options: ForwardOptions
): Effect.fn.Return<never, CommandFailed> {
  const { onForwarded } = options
  const turns = yield* Semaphore.make(PARALLEL)
  const stream = readStream({
    ...options,
    onEvent: Effect.fnUntraced(function* (event) {
      yield* Semaphore.take(turns, 1)
      yield* post(options, event).pipe(
        Effect.flatMap(onForwarded),
        Effect.ensuring(Semaphore.release(turns, 1)),
        Effect.forkChild({ startImmediately: true })
      )
    })
  })
  return yield* stream
})
