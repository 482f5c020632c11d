/**
 * One HTTP attempt. One deadline covers DNS, connect, TLS, headers and body; a 2xx counts as soon as its headers are
 * in; the body is read to its cap or the deadline and never turns a 2xx into a failure. A connection is used again after
 * a 2xx that was read to its end, and only by webhooks of the same account: what a receiver sends too much can then mislead
 * no other account. Redirects are not followed. Failure is data: sending never fails. It reports by callbacks: a fiber
 * for each attempt was a twentieth of its CPU.
 */
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import { Agent, Pool } from "undici"
import { Settings } from "../config/Config.ts"
import { StageLimits } from "../config/StageLimits.ts"
import type { AttemptOutcome } from "../domain/Delivery.ts"
import { Connection, type OpenConnections } from "./Connection.ts"
import { makeConnector } from "./Connector.ts"
import { makeDeadlines } from "./Deadlines.ts"
import { Exchange } from "./Exchange.ts"
import { Resolver, remembering } from "./Resolver.ts"
import type { SignedRequest } from "./Signer.ts"

const NANOS_PER_MS = 1_000_000

/** `ended` is called once, at the earliest while this is called. */
export type Send = (
  accountId: string,
  request: SignedRequest,
  ended: (outcome: AttemptOutcome) => void
) => void

export class Sender extends Context.Service<
  Sender,
  {
    /** When the scope closes, what has not ended is cut off, and its `ended` never called. */
    readonly opened: Effect.Effect<Send, never, Scope.Scope>
  }
>()("ledgerhook/deliver/Sender") {
  static readonly layer = Layer.effect(
    Sender,
    Effect.gen(function* () {
      const { allowPrivateAddresses, deliveryTimeoutMs } = yield* Settings
      const { connectionIdleMs, connectionsKept, connectionsPerOrigin } = yield* StageLimits
      const clock = yield* Clock.Clock
      const nowMs = () => clock.currentTimeMillisUnsafe()
      const monotonicMs = () => Number(clock.monotonicTimeNanosUnsafe()) / NANOS_PER_MS
      const deadlines = yield* makeDeadlines<Exchange>(deliveryTimeoutMs, (exchange) =>
        exchange.expire(deliveryTimeoutMs)
      )
      const connect = makeConnector({
        allowPrivate: allowPrivateAddresses,
        // undici's own connect timer ticks coarsely: it only has to end what the attempt's deadline has given up.
        timeoutMs: deliveryTimeoutMs + 1_000,
        resolve: remembering(yield* Resolver, monotonicMs)
      })
      const connections: OpenConnections = { count: 0 }
      const options = {
        keepAliveTimeout: connectionIdleMs,
        keepAliveMaxTimeout: connectionIdleMs,
        // The attempt's deadline replaces both.
        headersTimeout: 0,
        bodyTimeout: 0
      }
      const poolOf = (origin: string | URL) =>
        new Pool(origin, {
          connections: connectionsPerOrigin,
          // Else an origin's first connection is waited for, to see which protocol it chooses.
          allowH2: false,
          factory: (to) => new Connection(to, options, connect, connections)
        })
      /** By account: one for each that this process has sent for. */
      const agents = new Map<string, Agent>()
      yield* Effect.addFinalizer(() =>
        Effect.promise(() => Promise.all([...agents.values()].map((agent) => agent.destroy())))
      )
      const agentOf = (accountId: string): Agent => {
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
              deadlines.remove(exchange)
              exchange.cancel()
            }
          })
        )
        const send: Send = (accountId, request, ended) => {
          if (closed) return
          const exchange = new Exchange(nowMs, (itself, outcome) => {
            deadlines.remove(itself)
            open.delete(itself)
            ended(outcome)
          })
          deadlines.add(exchange)
          open.add(exchange)
          agentOf(accountId).dispatch(
            {
              origin: request.url.origin,
              path: request.url.pathname + request.url.search,
              method: "POST",
              headers: request.headers,
              body: request.body,
              reset: connections.count > connectionsKept
            },
            exchange
          )
        }
        return send
      })

      return Sender.of({ opened })
    })
  )
}
