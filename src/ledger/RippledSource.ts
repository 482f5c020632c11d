/**
 * `LedgerSource` over rippled's WebSocket API. One server is connected at a time, the first of the operator's order that
 * is not being left alone after a failure; when its connection ends, the next is chosen, verified and subscribed to.
 *
 *   choosing ─▶ connecting ─▶ connected ─▶ ended (reason) ─▶ choosing …
 * Requests go to the connected server and wait while there is none. A server whose answers are refused is left for the
 * next one, if there is one.
 */
import { Clock, Deferred, Effect, Layer, Random, Result, Schedule, type Scope } from "effect"
import { Limits } from "../config/Limits.ts"
import type { Network } from "../domain/Network.ts"
import { makeHead } from "./Head.ts"
import {
  type Accept,
  type Announcement,
  endsConnection,
  LedgerSource,
  LedgerSourceError
} from "./LedgerSource.ts"
import { afterFailure, choose, newcomer, type Standing } from "./Preference.ts"
import { connect, type ServerConnection } from "./Server.ts"

export interface RippledOptions {
  readonly network: Network
  /** At least one; the first is preferred. */
  readonly urls: ReadonlyArray<string>
}

const betweenTries = Schedule.min([
  Schedule.exponential(Limits.ledgerNotFoundWaitMs.first),
  Schedule.spaced(Limits.ledgerNotFoundWaitMs.longest)
])

/** One server's turn. It may answer better the next time, unless its chain is another. */
const ask = (connection: ServerConnection, index: number, accept: Accept) =>
  connection.ledger(index).pipe(
    Effect.flatMap((fetched) => {
      const fault = accept(fetched)
      return fault === undefined
        ? Effect.succeed(fetched)
        : Effect.fail(new LedgerSourceError({ server: connection.server, ...fault }))
    }),
    Effect.retry({
      while: ({ reason }) => !endsConnection(reason) && reason !== "broken_chain",
      times: Limits.ledgerNotFoundTries - 1,
      schedule: betweenTries
    })
  )

const make = Effect.fnUntraced(function* ({
  network,
  urls
}: RippledOptions): Effect.fn.Return<LedgerSource["Service"], never, Scope.Scope> {
  const head = makeHead()
  const standings: Array<Standing> = urls.map(() => newcomer)
  let current = Deferred.makeUnsafe<ServerConnection>()
  let inUse: ServerConnection | undefined
  let lastError: LedgerSourceError | undefined

  /** From here on requests wait for the next connection. */
  const retire = (connection: ServerConnection) =>
    Effect.sync(() => {
      if (inUse !== connection) return
      inUse = undefined
      current = Deferred.makeUnsafe()
    })

  const serve = Effect.fnUntraced(function* (turn: number) {
    const announce = (announcement: Announcement) => {
      // The subscription's reply does not count: a server that drops us after it would be asked without pause.
      if (inUse !== undefined) standings[turn] = newcomer
      return head.announce(announcement)
    }
    const connection = yield* connect({ network, url: urls[turn]!, announce })
    yield* Effect.logInfo("ledger server connected").pipe(Effect.annotateLogs({ server: connection.server }))
    inUse = connection
    yield* Deferred.succeed(current, connection)
    return yield* connection.run.pipe(Effect.ensuring(retire(connection)))
  }, Effect.scoped)

  const nextTurn = Effect.gen(function* () {
    const turn = choose(standings, yield* Clock.currentTimeMillis)
    yield* Effect.sleep(turn.waitMs)
    const error = yield* Effect.flip(serve(turn.server))
    lastError = error
    const standing = afterFailure(
      standings[turn.server]!,
      error.reason,
      yield* Clock.currentTimeMillis,
      yield* Random.next
    )
    standings[turn.server] = standing
    yield* Effect.logWarning("ledger server lost").pipe(
      Effect.annotateLogs({ server: error.server, reason: error.reason, detail: error.detail })
    )
  })

  const fetch = Effect.fnUntraced(function* (index: number, accept: Accept) {
    const refused = new Set<string>()
    // Of all refusals the one that the caller must hear of.
    let broken: LedgerSourceError | undefined
    while (true) {
      const connection = yield* Deferred.await(current)
      const outcome = yield* Effect.result(ask(connection, index, accept))
      if (Result.isSuccess(outcome)) return outcome.success
      const error = outcome.failure
      if (endsConnection(error.reason)) {
        yield* retire(connection)
        continue
      }
      if (error.reason === "broken_chain") broken = error
      const secondTurn = refused.has(connection.url)
      refused.add(connection.url)
      if (secondTurn || refused.size === urls.length) return yield* broken ?? error
      yield* retire(connection)
      yield* connection.end(error)
    }
  })

  yield* nextTurn.pipe(
    Effect.forever,
    Effect.tapDefect((defect) => Effect.logError("the ledger source broke", defect)),
    Effect.annotateLogs({ network }),
    Effect.forkScoped
  )

  return {
    awaitHead: head.await,
    announced: head.announced,
    fetch,
    state: Effect.sync(() => ({
      server: inUse?.server,
      lastError,
      head: head.newest()?.announcement,
      headAt: head.newest()?.at
    }))
  }
})

export const layer = (options: RippledOptions): Layer.Layer<LedgerSource> =>
  Layer.effect(LedgerSource, make(options))
