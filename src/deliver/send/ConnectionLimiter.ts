/**
 * Limits how many connections a webhook uses, so that requests that hang leave connections for other webhooks. There
 * are two bounds of `most` connections: one for each origin, one for the process. A webhook may take another
 * connection while
 *   used by all + used by its account + `least` × its own < most              for its first `least` connections
 *   used by all + used by its account + its own           < most × `shared`  for further ones
 * An account without a connection may take any free one. So an account alone uses half of a bound, and a webhook
 * alone a quarter. Accounts that wait take turns, so a webhook waits long only for webhooks of its own account.
 */
import { Context, Effect, Layer } from "effect"
import { StageLimits } from "../../config/StageLimits.ts"
import { type FairQueue, makeFairQueue } from "./FairQueue.ts"

export interface ConnectionLimits {
  /** Connections to one origin, and of the process. */
  readonly perOrigin: number
  readonly inProcess: number
  readonly least: number
  readonly shared: number
  /** How many waiting webhooks are tried when a connection becomes free. */
  readonly tried: number
}

interface AccountUse {
  inUse: number
  /** How many shares it has. At 0 it is deleted. */
  shares: number
}

interface Bound {
  readonly most: number
  readonly limits: ConnectionLimits
  inUse: number
  readonly accounts: Map<string, AccountUse>
  /** Shares that this bound has refused, by account. */
  readonly waiting: FairQueue<string, Share>
}

/** What one webhook uses of an origin's connections and of the process's. */
export interface Share {
  inUse: number
  left: boolean
  readonly accountId: string
  readonly origin: string
  readonly bounds: ReadonlyArray<{ readonly bound: Bound; readonly account: AccountUse }>
  /** Called once after each refusal, when a connection may be free. */
  readonly wake: () => void
}

export interface Limiter {
  readonly join: (accountId: string, origin: string, wake: () => void) => Share
  /** False: `wake` follows. */
  readonly take: (share: Share) => boolean
  readonly release: (share: Share) => void
  /** Takes no more connections. Those in use must still be released. */
  readonly leave: (share: Share) => void
}

const makeBound = (most: number, limits: ConnectionLimits): Bound => ({
  most,
  limits,
  inUse: 0,
  accounts: new Map(),
  waiting: makeFairQueue()
})

const mayTakeOne = (bound: Bound, account: AccountUse, own: number): boolean => {
  if (account.inUse === 0) return bound.inUse < bound.most
  const { least, shared } = bound.limits
  const used = bound.inUse + account.inUse
  return own < least ? used + own * least < bound.most : used + own < bound.most * shared
}

const refusingBound = ({ bounds, inUse }: Share): Bound | undefined =>
  bounds.find(({ bound, account }) => !mayTakeOne(bound, account, inUse))?.bound

const use = (share: Share, count: number) => {
  share.inUse += count
  for (const { bound, account } of share.bounds) {
    bound.inUse += count
    account.inUse += count
  }
}

/**
 * Wakes the first share that may take a connection. Trying `tried` of them is enough: a refused share uses some
 * itself, or all connections are in use, so another release follows.
 */
const wakeNext = (bound: Bound) => {
  for (let tries = Math.min(bound.waiting.size(), bound.limits.tried); tries > 0; ) {
    const share = bound.waiting.shift()
    if (share === undefined) return
    const refusal = refusingBound(share)
    if (refusal === undefined) {
      const { inUse } = share
      share.wake()
      if (share.inUse > inUse) return
    } else {
      refusal.waiting.add(share.accountId, share)
      tries--
    }
  }
}

export const makeLimiter = (limits: ConnectionLimits): Limiter => {
  const inProcess = makeBound(limits.inProcess, limits)
  const origins = new Map<string, Bound>()

  const enter = (bound: Bound, accountId: string) => {
    const account = bound.accounts.get(accountId) ?? { inUse: 0, shares: 0 }
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
      const atOrigin = origins.get(origin) ?? makeBound(limits.perOrigin, limits)
      origins.set(origin, atOrigin)
      const bounds = [enter(atOrigin, accountId), enter(inProcess, accountId)]
      return { inUse: 0, left: false, accountId, origin, bounds, wake }
    },
    take: (share) => {
      const refusal = refusingBound(share)
      if (refusal === undefined) use(share, 1)
      else refusal.waiting.add(share.accountId, share)
      return refusal === undefined
    },
    release: (share) => {
      use(share, -1)
      if (share.inUse === 0 && share.left) forget(share)
      for (const { bound } of share.bounds) wakeNext(bound)
    },
    leave: (share) => {
      for (const { bound } of share.bounds) bound.waiting.remove(share.accountId, share)
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
    Effect.map(StageLimits, ({ connectionShares, connectionsInUse, connectionsPerOrigin }) =>
      makeLimiter({ ...connectionShares, perOrigin: connectionsPerOrigin, inProcess: connectionsInUse })
    )
  )
}
