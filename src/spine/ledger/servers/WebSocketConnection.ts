/**
 * One WebSocket to a ledger server. It matches answers to requests and passes stream messages on. When it ends, it
 * reports the reason once, and every open request fails with that reason. It never reconnects. Each message is measured
 * before it is parsed, what comes unasked is limited, and compression is off: a few compressed bytes could expand to any
 * size.
 */

import { Deferred, Effect } from "effect"
import { type ClientOptions, WebSocket } from "ws"
import type { JsonObject } from "../../event/Ledger.ts"
import type { Network } from "../../event/Network.ts"
import { isJsonObject } from "../../event/NormaliseLedger.ts"
import { monotonicClock } from "../../words/Monotonic.ts"
import { ledgerLimits } from "../Limits.ts"
import {
  closeOf,
  failureOf,
  interjectionOf,
  tooComplex,
  tooMuchUnasked,
  UNASKED_WINDOW_MS
} from "./ConnectionFaults.ts"
import { parsedBytes } from "./MessageSize.ts"
import { openSocket } from "./OpenSocket.ts"
import { answered, type Refusal, unfit } from "./ServerMessages.ts"

/** A message that comes unasked counts as at least so many bytes, because each costs time. */
const UNASKED_LEAST_BYTES = 1_024
/** Requests given up whose late answers do not count as unasked. After as many, the server hardly answers any. */
const ABANDONED_KEPT = 1_000

export interface Connection {
  /** Fails if the connection ends before it has opened. */
  readonly opened: Effect.Effect<void, Refusal>
  /** The whole answer. */
  readonly request: (command: JsonObject) => Effect.Effect<JsonObject, Refusal>
  readonly end: () => void
}

export interface Listeners {
  /** A message that answers no request. */
  readonly heard?: (message: JsonObject) => void
  /** Called once, before the requests under way fail. */
  readonly ended?: (refusal: Refusal) => void
}

const API_VERSION = 2

type Resume = (answer: Effect.Effect<JsonObject, Refusal>) => void

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const sizes = new WeakMap<JsonObject, number>()

/** About how many bytes of memory an answer takes. */
export const sizeOf = (answer: JsonObject): number => sizes.get(answer) ?? 0

/** Starts to connect at once. */
export const dial = (url: string, listeners: Listeners = {}): Effect.Effect<Connection> =>
  Effect.map(monotonicClock, (now) => connection(url, listeners, now))

const connection = (url: string, { ended, heard }: Listeners, now: () => number): Connection => {
  const secure = new URL(url).protocol === "wss:"
  const socket = new WebSocket(url, {
    handshakeTimeout: ledgerLimits.ledgerConnectMs,
    maxPayload: ledgerLimits.ledgerMessageBytes,
    perMessageDeflate: false,
    // `ws` hands this to Node, which also accepts a socket that comes later, by callback.
    createConnection: openSocket(secure) as unknown as ClientOptions["createConnection"]
  })
  const opened = Deferred.makeUnsafe<void, Refusal>()
  const waiting = new Map<number, Resume>()
  /** Requests that were given up. Their answers may still come. */
  const abandoned = new Set<number>()
  let unasked = { since: now(), bytes: 0 }
  let end: Refusal | undefined
  let lastId = 0

  const endWith = (refusal: Refusal) => {
    if (end !== undefined) return
    end = refusal
    socket.terminate()
    ended?.(refusal)
    const failure = Effect.fail(refusal)
    // A resumed caller may send another request at once, so the list is emptied first.
    const unanswered = [...waiting.values()]
    waiting.clear()
    for (const resume of unanswered) resume(failure)
    Deferred.doneUnsafe(opened, failure)
  }

  socket.on("open", () => Deferred.doneUnsafe(opened, Effect.void))
  socket.on("error", (error) => endWith(failureOf(error, secure)))
  socket.on("close", (code, reason) => endWith(closeOf(code, String(reason))))
  const isTooMuch = (bytes: number) => {
    if (now() - unasked.since > UNASKED_WINDOW_MS) unasked = { since: now(), bytes: 0 }
    unasked.bytes += Math.max(bytes, UNASKED_LEAST_BYTES)
    return unasked.bytes > ledgerLimits.ledgerUnaskedBytes
  }

  socket.on("message", (data) => {
    // `ws` passes a Buffer, unless another `binaryType` is set.
    const bytes = data as Buffer
    const size = parsedBytes(bytes)
    if (size === undefined) return endWith(tooComplex)
    const text = String(bytes)
    const message = parse(text)
    if (!isJsonObject(message)) return endWith(interjectionOf(undefined, undefined, text))
    const { id, error, error_message: detail } = message
    const isAnswer = typeof id === "number" && (waiting.has(id) || abandoned.delete(id))
    if (!isAnswer && isTooMuch(bytes.length)) return endWith(tooMuchUnasked)
    if (typeof id !== "number") {
      // An error without an id concerns the whole connection.
      if (error === undefined) heard?.(message)
      else endWith(interjectionOf(error, detail, undefined))
      return
    }
    sizes.set(message, size)
    const resume = waiting.get(id)
    waiting.delete(id)
    resume?.(Effect.fromResult(answered(message)))
  })

  const request = (command: JsonObject): Effect.Effect<JsonObject, Refusal> =>
    Effect.callback<JsonObject, Refusal>((resume) => {
      if (end !== undefined) return resume(Effect.fail(end))
      const id = ++lastId
      waiting.set(id, resume)
      socket.send(JSON.stringify({ ...command, id, api_version: API_VERSION }))
      return Effect.sync(() => {
        if (!waiting.delete(id)) return
        abandoned.add(id)
        if (abandoned.size > ABANDONED_KEPT) abandoned.delete(abandoned.values().next().value!)
      })
    }).pipe(
      Effect.timeoutOrElse({
        duration: ledgerLimits.ledgerAnswerMs,
        orElse: () =>
          Effect.fail<Refusal>({
            reason: "timeout",
            detail: `no answer to ${String(command["command"])} within ${ledgerLimits.ledgerAnswerMs} ms`
          })
      })
    )

  return {
    opened: Deferred.await(opened).pipe(
      Effect.timeoutOrElse({
        duration: ledgerLimits.ledgerConnectMs,
        orElse: () =>
          Effect.fail<Refusal>({
            reason: "timeout",
            detail: `no connection within ${ledgerLimits.ledgerConnectMs} ms`
          })
      })
    ),
    request,
    end: () => endWith({ reason: "disconnected", detail: "was closed by this process" })
  }
}

/** Returns the connection once it has opened. */
export const open = (url: string): Effect.Effect<Connection, Refusal> =>
  Effect.flatMap(dial(url), (dialled) => {
    const closed = Effect.sync(dialled.end)
    return dialled.opened.pipe(
      Effect.as(dialled),
      Effect.tapError(() => closed),
      Effect.onInterrupt(() => closed)
    )
  })

/** Asks `server_info`. Fails if the server must not be used for the network. */
export const serverInfo = ({ request }: Connection, network: Network): Effect.Effect<JsonObject, Refusal> =>
  Effect.flatMap(request({ command: "server_info" }), (answer) => {
    const misfit = unfit(network, answer)
    return misfit === undefined ? Effect.succeed(answer) : Effect.fail(misfit)
  })
