/**
 * What this process knows of webhooks: a live view of `webhooks.config`, with the signing secrets opened. Route and
 * deliver share it. `upToDate` makes sure that the view holds every change the API has answered for, so that "from the
 * next ledger after the response" is true however busy the outbox is.
 */
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import { CONFIG_TOPIC, type WebhookConfig } from "../domain/Webhook.ts"
import * as CompactedView from "../log/CompactedView.ts"
import { EventLog, type EventLogError, type LogRecord } from "../log/EventLog.ts"
import { Outbox } from "../storage/Outbox.ts"
import { SecretBox } from "../storage/SecretBox.ts"

export interface RegisteredWebhook {
  readonly config: WebhookConfig
  readonly secret: string
}

export type Listener = (webhookId: string, webhook: RegisteredWebhook | undefined) => void

export class WebhookRegistry extends Context.Service<
  WebhookRegistry,
  {
    readonly get: (webhookId: string) => RegisteredWebhook | undefined
    /** Tells the listener every webhook known now and each change after; the result ends it. */
    readonly subscribe: (listener: Listener) => () => void
    /** Waits until the view holds everything that was in the outbox when this was called. */
    readonly upToDate: Effect.Effect<void, SqlError.SqlError | EventLogError>
  }
>()("ledgerhook/webhooks/WebhookRegistry") {}
