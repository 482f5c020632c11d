/**
 * One connection to one rippled or Clio server. Before it is returned, the server's network and chain are checked and
 * the ledger stream is subscribed. It ends if the server announces no new ledger for `ledgerAnswerMs`. It ends once,
 * with a reason, and does not reconnect (ServerPool.ts does).
 */

import { Deferred, Effect, Option, Queue, type Scope } from "effect"
import type { JsonObject } from "../../event/Ledger.ts"
import type { Network } from "../../event/Network.ts"
import { ledgerLimits } from "../Limits.ts"
import {
  type Announcement,
  endsConnection,
  type FetchedLedger,
  type LedgerPart,
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
import { provenLedger } from "./VerifyLedger.ts"
import { dial, serverInfo, sizeOf } from "./WebSocketConnection.ts"

/** Announcements that may wait to be processed. When there are more, the oldest is dropped. */
const WAITING_ANNOUNCEMENTS = 64

/** How many times the memory of an answer in binary form its decoded ledger takes. At most 6.2 was measured. */
const DECODED_TO_BINARY = 8

export interface ServerConnection {
  /** `verify`: default as in the options. */
  readonly ledger: (
    index: number,
    part?: LedgerPart,
    verify?: "json" | "full"
  ) => Effect.Effect<FetchedLedger, LedgerSourceError>
  /** Passes announcements on. Fails with the reason when the connection ends. */
  readonly run: Effect.Effect<never, LedgerSourceError>
  readonly end: (error: LedgerSourceError) => Effect.Effect<void>
}

export interface ServerOptions {
  readonly network: Network
  readonly url: string
  /** The server's name in errors. Default: its host. */
  readonly server?: string
  /** If the server has this ledger with another hash, the connection is refused. */
  readonly anchor?: TakenLedger | undefined
  /** The hash of a recently taken ledger. */
  readonly takenHash?: (index: number) => string | undefined
  readonly announce: (announcement: Announcement) => Effect.Effect<void>
  readonly claim?: (ranges: Ranges) => void
  /** `full`: each ledger is fetched in binary form and verified (VerifyLedger.ts). */
  readonly verify?: "json" | "full"
  /** Runs when the server answers with a load warning. */
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
    dial(url, {
      heard: (message) => {
        const announcement = message["type"] === "ledgerClosed" ? announcementOf(message) : undefined
        if (announcement !== undefined)
          Queue.offerUnsafe(announcements, { announcement, ranges: rangesOf(message) })
      },
      ended: endNow
    }),
    ({ end }) => Effect.sync(end)
  )
  yield* Effect.mapError(connection.opened, failed)

  const request = (command: JsonObject) =>
    connection.request(command).pipe(
      Effect.mapError(failed),
      Effect.tap((answer) => (isLoaded(answer) ? loaded : Effect.void)),
      Effect.tapError((error) => (endsConnection(error.reason) ? Deferred.fail(ended, error) : Effect.void))
    )

  const ledger = Effect.fnUntraced(function* (
    index: number,
    part: LedgerPart = "whole",
    verify = options.verify
  ) {
    const isWhole = part === "whole"
    const command = {
      command: "ledger",
      ledger_index: index,
      ...(isWhole && { transactions: true, expand: true })
    }
    if (verify === "full" && isWhole) {
      const answer = yield* request({ ...command, binary: true })
      const proven = yield* Effect.mapError(Effect.fromResult(provenLedger(server, index, answer)), failed)
      return { ...proven, bytes: DECODED_TO_BINARY * sizeOf(answer) }
    }
    const answer = yield* request({ ...command, binary: false })
    const fetched = ledgerOf(server, answer, part)
    return fetched === undefined
      ? yield* failed({ reason: "malformed", detail: `its answer does not contain ledger ${index}` })
      : { ...fetched, bytes: sizeOf(answer) }
  })

  /** Requests the newest ledger once more, because only the stream may be stuck and not the network. Then fails. */
  const endAfterSilence = Effect.gen(function* () {
    const answer = yield* request({ command: "ledger", ledger_index: "validated" })
    const newest = announcementOf(resultOf(answer))
    if (newest !== undefined && resultOf(answer)?.["validated"] === true) yield* announce(newest)
    return yield* failed({
      reason: "timeout",
      detail: `announced no ledger for ${ledgerLimits.ledgerAnswerMs} ms`
    })
  })

  let newest = 0
  const process = ({ announcement, ranges }: Heard) =>
    Effect.suspend(() => {
      const contradicting = otherChain(announcement, takenHash(announcement.ledgerIndex))
      if (contradicting !== undefined) return Effect.fail(failed(contradicting))
      newest = announcement.ledgerIndex
      if (ranges !== undefined) claim(ranges)
      return announce(announcement)
    })

  /** Repeated announcements of one ledger do not count: a stuck server may send them. */
  const nextLedger = Effect.gen(function* () {
    const before = newest
    while (newest === before) yield* process(yield* Queue.take(announcements))
  })

  const watch: Effect.Effect<never, LedgerSourceError> = nextLedger.pipe(
    Effect.timeoutOption(ledgerLimits.ledgerAnswerMs),
    Effect.flatMap((heard) => (Option.isNone(heard) ? endAfterSilence : Effect.void)),
    Effect.forever
  )

  const info = yield* Effect.mapError(serverInfo(connection, network), failed)
  const claimed = rangesOf(resultOf(info)?.["info"])
  if (claimed !== undefined) claim(claimed)
  if (anchor !== undefined) {
    // The server may lack that ledger. Only an answer with another hash ends the connection.
    const answer = yield* request({ command: "ledger", ledger_index: anchor.ledgerIndex }).pipe(
      Effect.catchIf(
        ({ reason }) => !endsConnection(reason),
        () => Effect.succeed(undefined)
      )
    )
    const contradicting = contradiction(answer, anchor)
    if (contradicting !== undefined) return yield* failed(contradicting)
  }
  const current = resultOf(yield* request({ command: "subscribe", streams: ["ledger"] }))
  const announcement = announcementOf(current)
  if (announcement !== undefined) yield* process({ announcement, ranges: rangesOf(current) })

  return {
    ledger,
    run: Effect.raceFirst(watch, Deferred.await(ended)),
    end: (error) => Deferred.fail(ended, error)
  }
})
