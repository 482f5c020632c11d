/**
 * The webhooks that route finds: its own view of `webhooks.config`, kept up to date for the life of the process. It is
 * apart from the registry of deliver, because a process may have many webhooks, and routing needs neither their
 * addresses nor their secrets. A record that cannot be read becomes a dead letter.
 */
import { Context, Effect, Layer, Result } from "effect"
import { CONFIG_TOPIC, parseWebhookConfig } from "../domain/Webhook.ts"
import * as CompactedView from "../log/CompactedView.ts"
import { makeIsWhole } from "../registry/PublishAgain.ts"
import { unreadableToDeadLetters } from "../registry/UnreadableWebhooks.ts"
import { upToDateWith } from "../registry/UpToDate.ts"
import { makeWebhookIndex } from "./WebhookIndex.ts"

export class RoutedWebhooks extends Context.Service<RoutedWebhooks>()("ledgerhook/route/RoutedWebhooks", {
  make: Effect.gen(function* () {
    const index = makeWebhookIndex()
    const view = yield* CompactedView.follow(
      CONFIG_TOPIC,
      (key, value) => {
        index.set(key, value === null ? undefined : parseWebhookConfig(value))
        return Result.void
      },
      yield* unreadableToDeadLetters("route")
    )
    return {
      match: index.match,
      /** Waits until every change that the API has answered is in use, so a new webhook gets the next ledger. */
      upToDate: yield* upToDateWith(view, yield* makeIsWhole)
    }
  })
}) {
  static readonly layer = Layer.effect(RoutedWebhooks, RoutedWebhooks.make)
}
