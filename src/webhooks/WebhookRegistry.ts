/**
 * The webhooks that this process delivers to: a view of `webhooks.config`, kept up to date, with decrypted secrets.
 * Which webhook wants an event is in route's own view (route/RoutedWebhooks.ts). `upToDate` waits until the view
 * contains every change that the API has answered. `whenCurrent` is for many uses a second: the view may be as old as its lease
 * (`Limits.webhookViewLeaseMs`), so the API waits for one lease before it answers a secret rotation.
 */
import { Context, Effect, Layer, Result } from "effect"
import { Limits } from "../config/Limits.ts"
import { CONFIG_TOPIC, type DeliveryConfig, deliveryConfig, parseWebhookConfig } from "../domain/Webhook.ts"
import * as CompactedView from "../log/CompactedView.ts"
import { SecretBox } from "../storage/webhooks/SecretBox.ts"
import { makeReadLease } from "./ReadLease.ts"
import { quarantineUnreadable } from "./UnreadableWebhooks.ts"
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

export type Listener = (webhookId: string, webhook: RegisteredWebhook | undefined) => void

export class WebhookRegistry extends Context.Service<WebhookRegistry>()(
  "ledgerhook/webhooks/WebhookRegistry",
  {
    make: Effect.gen(function* () {
      const secrets = yield* SecretBox
      const listeners = new Set<Listener>()

      const view = yield* CompactedView.make<RegisteredWebhook>({
        topic: CONFIG_TOPIC,
        decode: (value) => {
          const config = deliveryConfig(parseWebhookConfig(value))
          const { sealed_secret, previous_secret: previous } = config
          return Result.gen(function* () {
            const url = URL.parse(config.url)
            if (url === null) return yield* Result.fail({ message: "its address is no URL" })
            const secret = yield* secrets.open(sealed_secret)
            const previousSecret =
              previous === undefined
                ? undefined
                : { secret: yield* secrets.open(previous.sealed), until: previous.until }
            return { config, url, secret, previousSecret }
          }).pipe(Result.mapError(({ message }) => message))
        },
        onChange: (webhookId, webhook) => {
          for (const listener of listeners) listener(webhookId, webhook)
        },
        putAside: yield* quarantineUnreadable("deliver")
      })

      const upToDate = yield* upToDateWith(view)

      return {
        get: (webhookId: string) => view.values.get(webhookId),
        /** Calls the listener with every known webhook, then with each change. The returned function stops it. */
        subscribe: (listener: Listener): (() => void) => {
          listeners.add(listener)
          for (const [webhookId, webhook] of view.values) listener(webhookId, webhook)
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
