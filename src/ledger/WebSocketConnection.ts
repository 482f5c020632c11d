/**
 * One WebSocket to a ledger server: answers to requests in any order, and the messages of streams. It ends once, with its
 * reason, which every request under way then fails with. It never reconnects. Messages are bounded and not compressed:
 * a few bytes of a compressed one can stand for any number.
 */
import { Deferred, Effect } from "effect"
import { WebSocket } from "ws"
import { Limits } from "../config/Limits.ts"
import type { JsonObject } from "../domain/Ledger.ts"
import type { Network } from "../domain/Network.ts"
import { isJsonObject } from "../domain/NormaliseLedger.ts"
import { answered, closeOf, failureOf, interjectionOf, type Refusal, unfit } from "./ServerMessages.ts"

export interface Connection {
  /** Fails when it ends before. */
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

/** Begins to connect at once. */
export const dial = (url: string, { ended, heard }: Listeners = {}): Connection => {
  const socket = new WebSocket(url, {
    handshakeTimeout: Limits.ledgerConnectMs,
    maxPayload: Limits.ledgerMessageBytes,
    perMessageDeflate: false
  })
  const opened = Deferred.makeUnsafe<void, Refusal>()
  const waiting = new Map<number, Resume>()
  let end: Refusal | undefined
  let lastId = 0

  const endWith = (refusal: Refusal) => {
    if (end !== undefined) return
    end = refusal
    socket.terminate()
    ended?.(refusal)
    const failure = Effect.fail(refusal)
    // Whoever hears of it may call us again at once.
    const unanswered = [...waiting.values()]
    waiting.clear()
    for (const resume of unanswered) resume(failure)
    Deferred.doneUnsafe(opened, failure)
  }

  socket.on("open", () => Deferred.doneUnsafe(opened, Effect.void))
  socket.on("error", (error) => endWith(failureOf(error)))
  socket.on("close", (code) => endWith(closeOf(code)))
  socket.on("message", (data) => {
    const text = String(data)
    const message = parse(text)
    if (!isJsonObject(message)) return endWith(interjectionOf(undefined, undefined, text))
    const { id, error, error_message: detail } = message
    if (typeof id !== "number") {
      // An error without an id is meant for all.
      if (error === undefined) heard?.(message)
      else endWith(interjectionOf(error, detail, undefined))
      return
    }
    // An answer that came too late belongs to nobody.
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
      return Effect.sync(() => void waiting.delete(id))
    }).pipe(
      Effect.timeoutOrElse({
        duration: Limits.ledgerRequestMs,
        orElse: () =>
          Effect.fail<Refusal>({
            reason: "timeout",
            detail: `no answer to ${String(command["command"])} within ${Limits.ledgerRequestMs} ms`
          })
      })
    )

  return {
    opened: Deferred.await(opened).pipe(
      Effect.timeoutOrElse({
        duration: Limits.ledgerConnectMs,
        orElse: () =>
          Effect.fail<Refusal>({
            reason: "timeout",
            detail: `no connection within ${Limits.ledgerConnectMs} ms`
          })
      })
    ),
    request,
    end: () => endWith({ reason: "disconnected", detail: "was closed here" })
  }
}

/** Waits until it is connected. */
export const open = (url: string): Effect.Effect<Connection, Refusal> =>
  Effect.suspend(() => {
    const connection = dial(url)
    const closed = Effect.sync(connection.end)
    return connection.opened.pipe(
      Effect.as(connection),
      Effect.tapError(() => closed),
      Effect.onInterrupt(() => closed)
    )
  })

/** The answer to `server_info`; fails when the server must not be used for the network. */
export const serverInfo = ({ request }: Connection, network: Network): Effect.Effect<JsonObject, Refusal> =>
  Effect.flatMap(request({ command: "server_info" }), (answer) => {
    const misfit = unfit(network, answer)
    return misfit === undefined ? Effect.succeed(answer) : Effect.fail(misfit)
  })
