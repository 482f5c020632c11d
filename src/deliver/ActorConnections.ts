/**
 * What the webhooks of one actor use of the process's connections. When its scope closes, all of it is free for others.
 */
import { Effect } from "effect"
import type { RegisteredWebhook } from "../webhooks/WebhookRegistry.ts"
import { ConnectionLimiter, type Share } from "./ConnectionLimiter.ts"

/** `wake` is called with a webhook that was refused one, when it may be tried again. */
export const makeActorConnections = Effect.fnUntraced(function* (wake: (webhookId: string) => void) {
  const limiter = yield* ConnectionLimiter
  /** By webhook, for the address it has now. */
  const byWebhook = new Map<string, { readonly url: URL; readonly share: Share }>()
  /** Those, and what is still used at former addresses. */
  const openShares = new Set<Share>()

  const forgetIfUnused = (share: Share) => {
    if (share.left && share.inUse === 0) openShares.delete(share)
  }

  const leave = (webhookId: string) => {
    const share = byWebhook.get(webhookId)?.share
    if (share === undefined) return
    byWebhook.delete(webhookId)
    limiter.leave(share)
    forgetIfUnused(share)
  }

  const shareOf = ({ url, config }: RegisteredWebhook): Share => {
    const known = byWebhook.get(config.id)
    // A changed webhook is a new object.
    if (known?.url === url) return known.share
    leave(config.id)
    const share = limiter.join(config.account_id, url.origin, () => wake(config.id))
    byWebhook.set(config.id, { url, share })
    openShares.add(share)
    return share
  }

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const webhookId of [...byWebhook.keys()]) leave(webhookId)
      for (const share of openShares) while (share.inUse > 0) limiter.release(share)
    })
  )

  return {
    /** One connection more, or undefined: `wake` follows. */
    take: (webhook: RegisteredWebhook): Share | undefined => {
      const share = shareOf(webhook)
      return limiter.take(share) ? share : undefined
    },
    release: (share: Share) => {
      limiter.release(share)
      forgetIfUnused(share)
    },
    /** The webhook starts nothing any more. */
    leave
  }
})
