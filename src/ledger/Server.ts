/**
 * One connection to one rippled or Clio server: verified to be of the right network, subscribed to the ledger stream,
 * watched for silence. It lives in a scope and ends once, with its reason; what comes after is the pool's business.
 *
 * xrpl's Client reconnects by itself, without subscribing again, and pings on its own timer: neither may happen here, so
 * its heartbeat is put off for ever and its reconnection is cancelled in the very turn in which the socket closes.
 */
import { Deferred, Effect, Option, Queue, type Scope } from "effect"
import { Client } from "xrpl"
import { Limits } from "../config/Limits.ts"
import type { Network } from "../domain/Network.ts"
import {
  announcementOf,
  cannotFollow,
  closeOf,
  failureOf,
  ledgerOf,
  type Refusal,
  refusalOf,
  resultOf,
  unfit
} from "./Answers.ts"
import { type Announcement, endsConnection, type FetchedLedger, LedgerSourceError } from "./LedgerSource.ts"

/** The longest timer Node has: the client's heartbeat interval. */
const NEVER_MS = 2 ** 31 - 1
/** Announcements waiting to be read; only the newest matter. */
const WAITING_ANNOUNCEMENTS = 64

export interface ServerConnection {
  readonly url: string
  readonly server: string
  readonly ledger: (index: number) => Effect.Effect<FetchedLedger, LedgerSourceError>
  /** Passes announcements on until the connection ends, and fails with the reason. */
  readonly run: Effect.Effect<never, LedgerSourceError>
  readonly end: (error: LedgerSourceError) => Effect.Effect<void>
}

export interface ServerOptions {
  readonly network: Network
  readonly url: string
  readonly announce: (announcement: Announcement) => Effect.Effect<void>
}

/** Says goodbye, and does not wait for an answer that a frozen server never gives (ws would wait 30 s). */
const close = (client: Client) =>
  Effect.sync(() => {
    // The socket is private in the client's types; there is no public way to cut it.
    const connection = client.connection as unknown as { ws: { terminate(): void } | null }
    const socket = connection.ws
    void client.disconnect().catch(() => undefined)
    socket?.terminate()
  })

export const connect = Effect.fnUntraced(function* (
  options: ServerOptions
): Effect.fn.Return<ServerConnection, LedgerSourceError, Scope.Scope> {
  const { network, url, announce } = options
  const server = new URL(url).host
  const failed = ({ reason, detail }: Refusal) => new LedgerSourceError({ server, reason, detail })
  const ended = yield* Deferred.make<never, LedgerSourceError>()
  const announcements = yield* Queue.sliding<Announcement>(WAITING_ANNOUNCEMENTS)
  const endNow = (refusal: Refusal) => Deferred.doneUnsafe(ended, Effect.fail(failed(refusal)))

  const client = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const opened = new Client(url, { timeout: NEVER_MS, connectionTimeout: Limits.ledgerConnectMs })
      opened.on("ledgerClosed", (message) => {
        const announcement = announcementOf(message)
        if (announcement !== undefined) Queue.offerUnsafe(announcements, announcement)
      })
      opened.on("disconnected", (code) => {
        endNow(closeOf(code))
        queueMicrotask(() => void opened.disconnect().catch(() => undefined))
      })
      // Not an answer to any request: text that is no JSON, or a refusal without an id. Nothing after it can be relied on.
      opened.on("error", (code, message) => {
        const refusal = refusalOf(code, message)
        endNow(endsConnection(refusal.reason) ? refusal : { ...refusal, reason: "disconnected" })
      })
      return opened
    }),
    close
  )

  const attempt = (detail: string, run: () => Promise<unknown>, timeoutMs: number) =>
    Effect.tryPromise({ try: run, catch: (cause) => failed(failureOf(cause)) }).pipe(
      Effect.timeoutOrElse({
        duration: timeoutMs,
        orElse: () => Effect.fail(failed({ reason: "timeout", detail }))
      })
    )

  // The client's own `connect` would ask server_info as well and print what goes wrong.
  yield* attempt(
    `no connection within ${Limits.ledgerConnectMs} ms`,
    () => client.connection.connect(),
    Limits.ledgerConnectMs
  )

  const request = (command: { readonly command: string; readonly [field: string]: unknown }) =>
    attempt(
      `no answer to ${command.command} within ${Limits.ledgerRequestMs} ms`,
      () => client.connection.request({ ...command, api_version: 2 }, Limits.ledgerRequestMs),
      Limits.ledgerRequestMs
    ).pipe(
      Effect.raceFirst(
        Effect.mapError(Deferred.await(ended), ({ detail }) => failed({ reason: "disconnected", detail }))
      ),
      Effect.filterOrFail(
        (answer) => !cannotFollow(answer),
        () =>
          failed({ reason: "amendment_blocked", detail: "cannot follow the network: an amendment blocks it" })
      ),
      Effect.tapError((error) => (endsConnection(error.reason) ? Deferred.fail(ended, error) : Effect.void))
    )

  const ledger = Effect.fnUntraced(function* (index: number) {
    const answer = yield* request({
      command: "ledger",
      ledger_index: index,
      transactions: true,
      expand: true,
      binary: false
    })
    const fetched = ledgerOf(server, answer)
    if (fetched === undefined)
      return yield* failed({ reason: "malformed", detail: `its answer holds no ledger ${index}` })
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

  const watch: Effect.Effect<never, LedgerSourceError> = Effect.gen(function* () {
    const announced = yield* Queue.take(announcements).pipe(Effect.timeoutOption(Limits.ledgerSilenceMs))
    if (Option.isNone(announced)) return yield* silence
    yield* announce(announced.value)
  }).pipe(Effect.forever)

  const misfit = unfit(network, yield* request({ command: "server_info" }))
  if (misfit !== undefined) return yield* failed(misfit)
  const current = announcementOf(resultOf(yield* request({ command: "subscribe", streams: ["ledger"] })))
  if (current !== undefined) yield* announce(current)

  return {
    url,
    server,
    ledger,
    run: Effect.raceFirst(watch, Deferred.await(ended)),
    end: (error) => Deferred.fail(ended, error)
  }
})
