/**
 * `LedgerSource` over rippled's WebSocket API, with several servers (ServerPool.ts). It asks for a ledger first at the
 * server that announced it first, then at the others, and last at servers that do not claim to have it. If no connected
 * server sends it, further servers are connected. While none can be connected, requests wait.
 * If as many servers announced another hash as that of an answer, all connected servers are asked, and the hash that
 * most of them sent is taken; among equals that of the server that the operator listed first. Who sends no ledger has no
 * say, so a liar delays a ledger by at most twice `ledgerAnswerMs`, and once.
 */

import { Effect, Layer, Result, Schedule, type Scope } from "effect"
import { Limits } from "../../config/Limits.ts"
import { monotonicNow } from "../../words/Monotonic.ts"
import { ledgerLimits } from "../Limits.ts"
import { makeAnnouncements } from "./Announcements.ts"
import { NOT_FOUND_TRIES } from "./LedgerClient.ts"
import {
  type Accept,
  endsConnection,
  type FetchedLedger,
  type LedgerPart,
  LedgerSource,
  LedgerSourceError,
  type TakenLedger
} from "./LedgerSource.ts"
import { claims } from "./Ranges.ts"
import type { ServerConnection } from "./ServerConnection.ts"
import { otherChain } from "./ServerMessages.ts"
import { describeServers, type LedgerServer, makeServerPool, type RippledOptions } from "./ServerPool.ts"
import { chooseServer } from "./ServerSelection.ts"

/**
 * Waits before a server is asked again for one of its newest ledgers: servers behind one load balancer differ by up
 * to a second.
 */
const NOT_FOUND_WAIT_MS = { first: 250, longest: 1_000 }

const betweenTries = Schedule.min([
  Schedule.exponential(NOT_FOUND_WAIT_MS.first),
  Schedule.spaced(NOT_FOUND_WAIT_MS.longest)
]).pipe(Schedule.upTo({ duration: ledgerLimits.ledgerAnswerMs }))

/** The answer whose hash most servers sent; among equals that of the first server, and `isTie`. */
const mostSent = (
  answers: ReadonlyArray<FetchedLedger>
): { readonly sent: FetchedLedger | undefined; readonly isTie: boolean } => {
  const votes = Map.groupBy(answers, ({ ledger }) => ledger.ledger_hash)
  const [first, second] = [...votes.values()].toSorted((a, b) => b.length - a.length)
  return { sent: first?.[0], isTie: first !== undefined && first.length === second?.length }
}

const make = Effect.fnUntraced(function* (
  options: RippledOptions
): Effect.fn.Return<LedgerSource["Service"], never, Scope.Scope> {
  const described = describeServers(options.urls)
  const announcements = makeAnnouncements()
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

  /**
   * The number of transactions of an answer is compared with the server's own announcement. If it announced none, but
   * another server announced another number, the list must be proven complete: either may be false.
   */
  const complete = (server: LedgerServer, connection: ServerConnection, fetched: FetchedLedger) => {
    const { ledger_hash: hash, ledger_index: index, transactions } = fetched.ledger
    const isKnown = announcements.announced(index, server.name)?.transactionCount !== undefined
    const counts = isKnown || hash === undefined ? [] : announcements.counts(index, hash)
    return counts.every((count) => count === transactions.length)
      ? Effect.succeed(fetched)
      : connection.ledger(index, "whole", "full")
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
        if (fault !== undefined) return Effect.fail(new LedgerSourceError({ server: server.name, ...fault }))
        return part === "header" ? Effect.succeed(fetched) : complete(server, connection, fetched)
      }),
      Effect.retry({
        while: ({ reason }) =>
          !endsConnection(reason) && reason !== "broken_chain" && isWorthRepeating(server, index, asked),
        times: NOT_FOUND_TRIES - 1,
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
          discredited: announcements.isDiscredited(server.name),
          full: servers.isFull(server)
        }
      })
    )
    return chosen === undefined ? undefined : candidates[chosen]
  }

  /** Whether the server must have the ledger: it announced it or a later one, and claims it. */
  const mustHave = ({ name, ranges }: LedgerServer, index: number) => {
    const newest = announcements.newestOf(name)
    return newest !== undefined && newest >= index && claims(ranges, newest, index)
  }

  const leave = (
    server: LedgerServer,
    connection: ServerConnection,
    reason: "misbehaving" | "other_chain",
    detail: string
  ) => {
    announcements.discredit(server.name)
    servers.retire(server, connection)
    return connection.end(new LedgerSourceError({ server: server.name, reason, detail }))
  }

  const fetch = Effect.fnUntraced(function* (index: number, accept: Accept, part?: LedgerPart) {
    const asked = new Set<LedgerServer>()
    // Good answers with a hash that other servers' announcements dispute.
    const disputed = new Map<LedgerServer, FetchedLedger>()
    // Servers that did not answer in time. They are asked again once all others have been asked.
    const slow = new Set<LedgerServer>()
    // Reported in preference to other faults.
    let broken: LedgerSourceError | undefined
    let refusal: LedgerSourceError | undefined
    while (true) {
      const changed = servers.changed()
      const server = next(index, asked)
      const connection = server?.connection
      if (server === undefined || connection === undefined) {
        const busy = servers.connected().some((other) => !asked.has(other))
        const { isTie, sent } = mostSent(servers.all.flatMap((one) => disputed.get(one) ?? []))
        const needsAnother = sent === undefined ? refusal !== undefined || slow.size > 0 : isTie
        if (!busy && !(needsAnother && (yield* servers.connectAnother(asked)))) {
          if (sent !== undefined) {
            announcements.trust(sent.server)
            return sent
          }
          if (refusal !== undefined) return yield* broken ?? refusal
          for (const one of slow) asked.delete(one)
          slow.clear()
        }
        yield* changed
        continue
      }
      const isOwed = mustHave(server, index)
      const outcome = yield* Effect.result(
        servers.runRequest(server, ask(server, connection, index, accept, part, asked))
      )
      if (Result.isSuccess(outcome)) {
        const fetched = outcome.success
        const { ledger_hash: hash } = fetched.ledger
        if (hash === undefined || !announcements.isDisputed(index, hash, server.name)) {
          announcements.trust(server.name)
          return fetched
        }
        disputed.set(server, fetched)
        asked.add(server)
        continue
      }
      const { detail, reason } = outcome.failure
      if (endsConnection(reason)) {
        servers.retire(server, connection)
        if (reason === "misbehaving") refusal = outcome.failure
        if (reason === "timeout" && isOwed) {
          announcements.discredit(server.name)
          slow.add(server)
        }
        // After each new connection it could take as long again, or send what nobody can parse.
        if (reason === "misbehaving" || slow.has(server) || disputed.size > 0) asked.add(server)
        continue
      }
      if (isOwed) announcements.discredit(server.name)
      refusal = outcome.failure
      asked.add(server)
      if (reason === "broken_chain") {
        broken = outcome.failure
        yield* leave(server, connection, "other_chain", detail)
      } else if (reason === "wrong_hash" && announcements.announced(index, server.name) !== undefined)
        yield* leave(server, connection, "misbehaving", detail)
    }
  })

  return {
    simulated: false,
    awaitHead: announcements.await,
    awaitNews: announcements.awaitNews,
    announced: announcements.announced,
    fetch,
    anchor: Effect.fnUntraced(function* (taken) {
      last = taken
      takenHashes.set(taken.ledgerIndex, taken.ledgerHash)
      if (takenHashes.size > ledgerLimits.ledgerAnnouncementsKept)
        takenHashes.delete(takenHashes.keys().next().value!)
      for (const server of servers.connected()) {
        const said = announcements.announced(taken.ledgerIndex, server.name)
        const { detail } = (said && otherChain(said, taken.ledgerHash)) ?? {}
        if (server.connection !== undefined && detail !== undefined)
          yield* leave(server, server.connection, "other_chain", detail)
      }
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
