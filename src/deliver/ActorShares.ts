/**
 * What the webhooks of one actor use of the process's connections. When its scope closes, all of it is free for others.
 */
import { Effect } from "effect"
import type { RegisteredWebhook } from "../webhooks/WebhookRegistry.ts"
import { ConnectionShares, type Share } from "./ConnectionShares.ts"

/** `wake` is called with a webhook that was refused one, when it may be tried again. */
export const makeActorShares = Effect.fnUntraced(function* (wake: (webhookId: string) => void) {
  const shares = yield* ConnectionShares
  /** By webhook, for the address it has now. */
  const current = new Map<string, { readonly url: URL; readonly share: Share }>()
  /** Those, and what is still used at former addresses. */
  const joined = new Set<Share>()

  const tidy = (share: Share) => {
    if (share.left && share.inUse === 0) joined.delete(share)
  }

  const leave = (webhookId: string) => {
    const share = current.get(webhookId)?.share
    if (share === undefined) return
    current.delete(webhookId)
    shares.leave(share)
    tidy(share)
  }

  const shareOf = ({ url, config }: RegisteredWebhook): Share => {
    const known = current.get(config.id)
    // A changed webhook is a new object.
    if (known?.url === url) return known.share
    leave(config.id)
    const share = shares.join(config.account_id, url.origin, () => wake(config.id))
    current.set(config.id, { url, share })
    joined.add(share)
    return share
  }

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const webhookId of [...current.keys()]) leave(webhookId)
      for (const share of joined) while (share.inUse > 0) shares.release(share)
    })
  )

  return {
    /** One connection more, or undefined: `wake` follows. */
    take: (webhook: RegisteredWebhook): Share | undefined => {
      const share = shareOf(webhook)
      return shares.take(share) ? share : undefined
    },
    release: (share: Share) => {
      shares.release(share)
      tidy(share)
    },
    /** The webhook starts nothing any more. */
    leave
  }
})
