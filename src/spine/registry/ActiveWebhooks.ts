/** Whether a network has an active webhook, kept up to date. The simulated ledger runs only while it has one. */
import { Effect, Latch, type Scope } from "effect"
import type { Network } from "../event/Network.ts"
import { WebhookRegistry } from "./WebhookRegistry.ts"

export interface ActiveWebhooks {
  readonly any: () => boolean
  /** Waits until the network has an active webhook. */
  readonly awaitAny: Effect.Effect<void>
}

export const activeWebhooks = Effect.fnUntraced(function* (
  network: Network
): Effect.fn.Return<ActiveWebhooks, never, WebhookRegistry | Scope.Scope> {
  const registry = yield* WebhookRegistry
  const active = new Set<string>()
  const some = Latch.makeUnsafe()
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      registry.subscribe((id, webhook) => {
        if (webhook?.config.network === network && webhook.config.status === "active") active.add(id)
        else active.delete(id)
        if (active.size > 0) some.openUnsafe()
        else some.closeUnsafe()
      })
    ),
    (unsubscribe) => Effect.sync(unsubscribe)
  )
  return { any: () => active.size > 0, awaitAny: Latch.await(some) }
})
