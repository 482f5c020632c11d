/**
 * One connection to one rippled or Clio server: verified to be of the right network, subscribed to the ledger stream,
 * watched for silence. It lives in a scope and ends once, with its reason; what comes after is the pool's business.
 */
import { Deferred, Effect, Option, Queue, type Scope } from "effect"
import { Limits } from "../config/Limits.ts"
import type { JsonObject } from "../domain/Ledger.ts"
import type { Network } from "../domain/Network.ts"
import {
  type Announcement,
  endsConnection,
  type FetchedLedger,
  LedgerSourceError,
  type TakenLedger
} from "./LedgerSource.ts"
import type { Ranges } from "./Ranges.ts"
import {
  announcementOf,
  contradiction,
  isLoaded,
  ledgerOf,
  otherChain,
  type Refusal,
  rangesOf,
  resultOf
} from "./ServerMessages.ts"
import { verifyLedger } from "./Verify.ts"
import { dial, serverInfo } from "./WebSocketConnection.ts"

/** Announcements waiting to be read; only the newest matter. */
const WAITING_ANNOUNCEMENTS = 64

export interface ServerConnection {
  readonly ledger: (index: number) => Effect.Effect<FetchedLedger, LedgerSourceError>
  /** Passes announcements on until the connection ends, and fails with the reason. */
  readonly run: Effect.Effect<never, LedgerSourceError>
  readonly end: (error: LedgerSourceError) => Effect.Effect<void>
}

export interface ServerOptions {
  readonly network: Network
  readonly url: string
  /** How it is called in errors; by default its host. */
  readonly server?: string
  /** What it must not contradict, as far as it has that ledger. */
  readonly anchor?: TakenLedger | undefined
  /** With which hash a recent ledger was taken. */
  readonly takenHash?: (index: number) => string | undefined
  readonly announce: (announcement: Announcement) => Effect.Effect<void>
  readonly claim?: (ranges: Ranges) => void
  /** `full`: ledgers are fetched in binary form as well, and proven. */
  readonly verify?: "json" | "full"
  /** It has answered, but warns that we ask for much. */
  readonly loaded?: Effect.Effect<void>
}

interface Heard {
  readonly announcement: Announcement
  readonly ranges: Ranges | undefined
}

export const connect = Effect.fnUntraced(function* (
  options: ServerOptions
): Effect.fn.Return<ServerConnection, LedgerSourceError, Scope.Scope> {
  const {
    network,
    url,
    anchor,
    announce,
    claim = () => undefined,
    loaded = Effect.void,
    takenHash = () => undefined
  } = options
  const server = options.server ?? new URL(url).host
  const failed = ({ reason, detail }: Refusal) => new LedgerSourceError({ server, reason, detail })
  const ended = yield* Deferred.make<never, LedgerSourceError>()
  const announcements = yield* Queue.sliding<Heard>(WAITING_ANNOUNCEMENTS)
  const endNow = (refusal: Refusal) => Deferred.doneUnsafe(ended, Effect.fail(failed(refusal)))

  const connection = yield* Effect.acquireRelease(
    Effect.sync(() =>
      dial(url, {
        heard: (message) => {
          const announcement = message["type"] === "ledgerClosed" ? announcementOf(message) : undefined
          if (announcement !== undefined)
            Queue.offerUnsafe(announcements, { announcement, ranges: rangesOf(message) })
        },
        ended: endNow
      })
    ),
    ({ end }) => Effect.sync(end)
  )
  yield* Effect.mapError(connection.opened, failed)

  const request = (command: JsonObject) =>
    connection.request(command).pipe(
      Effect.mapError(failed),
      Effect.tap((answer) => (isLoaded(answer) ? loaded : Effect.void)),
      Effect.tapError((error) => (endsConnection(error.reason) ? Deferred.fail(ended, error) : Effect.void))
    )

  const ledger = Effect.fnUntraced(function* (index: number) {
    const command = { command: "ledger", ledger_index: index, transactions: true, expand: true }
    const answer = yield* request({ ...command, binary: false })
    const fetched = ledgerOf(server, answer)
    if (fetched === undefined)
      return yield* failed({ reason: "malformed", detail: `its answer holds no ledger ${index}` })
    if (options.verify === "full" && fetched.validated) {
      const binary = yield* request({ ...command, binary: true })
      return yield* Effect.mapError(Effect.fromResult(verifyLedger(fetched, binary)), failed)
    }
    return fetched
  })

  /** The stream is stuck; whether the network is, a last question tells. */
  const silence = Effect.gen(function* () {
    const answer = yield* request({ command: "ledger", ledger_index: "validated" })
    const newest = announcementOf(resultOf(answer))
    if (newest !== undefined && resultOf(answer)?.["validated"] === true) yield* announce(newest)
    return yield* failed({
      reason: "timeout",
      detail: `announced no ledger for ${Limits.ledgerSilenceMs} ms`
    })
  })

  let newest = 0
  const hear = ({ announcement, ranges }: Heard) =>
    Effect.suspend(() => {
      const stranger = otherChain(announcement, takenHash(announcement.ledgerIndex))
      if (stranger !== undefined) return Effect.fail(failed(stranger))
      newest = announcement.ledgerIndex
      if (ranges !== undefined) claim(ranges)
      return announce(announcement)
    })

  /** Only another ledger is a sign of life: a stuck server may repeat itself. */
  const nextLedger = Effect.gen(function* () {
    const before = newest
    while (newest === before) yield* hear(yield* Queue.take(announcements))
  })

  const watch: Effect.Effect<never, LedgerSourceError> = nextLedger.pipe(
    Effect.timeoutOption(Limits.ledgerSilenceMs),
    Effect.flatMap((heard) => (Option.isNone(heard) ? silence : Effect.void)),
    Effect.forever
  )

  const info = yield* Effect.mapError(serverInfo(connection, network), failed)
  const claimed = rangesOf(resultOf(info)?.["info"])
  if (claimed !== undefined) claim(claimed)
  if (anchor !== undefined) {
    // It may lack that ledger, or be unable to answer for other reasons: only a contradiction counts.
    const answer = yield* request({ command: "ledger", ledger_index: anchor.ledgerIndex }).pipe(
      Effect.catchIf(
        ({ reason }) => !endsConnection(reason),
        () => Effect.succeed(undefined)
      )
    )
    const stranger = contradiction(answer, anchor)
    if (stranger !== undefined) return yield* failed(stranger)
  }
  const current = resultOf(yield* request({ command: "subscribe", streams: ["ledger"] }))
  const announcement = announcementOf(current)
  if (announcement !== undefined) yield* hear({ announcement, ranges: rangesOf(current) })

  return {
    ledger,
    run: Effect.raceFirst(watch, Deferred.await(ended)),
    end: (error) => Deferred.fail(ended, error)
  }
})
