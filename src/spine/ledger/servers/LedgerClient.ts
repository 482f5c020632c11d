/**
 * Requests to one ledger server, for CLI commands: single ledgers and their hashes, several at a time over one
 * connection, without a subscription. If the connection breaks or the server limits us, it waits and connects again.
 * After `ledgerClientTries` failures in a row it fails with the reason.
 */
import { Effect, Random, Result, type Scope, Semaphore } from "effect"
import type { JsonObject } from "../../event/Ledger.ts"
import type { Network } from "../../event/Network.ts"
import { isJsonObject } from "../../event/NormaliseLedger.ts"
import { monotonicNow } from "../../words/Monotonic.ts"
import { checkLedger } from "./LedgerCheck.ts"
import { endsConnection, LedgerSourceError } from "./LedgerSource.ts"
import { announcementOf, isLoaded, ledgerOf, resultOf } from "./ServerMessages.ts"
import { afterFailure, isUnfit, noBackoff } from "./ServerSelection.ts"
import { type Connection, open, serverInfo } from "./WebSocketConnection.ts"

/** How often one server is asked for a ledger that it does not have yet, before another server is asked. */
export const NOT_FOUND_TRIES = 5

/** A command gives up a server after this many failures in a row. */
const TRIES = 5
/** The pause before the next request to a server that warns of load, or does not have a ledger yet. */
const PAUSE_MS = 2_000

/** A ledger as the server sent it. Its index and hash are set from the checked answer. */
export type RecordedLedger = JsonObject

export interface LedgerClient {
  /** Host of its address: an address may hold a credential. */
  readonly server: string
  /** The hash of a validated ledger. */
  readonly hash: (index: number) => Effect.Effect<string, LedgerSourceError>
  /** A validated ledger with all its transactions. Everything but its link to the parent is checked. */
  readonly ledger: (index: number) => Effect.Effect<RecordedLedger, LedgerSourceError>
}

/** Whether `recorded` is the complete ledger `index`. */
export const isRecorded = (recorded: unknown, index: number): recorded is RecordedLedger => {
  if (!isJsonObject(recorded)) return false
  const fetched = ledgerOf("", { result: { validated: true, ...recorded } })
  return fetched !== undefined && checkLedger(fetched, { index, parentHash: undefined }) === undefined
}

export const makeLedgerClient = Effect.fnUntraced(function* (
  network: Network,
  url: string
): Effect.fn.Return<LedgerClient, never, Scope.Scope> {
  const server = new URL(url).host
  const failed = ({ reason, detail }: Pick<LedgerSourceError, "detail" | "reason">) =>
    new LedgerSourceError({ server, reason, detail })
  const turn = Semaphore.makeUnsafe(1)
  let connection: Connection | undefined
  let backoff = noBackoff
  yield* Effect.addFinalizer(() => Effect.sync(() => connection?.end()))

  /** When a connection breaks, all its requests fail. That counts as one failure. */
  const lost = Effect.fnUntraced(function* (over: Connection | undefined, error: LedgerSourceError) {
    if (over !== connection) return
    connection = undefined
    over?.end()
    backoff = afterFailure(backoff, error.reason, yield* monotonicNow, yield* Random.next)
    if (backoff.failures < TRIES && !isUnfit(error.reason))
      yield* Effect.logWarning(`${server}: ${error.detail}; retrying`)
  })

  const connect = Effect.gen(function* () {
    const opened = yield* open(url)
    return yield* serverInfo(opened, network).pipe(
      Effect.as(opened),
      Effect.tapError(() => Effect.sync(opened.end))
    )
  }).pipe(Effect.mapError(failed))

  const connected = Effect.gen(function* () {
    if (connection !== undefined) return connection
    yield* Effect.sleep(Math.max(0, backoff.notBefore - (yield* monotonicNow)))
    connection = yield* Effect.tapError(connect, (error) => lost(undefined, error))
    return connection
  }).pipe(turn.withPermit)

  const once = Effect.fnUntraced(function* <A>(
    command: JsonObject,
    read: (answer: JsonObject) => Result.Result<A, LedgerSourceError>
  ) {
    const over = yield* connected
    const answer = yield* over.request(command).pipe(
      Effect.mapError(failed),
      Effect.tapError((error) => (endsConnection(error.reason) ? lost(over, error) : Effect.void))
    )
    backoff = noBackoff
    if (isLoaded(answer)) yield* Effect.sleep(PAUSE_MS)
    return yield* Effect.fromResult(read(answer))
  })

  const ask = Effect.fnUntraced(function* <A>(
    command: JsonObject,
    read: (answer: JsonObject) => Result.Result<A, LedgerSourceError>
  ) {
    for (let refusals = 1; ; ) {
      const outcome = yield* Effect.result(once(command, read))
      if (Result.isSuccess(outcome)) return outcome.success
      const error = outcome.failure
      if (endsConnection(error.reason)) {
        if (isUnfit(error.reason) || backoff.failures >= TRIES) return yield* error
        continue
      }
      if (refusals++ >= NOT_FOUND_TRIES) return yield* error
      yield* Effect.sleep(PAUSE_MS)
    }
  })

  const noLedger = (index: number) =>
    Result.fail(failed({ reason: "malformed", detail: `its answer does not contain ledger ${index}` }))

  return {
    server,
    hash: (index) =>
      ask({ command: "ledger", ledger_index: index }, (answer) => {
        const result = resultOf(answer)
        const said = announcementOf(result)
        if (said?.ledgerIndex !== index || said.ledgerHash === undefined) return noLedger(index)
        return result?.["validated"] === true
          ? Result.succeed(said.ledgerHash)
          : Result.fail(failed({ reason: "not_validated", detail: `ledger ${index} is not validated yet` }))
      }),
    ledger: (index) =>
      ask(
        { command: "ledger", ledger_index: index, transactions: true, expand: true, binary: false },
        (answer) => {
          const fetched = ledgerOf(server, answer)
          const body = resultOf(answer)?.["ledger"]
          if (fetched === undefined || !isJsonObject(body)) return noLedger(index)
          const fault = checkLedger(fetched, { index, parentHash: undefined })
          return fault === undefined
            ? Result.succeed({ ...body, ledger_index: index, ledger_hash: fetched.ledger.ledger_hash! })
            : Result.fail(failed(fault))
        }
      )
  }
})
