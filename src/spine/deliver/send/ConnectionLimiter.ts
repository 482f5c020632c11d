/**
 * Limits how many connections each webhook uses, so that requests that hang leave connections for others. There are two
 * bounds: the connections to one origin, and those of the process. One rule holds for both:
 *
 *   A webhook may take another connection while it uses fewer than left × left / bound. `left` is what is left for its
 *   account: the free connections less those that the account uses.
 *
 * So an account never uses more than half of a bound, and a webhook never more than a quarter. The less is left, the
 * smaller is the part of it that one webhook gets, so some stay free. Accounts that wait take turns.
 */

import { Context, Effect, Layer } from "effect"
import type { RegisteredWebhook } from "../../registry/WebhookRegistry.ts"
import type { AccountId, WebhookId } from "../../words/Ids.ts"
import { DeliverLimits } from "../Limits.ts"

/** How many waiting shares are tried when a connection becomes free. */
const TRIED = 16

interface AccountUse {
  inUse: number
  /** Its shares, so that it is forgotten with the last one. */
  shares: number
  /** Those that wait for this bound, in the order in which they asked. */
  readonly waiting: Fifo<Share>
}

interface Bound {
  readonly most: number
  inUse: number
  readonly accounts: Map<string, AccountUse>
  /** The accounts with shares that wait, in the order of their turns. */
  readonly turns: Fifo<AccountUse>
}

/** What one webhook uses of an origin's connections and of the process's. */
export interface Share {
  inUse: number
  left: boolean
  readonly accountId: AccountId
  readonly origin: string
  readonly bounds: ReadonlyArray<{ readonly bound: Bound; readonly account: AccountUse }>
  /** Called once after each denial, when a connection may be free. */
  readonly wake: () => void
}

export interface Limiter {
  readonly join: (accountId: AccountId, origin: string, wake: () => void) => Share
  /** False: `wake` follows. */
  readonly take: (share: Share) => boolean
  readonly release: (share: Share) => void
  /** Takes no more connections. Those in use must still be released. */
  readonly leave: (share: Share) => void
}

/** A set that returns its items in the order in which they were added. */
const makeFifo = <A>() => {
  const items = new Set<A>()
  // One iterator for many items: each new one walks over the places of removed items, which made a queue of 100,000
  // cost a second.
  let order = items.values()
  return {
    items,
    shift: (): A | undefined => {
      let next = order.next()
      if (next.done) {
        order = items.values()
        next = order.next()
      }
      if (next.done) return undefined
      items.delete(next.value)
      return next.value
    }
  }
}
type Fifo<A> = ReturnType<typeof makeFifo<A>>

const makeBound = (most: number): Bound => ({ most, inUse: 0, accounts: new Map(), turns: makeFifo() })

/** The bound that denies the share another connection. */
const denying = ({ bounds, inUse }: Share) =>
  bounds.find(({ bound, account }) => {
    const left = Math.max(0, bound.most - bound.inUse - account.inUse)
    return inUse * bound.most >= left * left
  })

const wait = (share: Share, { bound, account }: Share["bounds"][number]) => {
  account.waiting.items.add(share)
  bound.turns.items.add(account)
}

const use = (share: Share, count: number) => {
  share.inUse += count
  for (const { bound, account } of share.bounds) {
    bound.inUse += count
    account.inUse += count
  }
}

/**
 * Wakes the first share that may take a connection. Trying some is enough: the account of a share that is denied one
 * uses some itself, or all are in use, so another release follows.
 */
const wakeNext = ({ turns }: Bound) => {
  for (let tries = TRIED; tries > 0; ) {
    const account = turns.shift()
    const share = account?.waiting.shift()
    if (account === undefined || share === undefined) return
    if (account.waiting.items.size > 0) turns.items.add(account)
    const denied = denying(share)
    if (denied === undefined) {
      const { inUse } = share
      share.wake()
      if (share.inUse > inUse) return
    } else {
      wait(share, denied)
      tries--
    }
  }
}

export const makeLimiter = (limits: { readonly perOrigin: number; readonly inProcess: number }): Limiter => {
  const inProcess = makeBound(limits.inProcess)
  const origins = new Map<string, Bound>()

  const enter = (bound: Bound, accountId: AccountId) => {
    const account = bound.accounts.get(accountId) ?? { inUse: 0, shares: 0, waiting: makeFifo<Share>() }
    bound.accounts.set(accountId, account)
    account.shares++
    return { bound, account }
  }

  /** After it has left and released its last connection. */
  const forget = ({ accountId, origin, bounds }: Share) => {
    for (const { bound, account } of bounds) {
      if (--account.shares > 0) continue
      bound.accounts.delete(accountId)
      if (bound !== inProcess && bound.accounts.size === 0) origins.delete(origin)
    }
  }

  return {
    join: (accountId, origin, wake) => {
      const atOrigin = origins.get(origin) ?? makeBound(limits.perOrigin)
      origins.set(origin, atOrigin)
      const bounds = [enter(atOrigin, accountId), enter(inProcess, accountId)]
      return { inUse: 0, left: false, accountId, origin, bounds, wake }
    },
    take: (share) => {
      const denied = denying(share)
      if (denied === undefined) use(share, 1)
      else wait(share, denied)
      return denied === undefined
    },
    release: (share) => {
      use(share, -1)
      if (share.inUse === 0 && share.left) forget(share)
      for (const { bound } of share.bounds) wakeNext(bound)
    },
    leave: (share) => {
      for (const { bound, account } of share.bounds) {
        account.waiting.items.delete(share)
        if (account.waiting.items.size === 0) bound.turns.items.delete(account)
      }
      share.left = true
      if (share.inUse === 0) forget(share)
    }
  }
}

export class ConnectionLimiter extends Context.Service<ConnectionLimiter, Limiter>()(
  "ledgerhook/deliver/ConnectionLimiter"
) {
  static readonly layer = Layer.effect(
    ConnectionLimiter,
    Effect.map(DeliverLimits, ({ connectionsInUse, connectionsPerOrigin }) =>
      makeLimiter({ perOrigin: connectionsPerOrigin, inProcess: connectionsInUse })
    )
  )
}

/**
 * The connections of an actor's webhooks. `wake` is called with the id of one that was denied a connection, when it may
 * try again. When the scope closes, all connections are returned.
 */
export const makeShares = Effect.fnUntraced(function* (wake: (webhookId: WebhookId) => void) {
  const limiter = yield* ConnectionLimiter
  /** The share of each webhook at its current URL. */
  const byWebhook = new Map<string, { readonly url: URL; readonly share: Share }>()
  /** All shares, including those of former URLs that still have open connections. */
  const open = new Set<Share>()
  const forgetIfUnused = (share: Share) => {
    if (share.left && share.inUse === 0) open.delete(share)
  }
  const leave = (webhookId: WebhookId) => {
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
    open.add(share)
    return share
  }
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const webhookId of [...byWebhook.keys()]) leave(webhookId)
      for (const share of open) while (share.inUse > 0) limiter.release(share)
    })
  )
  return {
    connect: (webhook: RegisteredWebhook): Share | undefined => {
      const share = shareOf(webhook)
      return limiter.take(share) ? share : undefined
    },
    disconnect: (share: Share) => {
      limiter.release(share)
      forgetIfUnused(share)
    },
    leave
  }
})
