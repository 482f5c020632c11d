/**
 * The webhooks that this process delivers to: a view of `webhooks.config`, kept up to date, with decrypted secrets.
 * Which webhook wants an event is in route's own view (route/RoutedWebhooks.ts). A webhook whose newest secret this
 * process cannot open is known, but not usable (UnusableWebhooks): its deliveries wait. `upToDate` waits until the view
 * contains every change that the API has answered. `whenCurrent` is for many uses a second: the view may be as old as
 * its lease (`Limits.webhookViewLeaseMs`), so the API waits for one lease before it answers a secret rotation.
 */

import { Clock, Context, Effect, Layer, Result } from "effect"
import { Limits } from "../config/Limits.ts"
import { CONFIG_TOPIC, type DeliveryConfig, deliveryConfig, parseWebhookConfig } from "../domain/Webhook.ts"
import * as CompactedView from "../log/CompactedView.ts"
import { SecretBox } from "../store/secrets/SecretBox.ts"
import type { WebhookId } from "../words/Ids.ts"
import { makeIsWhole } from "./PublishAgain.ts"
import { makeReadLease } from "./ReadLease.ts"
import { unreadableToDeadLetters } from "./UnreadableWebhooks.ts"
import { makeUnusableWebhooks } from "./UnusableWebhooks.ts"
import { upToDateWith } from "./UpToDate.ts"

export interface RegisteredWebhook {
  readonly config: DeliveryConfig
  /** The webhook's URL, parsed once instead of at every attempt. */
  readonly url: URL
  /** The decrypted secret. */
  readonly secret: string
  /** The secret before the last rotation, and when its grace ends in Unix milliseconds. */
  readonly previousSecret: { readonly secret: string; readonly until: number } | undefined
}

/** The secrets that sign a delivery at that time, newest first. */
export const secretsAt = (webhook: RegisteredWebhook, nowMs: number): ReadonlyArray<string> => {
  const { secret, previousSecret } = webhook
  return previousSecret !== undefined && nowMs < previousSecret.until
    ? [secret, previousSecret.secret]
    : [secret]
}

export type Listener = (webhookId: WebhookId, webhook: RegisteredWebhook | undefined) => void

export class WebhookRegistry extends Context.Service<WebhookRegistry>()(
  "ledgerhook/webhooks/WebhookRegistry",
  {
    make: Effect.gen(function* () {
      const secrets = yield* SecretBox
      const clock = yield* Clock.Clock
      const listeners = new Set<Listener>()
      const usable = new Map<string, RegisteredWebhook>()

      const changed = (webhookId: WebhookId) => {
        for (const listener of listeners) listener(webhookId, usable.get(webhookId))
      }

      const opened = (config: DeliveryConfig, url: URL): Result.Result<RegisteredWebhook, string> =>
        Result.gen(function* () {
          const { previous_secret: previous } = config
          const secret = yield* secrets.open(config.sealed_secret)
          const previousSecret =
            previous === undefined || previous.until <= clock.currentTimeMillisUnsafe()
              ? undefined
              : { secret: yield* secrets.open(previous.sealed), until: previous.until }
          return { config, url, secret, previousSecret }
        }).pipe(Result.mapError(({ message }) => message))

      /** Makes the webhook usable. Fails with the reason if its secret cannot be opened. */
      const use = (config: DeliveryConfig, url: URL) =>
        Result.map(opened(config, url), (webhook) => {
          usable.set(config.id, webhook)
          changed(config.id)
        })

      const unusable = yield* makeUnusableWebhooks

      /** If the record has another form, the webhook stays as it was, and waits if nothing is known of it. */
      const apply = (webhookId: WebhookId, value: string | null): Result.Result<void, string> => {
        if (value === null) {
          unusable.delete(webhookId)
          usable.delete(webhookId)
          changed(webhookId)
          return Result.void
        }
        const read = Result.flatMap(
          Result.try({ try: () => deliveryConfig(parseWebhookConfig(value)), catch: String }),
          (config) => {
            const url = URL.parse(config.url)
            return url === null ? Result.fail("its address is no URL") : Result.succeed({ config, url })
          }
        )
        if (Result.isFailure(read)) {
          if (!usable.has(webhookId))
            unusable.set(webhookId, { reason: "its record cannot be read; see the dead letters" })
          return Result.fail(read.failure)
        }
        const { config, url } = read.success
        const open = () => use(config, url)
        const used = open()
        if (Result.isSuccess(used)) unusable.delete(webhookId)
        else {
          // The secret before it would make signatures that the receiver refuses.
          usable.delete(webhookId)
          unusable.set(webhookId, { reason: used.failure, open })
          changed(webhookId)
        }
        return Result.void
      }

      const view = yield* CompactedView.follow(CONFIG_TOPIC, apply, yield* unreadableToDeadLetters("deliver"))
      const upToDate = yield* upToDateWith(view, yield* makeIsWhole)

      return {
        /** Undefined if the webhook is deleted, or not usable. */
        get: (webhookId: WebhookId) => usable.get(webhookId),
        /** Whether the webhook exists, also if its deliveries must wait. */
        isKnown: (webhookId: WebhookId) => usable.has(webhookId) || unusable.has(webhookId),
        /** Which webhooks are not usable, and why, in a sentence for the operator; undefined if there are none. */
        unusable: unusable.described,
        /** Calls the listener with every usable webhook, then with each change. The returned function stops it. */
        subscribe: (listener: Listener): (() => void) => {
          listeners.add(listener)
          for (const [webhookId, webhook] of usable) listener(webhookId, webhook)
          return () => listeners.delete(listener)
        },
        /** Waits until the view contains everything that was in the outbox when this was called. */
        upToDate,
        /** Runs once the view contains everything that was in the outbox one lease ago. */
        whenCurrent: yield* makeReadLease(upToDate, Limits.webhookViewLeaseMs)
      }
    })
  }
) {
  static readonly layer = Layer.effect(WebhookRegistry, WebhookRegistry.make)
}
