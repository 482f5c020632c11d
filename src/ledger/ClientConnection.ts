/**
 * One WebSocket to a ledger server that answers requests in any order. It ends once, with its reason, which every
 * request under way then fails with; a request that gets no answer in time ends it too.
 */
import { Effect } from "effect"
import { WebSocket } from "ws"
import { Limits } from "../config/Limits.ts"
import type { JsonObject } from "../domain/Ledger.ts"
import { isJsonObject } from "../domain/NormaliseLedger.ts"
import { closeOf, failureOf, interjectionOf, type Refusal, refusalOf } from "./Answers.ts"

export interface Connection {
  /** The whole answer. */
  readonly request: (command: JsonObject) => Effect.Effect<JsonObject, Refusal>
  readonly end: () => void
}

const API_VERSION = 2

type Answered = (answer: Effect.Effect<JsonObject, Refusal>) => void

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const open = (url: string): Effect.Effect<Connection, Refusal> =>
  Effect.callback((resume) => {
    const socket = new WebSocket(url, { handshakeTimeout: Limits.ledgerConnectMs })
    const waiting = new Map<number, Answered>()
    let ended: Refusal | undefined
    let lastId = 0

    const endWith = (refusal: Refusal) => {
      ended ??= refusal
      const end = Effect.fail(ended)
      socket.terminate()
      // Whoever hears of it may call us again at once.
      const unanswered = [...waiting.values()]
      waiting.clear()
      for (const answered of unanswered) answered(end)
      resume(end)
    }

    socket.on("error", (error) => endWith(failureOf(error)))
    socket.on("close", (code) => endWith(closeOf(code)))
    socket.on("message", (data) => {
      const text = String(data)
      const message = parse(text)
      if (!isJsonObject(message)) return endWith(interjectionOf(undefined, undefined, text))
      const { id, error, error_message: detail } = message
      const answered = typeof id === "number" ? waiting.get(id) : undefined
      // An answer that came too late belongs to nobody; an error without an id is meant for all.
      if (typeof id !== "number")
        return error === undefined ? undefined : endWith(interjectionOf(error, detail, undefined))
      waiting.delete(id)
      answered?.(error === undefined ? Effect.succeed(message) : Effect.fail(refusalOf(error, detail)))
    })

    const request = (command: JsonObject): Effect.Effect<JsonObject, Refusal> =>
      Effect.callback<JsonObject, Refusal>((answered) => {
        if (ended !== undefined) return answered(Effect.fail(ended))
        const id = ++lastId
        waiting.set(id, answered)
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

    socket.on("open", () =>
      resume(
        Effect.succeed({ request, end: () => endWith({ reason: "disconnected", detail: "was closed here" }) })
      )
    )
    return Effect.sync(() => socket.terminate())
  })
