/**
 * Sends one HTTP request. One deadline covers DNS, connect, TLS, headers and body. Redirects are not followed. A
 * failure is an outcome, so sending never fails. A connection is reused only after a 2xx that was read to its end,
 * and only for webhooks of the same account: a receiver that sends too many bytes can confuse no other account's
 * responses. Results come by callback, because a fiber for each attempt cost a twentieth of its CPU.
 */

import { Clock, Effect, Latch, Random, type Scope } from "effect"
import { Agent, Pool } from "undici"
import { Settings } from "../../config/Config.ts"
import { StageLimits } from "../../config/StageLimits.ts"
import type { AttemptOutcome } from "../../domain/Delivery.ts"
import { Resolver, remembering } from "../../net/Resolver.ts"
import type { AccountId } from "../../words/Ids.ts"
import { monotonicClock } from "../../words/Monotonic.ts"
import { DeliverLimits, responseLimits } from "../Limits.ts"
import { Connection, makeConnector, type OpenConnections } from "./Connection.ts"
import { Exchange, type NotSent } from "./Exchange.ts"
import type { SignedRequest } from "./Signer.ts"

/** What is taken from the time that a response's `Keep-Alive` names. */
const IDLE_MARGIN_MS = 500

/** `ended` is called once, possibly before this returns. */
export type Send = (
  accountId: AccountId,
  request: SignedRequest,
  /** Bytes of the response's body that are read. */
  responseBytes: number,
  ended: (outcome: AttemptOutcome | NotSent) => void,
  /** Whether a body with a Content-Encoding is decoded. Default: no. */
  decodes?: boolean
) => void

export interface HttpSender {
  /** When the scope closes, open requests are aborted and their `ended` is not called. */
  readonly opened: Effect.Effect<Send, never, Scope.Scope>
  /** What this machine has lacked in the last minute, as the end of a sentence. */
  readonly shortage: Effect.Effect<string | undefined>
}

export const makeHttpSender = Effect.gen(function* () {
  const { allowPrivateAddresses, deliveryTimeoutMs } = yield* Settings
  const limits = yield* DeliverLimits
  const { shortageShownMs } = yield* StageLimits
  const clock = yield* Clock.Clock
  const random = yield* Random.Random
  const monotonicMs = yield* monotonicClock
  const clocks = { wallMs: () => clock.currentTimeMillisUnsafe(), monotonicMs }
  /** When each exchange must have ended, oldest first: all have the same time. A timer for each cost a tenth of its CPU. */
  const deadlines = new Map<Exchange, number>()
  const someOpen = Latch.makeUnsafe()
  const expireNext = Effect.gen(function* () {
    yield* Latch.await(someOpen)
    const [oldest] = deadlines
    if (oldest === undefined) return someOpen.closeUnsafe()
    const [exchange, dueAt] = oldest
    const waitMs = dueAt - monotonicMs()
    if (waitMs > 0) return yield* Effect.sleep(Math.ceil(waitMs))
    deadlines.delete(exchange)
    exchange.expire(deliveryTimeoutMs)
  })
  yield* Effect.forkScoped(Effect.forever(expireNext))
  const connect = makeConnector({
    allowPrivate: allowPrivateAddresses,
    // Later than the attempt's deadline, which decides: undici's connect timer is coarse.
    timeoutMs: deliveryTimeoutMs + 1_000,
    resolve: remembering(yield* Resolver, monotonicMs)
  })
  let shortage = { text: "", untilMs: 0 }
  const connections: OpenConnections = { count: 0 }
  const options = {
    keepAliveTimeout: limits.connectionIdleMs,
    keepAliveMaxTimeout: limits.connectionLifeMs,
    keepAliveTimeoutThreshold: IDLE_MARGIN_MS,
    maxHeaderSize: responseLimits.responseOverheadBytes,
    // Off: the attempt's deadline covers them.
    headersTimeout: 0,
    bodyTimeout: 0
  }
  const lifeMs = () => limits.connectionLifeMs * (1 - random.nextDoubleUnsafe() / 4)
  const poolOf = (origin: string | URL) =>
    new Pool(origin, {
      connections: limits.connectionsPerOrigin,
      // Otherwise all requests to an origin wait for its first connection, which negotiates the protocol.
      allowH2: false,
      factory: (to) => new Connection(to, options, connect, connections, monotonicMs, lifeMs)
    })
  /** By account id; an agent is made with the first request of its account. */
  const agents = new Map<string, Agent>()
  yield* Effect.addFinalizer(() =>
    Effect.promise(() => Promise.all([...agents.values()].map((agent) => agent.destroy())))
  )
  const agentOf = (accountId: AccountId): Agent => {
    let agent = agents.get(accountId)
    if (agent === undefined) {
      agent = new Agent({ factory: poolOf })
      agents.set(accountId, agent)
    }
    return agent
  }

  const opened = Effect.gen(function* () {
    const open = new Set<Exchange>()
    let closed = false
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        closed = true
        for (const exchange of open) {
          deadlines.delete(exchange)
          exchange.cancel()
        }
      })
    )
    const send: Send = (accountId, request, responseBytes, ended, decodes) => {
      if (closed) return
      const onOutcome = (itself: Exchange, outcome: AttemptOutcome | NotSent) => {
        deadlines.delete(itself)
        open.delete(itself)
        if ("shortage" in outcome)
          shortage = { text: outcome.shortage, untilMs: monotonicMs() + shortageShownMs }
        ended(outcome)
      }
      const exchange = new Exchange(clocks, responseBytes, onOutcome, decodes)
      deadlines.set(exchange, monotonicMs() + deliveryTimeoutMs)
      someOpen.openUnsafe()
      open.add(exchange)
      agentOf(accountId).dispatch(
        {
          origin: request.url.origin,
          path: request.url.pathname + request.url.search,
          method: "POST",
          headers: request.headers,
          body: request.body,
          reset: connections.count > limits.connectionsInUse
        },
        exchange
      )
    }
    return send
  })

  const sender: HttpSender = {
    opened,
    shortage: Effect.sync(() => (monotonicMs() < shortage.untilMs ? shortage.text : undefined))
  }
  return sender
})
