/**
 * `LedgerSource` over rippled's WebSocket API, with several servers (ServerPool.ts).
 *
 * It asks for a ledger first at the server that announced it first, then at the others, and last at servers that do not
 * claim to have it. If no connected server sends it, further servers are connected. While none can be connected,
 * requests wait.
 */
import { Effect, Layer, Result, Schedule, type Scope } from "effect"
import { Limits } from "../config/Limits.ts"
import { monotonicNow } from "../domain/Monotonic.ts"
import { makeAnnouncements } from "./Announcements.ts"
import {
  type Accept,
  endsConnection,
  type LedgerPart,
  LedgerSource,
  LedgerSourceError,
  type TakenLedger
} from "./LedgerSource.ts"
import { claims } from "./Ranges.ts"
import type { ServerConnection } from "./ServerConnection.ts"
import { describeServers, type LedgerServer, makeServerPool, type RippledOptions } from "./ServerPool.ts"
import { chooseServer } from "./ServerSelection.ts"

const betweenTries = Schedule.min([
  Schedule.exponential(Limits.ledgerNotFoundWaitMs.first),
  Schedule.spaced(Limits.ledgerNotFoundWaitMs.longest)
])

const make = Effect.fnUntraced(function* (
  options: RippledOptions
): Effect.fn.Return<LedgerSource["Service"], never, Scope.Scope> {
  const described = describeServers(options.urls)
  const announcements = makeAnnouncements(described.map(({ name }) => name))
  let last: TakenLedger | undefined
  const takenHashes = new Map<number, string>()
  const servers = yield* makeServerPool(options, described, announcements, {
    last: () => last,
    hash: (index) => takenHashes.get(index)
  })

  /** Whether the ledger is so new that the server may have it in a moment, and no other server has announced it. */
  const isWorthRepeating = (server: LedgerServer, index: number, asked: ReadonlySet<LedgerServer>) => {
    const newest = announcements.newestOf(server.name) ?? 0
    if (index <= newest - Limits.ledgerNearHead) return false
    return !servers
      .connected()
      .some(
        (other) => other !== server && !asked.has(other) && (announcements.newestOf(other.name) ?? 0) >= index
      )
  }

  /** Asks one server, several times while `isWorthRepeating`. */
  const ask = (
    server: LedgerServer,
    connection: ServerConnection,
    index: number,
    accept: Accept,
    part: LedgerPart | undefined,
    asked: ReadonlySet<LedgerServer>
  ) =>
    connection.ledger(index, part).pipe(
      Effect.flatMap((fetched) => {
        const fault = accept(fetched)
        return fault === undefined
          ? Effect.succeed(fetched)
          : Effect.fail(new LedgerSourceError({ server: server.name, ...fault }))
      }),
      Effect.retry({
        while: ({ reason }) =>
          !endsConnection(reason) && reason !== "broken_chain" && isWorthRepeating(server, index, asked),
        times: Limits.ledgerNotFoundTries - 1,
        schedule: betweenTries
      })
    )

  /** The next server to ask. Undefined: all connected servers have been asked or are at their request limit. */
  const next = (index: number, asked: ReadonlySet<LedgerServer>) => {
    const announcers = announcements.announcers(index)
    const candidates = servers.connected().filter((server) => !asked.has(server))
    const chosen = chooseServer(
      candidates.map((server) => {
        const place = announcers.indexOf(server.name)
        return {
          claims: claims(server.ranges, announcements.newestOf(server.name), index),
          announced: place === -1 ? undefined : place,
          refused: server.refused,
          full: servers.isFull(server)
        }
      })
    )
    return chosen === undefined ? undefined : candidates[chosen]
  }

  const fetch = Effect.fnUntraced(function* (index: number, accept: Accept, part?: LedgerPart) {
    const asked = new Set<LedgerServer>()
    // These servers answered with another hash than other servers announced. If the announcement proves wrong, they
    // are asked once more.
    const suspected = new Set<LedgerServer>()
    const pardoned = new Set<LedgerServer>()
    const pardon = () => {
      for (const server of suspected) asked.delete(server)
      suspected.clear()
    }
    // Reported in preference to other faults.
    let broken: LedgerSourceError | undefined
    let refusal: LedgerSourceError | undefined
    while (true) {
      const changed = servers.changed()
      const server = next(index, asked)
      const connection = server?.connection
      if (server === undefined || connection === undefined) {
        const busy = servers.connected().some((other) => !asked.has(other))
        if (!busy && refusal !== undefined && !(yield* servers.connectAnother(asked)))
          return yield* broken ?? refusal
        yield* changed
        continue
      }
      const outcome = yield* Effect.result(
        servers.runRequest(server, ask(server, connection, index, accept, part, asked))
      )
      if (Result.isSuccess(outcome)) {
        server.refused = false
        announcements.trust(server.name)
        return outcome.success
      }
      const error = outcome.failure
      if (endsConnection(error.reason)) {
        servers.retire(server, connection)
        continue
      }
      server.refused = true
      refusal = error
      asked.add(server)
      if (error.reason === "broken_chain") {
        broken = error
        announcements.discredit(server.name)
        servers.retire(server, connection)
        yield* connection.end(
          new LedgerSourceError({ server: server.name, reason: "other_chain", detail: error.detail })
        )
        pardon()
      } else if (error.reason === "wrong_hash") {
        if (announcements.announcers(index).includes(server.name)) {
          announcements.retract(server.name, index)
          pardon()
        } else if (!pardoned.has(server)) {
          pardoned.add(server)
          suspected.add(server)
        }
      }
    }
  })

  return {
    simulated: false,
    awaitHead: announcements.await,
    awaitNews: announcements.awaitNews,
    announced: announcements.announced,
    fetch,
    anchor: (taken) =>
      Effect.sync(() => {
        last = taken
        takenHashes.set(taken.ledgerIndex, taken.ledgerHash)
        if (takenHashes.size > Limits.ledgerAnnouncementsKept)
          takenHashes.delete(takenHashes.keys().next().value!)
      }),
    state: Effect.gen(function* () {
      const newest = announcements.newest()
      return {
        server: servers.active()?.name,
        lastError: servers.lastFault(),
        head: newest?.announcement,
        headAt: newest?.at,
        servers: servers.states(yield* monotonicNow)
      }
    })
  }
})

export const layer = (options: RippledOptions): Layer.Layer<LedgerSource> =>
  Layer.effect(LedgerSource, make(options))
