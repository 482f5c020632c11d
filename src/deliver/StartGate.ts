/**
 * What one more delivery of a webhook needs besides its window: a token of its rate, and a connection of its share. An
 * outlet that lacks one waits, and is woken when there may be one. Of one actor: when its scope closes, all that its
 * webhooks use is free for others.
 */
import { Clock, Effect } from "effect"
import type { RegisteredWebhook } from "../webhooks/WebhookRegistry.ts"
import { ConnectionShares, type Share } from "./ConnectionShares.ts"
import type { Outlet } from "./Lane.ts"

interface StartGate {
  /** What to release when the attempt has ended; undefined: the outlet waits. */
  readonly enter: (outlet: Outlet, webhook: RegisteredWebhook) => Share | undefined
  readonly release: (share: Share) => void
  /** The outlet starts nothing any more. */
  readonly leave: (outlet: Outlet) => void
}

/** `wake` is called with an outlet that no longer waits. `run` starts a fiber of the actor. */
export const makeStartGate = Effect.fnUntraced(function* (
  run: (self: Effect.Effect<void>) => void,
  wake: (outlet: Outlet) => void
) {
  const clock = yield* Clock.Clock
  const shares = yield* ConnectionShares
  /** By outlet, for the address it has now. */
  const current = new Map<Outlet, { readonly url: URL; readonly share: Share }>()
  /** Those, and what is still used at former addresses. */
  const joined = new Set<Share>()

  const wakeUp = (outlet: Outlet) => {
    outlet.waiting = false
    wake(outlet)
  }

  const tidy = (share: Share) => {
    if (share.left && share.inUse === 0) joined.delete(share)
  }

  const leave = (outlet: Outlet) => {
    const share = current.get(outlet)?.share
    if (share === undefined) return
    current.delete(outlet)
    shares.leave(share)
    tidy(share)
  }

  const shareOf = (outlet: Outlet, { url, config }: RegisteredWebhook): Share => {
    const known = current.get(outlet)
    // A changed webhook is a new object.
    if (known?.url === url) return known.share
    leave(outlet)
    const share = shares.join(config.account_id, url.origin, () => wakeUp(outlet))
    current.set(outlet, { url, share })
    joined.add(share)
    return share
  }

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const outlet of [...current.keys()]) leave(outlet)
      for (const share of joined) while (share.inUse > 0) shares.release(share)
    })
  )

  const gate: StartGate = {
    enter: (outlet, webhook) => {
      const waitMs = outlet.rate.take(webhook.config.max_per_second, clock.currentTimeMillisUnsafe())
      if (waitMs > 0) {
        outlet.waiting = true
        run(Effect.map(Effect.sleep(waitMs), () => wakeUp(outlet)))
        return undefined
      }
      const share = shareOf(outlet, webhook)
      if (shares.take(share)) return share
      outlet.waiting = true
      outlet.rate.giveBack()
      return undefined
    },
    release: (share) => {
      shares.release(share)
      tidy(share)
    },
    leave
  }
  return gate
})
