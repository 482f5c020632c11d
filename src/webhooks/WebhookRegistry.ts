/**
 * The webhooks that this process knows: a view of `webhooks.config`, kept up to date, with decrypted secrets. Route and
 * deliver share it. `upToDate` waits until the view contains every change that the API has answered, so a new webhook
 * gets the next ledger after the response. `whenCurrent` is for many uses a second: the view may be as old as its lease
 * (`Limits.webhookViewLeaseMs`), so the API waits for one lease before it answers a secret rotation.
 */
import { Context, Effect, Layer, Result } from "effect"
import { Limits } from "../config/Limits.ts"
import { CONFIG_TOPIC, type PackedWebhook, packWebhook, parseWebhookConfig } from "../domain/Webhook.ts"
import * as CompactedView from "../log/CompactedView.ts"
import { EventLog, type EventLogError } from "../log/EventLog.ts"
import { OUTBOX_POSITION, Outbox } from "../storage/outbox/Outbox.ts"
import { SecretBox } from "../storage/webhooks/SecretBox.ts"
import { makeReadLease } from "./ReadLease.ts"

export interface RegisteredWebhook {
  readonly config: PackedWebhook
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
      const log = yield* EventLog
      const outbox = yield* Outbox
      const secrets = yield* SecretBox
      const listeners = new Set<Listener>()

      const view = yield* CompactedView.make<RegisteredWebhook>({
        topic: CONFIG_TOPIC,
        decode: (value) => {
          const config = packWebhook(parseWebhookConfig(value))
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
        }
      })

      const published = (id: number): Effect.Effect<void, EventLogError> =>
        Effect.gen(function* () {
          while ((yield* log.committed(OUTBOX_POSITION.group, OUTBOX_POSITION)) <= id) {
            yield* Effect.sleep(Limits.outboxCatchUpMs)
          }
        })

      const upToDate = Effect.gen(function* () {
        const head = yield* outbox.headId
        if (head > 0) yield* published(head)
        yield* view.caughtUp
      })

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
