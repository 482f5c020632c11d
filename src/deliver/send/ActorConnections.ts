/**
 * The connections that the webhooks of one actor use, of those that the process's ConnectionLimiter grants. When the
 * scope closes, all of them are returned.
 */
import { Effect } from "effect"
import type { RegisteredWebhook } from "../../webhooks/WebhookRegistry.ts"
import { ConnectionLimiter, type Share } from "./ConnectionLimiter.ts"

/** `wake` is called with the id of a webhook that was refused a connection, when it may try again. */
export const makeActorConnections = Effect.fnUntraced(function* (wake: (webhookId: string) => void) {
  const limiter = yield* ConnectionLimiter
  /** The share of each webhook at its current URL. */
  const byWebhook = new Map<string, { readonly url: URL; readonly share: Share }>()
  /** All shares in use, including shares of former URLs that still have open connections. */
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
    // The registry makes a new URL object whenever a webhook changes.
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
    /** Takes a connection. Undefined if none is free; `wake` follows. */
    take: (webhook: RegisteredWebhook): Share | undefined => {
      const share = shareOf(webhook)
      return limiter.take(share) ? share : undefined
    },
    release: (share: Share) => {
      limiter.release(share)
      forgetIfUnused(share)
    },
    /** The webhook will start no more attempts. */
    leave
  }
})
