/**
 * The servers of one network. Keeps the active server and a hot standby connected, as `planConnections` decides, and
 * keeps the state of every server: phase, claimed ranges, backoff, request limit.
 *
 *   idle ─▶ connecting ─▶ connected ─▶ idle (after a failure: with backoff)
 * `changed` wakes everyone who waits for a server.
 */
import { Effect, FiberMap, Latch, Random, type Scope } from "effect"
import { Limits } from "../../config/Limits.ts"
import type { Network } from "../../event/Network.ts"
import { Metrics } from "../../observe/Metrics.ts"
import { monotonicNow } from "../../words/Monotonic.ts"
import type { Announcements } from "./Announcements.ts"
import type { LedgerSourceError, ServerState, TakenLedger } from "./LedgerSource.ts"
import { formatRanges, type Ranges } from "./Ranges.ts"
import { connect, type ServerConnection } from "./ServerConnection.ts"
import {
  afterFailure,
  type Backoff,
  isSound,
  isUnfit,
  noBackoff,
  notBeforeOf,
  type PoolServer,
  planConnections
} from "./ServerSelection.ts"

/** How long an additional server, connected because the others lack a ledger, stays connected after its last use. */
const EXTRA_SERVER_MS = 60_000
/** If a server has not warned of load for this long, it gets one more request at a time. */
const LOAD_RECOVERY_MS = 60_000

/** The state of one server. Only this file changes it. */
export interface LedgerServer {
  readonly url: string
  /**
   * The server's host, numbered if several servers share it. The address is not used, because it may contain a
   * credential.
   */
  readonly name: string
  readonly host: string
  phase: PoolServer["phase"]
  connection: ServerConnection | undefined
  proven: boolean
  backoff: Backoff
  wantedUntil: number
  ranges: Ranges | undefined
  lastFault: LedgerSourceError | undefined
  /** Requests under way. */
  requests: number
  /** How many requests may be under way at once. Halved at a load warning. */
  requestLimit: number
  /** When `requestLimit` was last changed, on the monotonic clock. */
  requestLimitSince: number
}

export const describeServers = (urls: ReadonlyArray<string>): ReadonlyArray<LedgerServer> => {
  const hosts = new Map<string, number>()
  return [...new Set(urls)].map((url) => {
    const { host } = new URL(url)
    const count = (hosts.get(host) ?? 0) + 1
    hosts.set(host, count)
    return {
      url,
      name: count === 1 ? host : `${host} (${count})`,
      host,
      phase: "idle",
      connection: undefined,
      proven: false,
      backoff: noBackoff,
      wantedUntil: 0,
      ranges: undefined,
      lastFault: undefined,
      requests: 0,
      requestLimit: Limits.ledgerRequestsPerServer,
      requestLimitSince: 0
    }
  })
}

export interface RippledOptions {
  readonly network: Network
  /** At least one; the first is preferred. */
  readonly urls: ReadonlyArray<string>
  readonly verify?: "json" | "full"
}

export interface ServerPool {
  readonly all: ReadonlyArray<LedgerServer>
  readonly connected: () => ReadonlyArray<LedgerServer>
  /** The first connected server that has announced a ledger; if none has, the first connected one. */
  readonly active: () => LedgerServer | undefined
  /** Waits until the state of any server changes. */
  readonly changed: () => Effect.Effect<void>
  /** Connects one more server that is not in `except`. False: no other server can be connected now. */
  readonly connectAnother: (except: ReadonlySet<LedgerServer>) => Effect.Effect<boolean>
  /** Stops using this connection of the server. */
  readonly retire: (server: LedgerServer, connection: ServerConnection) => void
  /** Runs a request and counts it against the server's limit. The caller has checked `isFull`. */
  readonly runRequest: <A, E>(server: LedgerServer, request: Effect.Effect<A, E>) => Effect.Effect<A, E>
  readonly isFull: (server: LedgerServer) => boolean
  readonly states: (now: number) => ReadonlyArray<ServerState>
  readonly lastFault: () => LedgerSourceError | undefined
}

export const makeServerPool = Effect.fnUntraced(function* (
  { network, verify = "json" }: Pick<RippledOptions, "network" | "verify">,
  all: ReadonlyArray<LedgerServer>,
  announcements: Announcements,
  taken: {
    readonly last: () => TakenLedger | undefined
    readonly hash: (index: number) => string | undefined
  }
): Effect.fn.Return<ServerPool, never, Scope.Scope> {
  const fibers = yield* FiberMap.make<string>()
  let latch = Latch.makeUnsafe()
  let lastFault: LedgerSourceError | undefined

  const changed = () => {
    const waiting = latch
    latch = Latch.makeUnsafe()
    waiting.openUnsafe()
  }

  const retire = (server: LedgerServer, connection: ServerConnection) => {
    if (server.connection === connection) server.connection = undefined
  }

  const serve = (server: LedgerServer) =>
    Effect.gen(function* () {
      server.phase = "connecting"
      let connectedAt = 0
      const connection = yield* connect({
        network,
        url: server.url,
        server: server.name,
        anchor: taken.last(),
        takenHash: taken.hash,
        verify,
        announce: Effect.fnUntraced(function* (announcement) {
          // The reply to the subscription arrives while connecting and does not reset the backoff: otherwise a server
          // that drops us right after it would be connected again without a pause.
          if (server.phase === "connected") {
            if (isSound(server.backoff, (yield* monotonicNow) - connectedAt)) server.backoff = noBackoff
            server.proven = true
          }
          yield* announcements.announce(server.name, announcement)
          changed()
        }),
        claim: (ranges) => {
          server.ranges = ranges
        },
        loaded: Effect.map(monotonicNow, (now) => {
          server.requestLimit = Math.max(1, Math.floor(server.requestLimit / 2))
          server.requestLimitSince = now
        })
      })
      connectedAt = yield* monotonicNow
      server.connection = connection
      server.phase = "connected"
      changed()
      yield* Effect.logInfo("ledger server connected").pipe(Effect.annotateLogs({ server: server.name }))
      return yield* connection.run
    }).pipe(
      Effect.scoped,
      Effect.catch((error: LedgerSourceError) => failed(server, error)),
      Effect.ensuring(
        Effect.sync(() => {
          server.phase = "idle"
          server.connection = undefined
          server.proven = false
          announcements.left(server.name)
          changed()
        })
      )
    )

  const failed = Effect.fnUntraced(function* (server: LedgerServer, error: LedgerSourceError) {
    // An unfit server is tried every minute until an operator acts, and reported once.
    const isNews = server.phase === "connected" || server.lastFault?.reason !== error.reason
    server.lastFault = error
    lastFault = error
    const now = yield* monotonicNow
    server.backoff = afterFailure(server.backoff, error.reason, now, yield* Random.next)
    yield* Metrics.ledgerConnectionsLost.add({ network, reason: error.reason }, 1)
    if (isNews || !isUnfit(error.reason))
      yield* Effect.logWarning("ledger server lost").pipe(
        Effect.annotateLogs({ server: error.server, reason: error.reason, detail: error.detail })
      )
  })

  /** Raises a lowered request limit by 1 if there was no load warning for `ledgerLoadRecoveryMs`. */
  const recover = (server: LedgerServer, now: number) => {
    if (server.requestLimit === Limits.ledgerRequestsPerServer) return
    if (now - server.requestLimitSince < LOAD_RECOVERY_MS) return
    server.requestLimit += 1
    server.requestLimitSince = now
  }

  const notBefore = ({ backoff }: LedgerServer) =>
    notBeforeOf(
      backoff,
      all.every(({ connection }) => connection === undefined)
    )

  const poolServerOf = (server: LedgerServer): PoolServer => ({
    host: server.host,
    phase: server.phase,
    proven: server.proven,
    notBefore: notBefore(server),
    wantedUntil: server.wantedUntil
  })

  const manage = Effect.gen(function* () {
    const waiting = latch
    const now = yield* monotonicNow
    const { connect, release, waitMs } = planConnections(all.map(poolServerOf), now)
    for (const position of connect) {
      const server = all[position]!
      server.phase = "connecting"
      yield* FiberMap.run(fibers, server.url, serve(server))
    }
    for (const position of release) {
      yield* Effect.logInfo("ledger server released").pipe(
        Effect.annotateLogs({ server: all[position]!.name })
      )
      yield* FiberMap.remove(fibers, all[position]!.url)
    }
    const news = Latch.await(waiting)
    yield* Number.isFinite(waitMs) ? Effect.raceFirst(news, Effect.sleep(waitMs)) : news
  })

  yield* manage.pipe(
    Effect.forever,
    Effect.tapDefect((defect) => Effect.logError("the pool of ledger servers stopped: a bug", defect)),
    Effect.annotateLogs({ network }),
    Effect.forkScoped
  )

  const connected = () => all.filter(({ connection }) => connection !== undefined)
  const active = () => connected().find(({ proven }) => proven) ?? connected()[0]

  return {
    all,
    connected,
    active,
    changed: () => Latch.await(latch),
    connectAnother: Effect.fnUntraced(function* (except) {
      const now = yield* monotonicNow
      const others = all.filter((server) => !except.has(server))
      if (others.some(({ phase }) => phase === "connecting")) return true
      const next = others.find((server) => server.phase === "idle" && notBefore(server) <= now)
      if (next === undefined) return false
      const isWanted = next.wantedUntil > now
      next.wantedUntil = now + EXTRA_SERVER_MS
      if (!isWanted) changed()
      return true
    }),
    retire,
    runRequest: (server, request) =>
      Effect.flatMap(monotonicNow, (now) => {
        recover(server, now)
        server.requests += 1
        return request
      }).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            server.requests -= 1
            changed()
          })
        )
      ),
    isFull: ({ requestLimit, requests }) => requests >= requestLimit,
    states: (now) => {
      const inUse = active()
      return all.map((server) => {
        const until = notBefore(server)
        const backingOff = until > now && server.phase === "idle"
        return {
          server: server.name,
          state:
            server.phase === "connecting"
              ? "connecting"
              : server.connection !== undefined
                ? server === inUse
                  ? "active"
                  : "standby"
                : backingOff
                  ? "backing_off"
                  : "idle",
          head: announcements.newestOf(server.name),
          ledgers: server.ranges === undefined ? undefined : formatRanges(server.ranges),
          lastFault: server.lastFault,
          backingOffUntil: backingOff ? until : undefined
        }
      })
    },
    lastFault: () => lastFault
  }
})
