/**
 * Reads `GET /v1/events/stream`. Whenever the stream ends, it reconnects and resumes after the last id; while that
 * fails, it waits longer each time. If reconnecting cannot help, because the service refuses the key or the request,
 * it fails with one sentence.
 */
import { Data, Effect } from "effect"
import { Limits } from "../../../config/Limits.ts"
import { connectionFailure } from "../../../deliver/send/Failures.ts"
import { printable } from "../../../domain/Printable.ts"
import { type CommandFailed, failed } from "../../terminal/Failure.ts"
import { type Block, makeBlockReader, TooLong } from "./Blocks.ts"

/** If nothing arrives for this long, `listen --forward` reconnects: three heartbeats. */
const SILENCE_MS = 3 * Limits.heartbeatMs

/** First and longest wait before it reconnects. */
const RECONNECT_MS = { first: 1_000, longest: 30_000 }

/** How long the service, or the address to which events are forwarded, may take to answer. */
export const ANSWER_MS = 10_000

/** Characters shown of a service's reason for ending a stream. */
const REASON_CHARS = 500

export interface StreamClientOptions {
  /** The API's URL, without `/v1`. */
  readonly url: string
  readonly key: string
  readonly query: URLSearchParams
  readonly onOpen: (connection: number) => Effect.Effect<void>
  /** The stream is not read further until this ends. */
  readonly onEvent: (block: Block & { readonly data: string }) => Effect.Effect<void, CommandFailed>
  readonly onLost: (reason: string, waitMs: number) => Effect.Effect<void>
}

/** The connection has ended, or could not be made. Reconnecting may help. */
class Lost extends Data.TaggedError("Lost")<{
  readonly reason: string
  /** How long to wait before the next request, as the service asks. */
  readonly retryAfterMs: number
}> {}

/** The text that `connectionFailure` returns for an unknown error. */
const NO_REASON = "connection failed"

const lost = (reason: string, retryAfterMs = 0): Lost => new Lost({ reason, retryAfterMs })

/** Why a request got no answer. For ports that fetch refuses, the error has no code, only a message. */
export const requestFailure = (error: unknown): string => {
  const text = connectionFailure(error)
  return text === NO_REASON && error instanceof Error && error.cause instanceof Error
    ? `${text} (${printable(error.cause.message, REASON_CHARS)})`
    : text
}

/** A failure's own sentence, from a body or the data of an `error` event. */
const errorIn = (text: string): { readonly code: string; readonly message: string } | undefined => {
  try {
    const { code, message } = JSON.parse(text).error
    return typeof code === "string" && typeof message === "string"
      ? { code, message: printable(message, REASON_CHARS) }
      : undefined
  } catch {
    return undefined
  }
}

/** Whether the same request may succeed later. */
const isPassing = (status: number): boolean => status === 429 || status >= 500

const SECOND_MS = 1_000

const refused = Effect.fnUntraced(function* (url: string, response: Response) {
  const { headers, status } = response
  const text = yield* Effect.promise(() => response.text().catch(() => ""))
  const said = errorIn(text)?.message
  if (isPassing(status)) {
    const seconds = Number(headers.get("retry-after") ?? 0)
    const retryAfterMs = seconds > 0 ? Math.min(seconds * SECOND_MS, RECONNECT_MS.longest) : 0
    return yield* lost(said ?? `HTTP ${status}`, retryAfterMs)
  }
  return yield* failed(
    said === undefined
      ? `${url} answered HTTP ${status}; --url must be the address of a Ledgerhook API, as https://api.example.com.`
      : `${url}: ${said}`
  )
})

const isEvent = (block: Block): block is Block & { readonly data: string } => block.data !== undefined

export const readStream = Effect.fnUntraced(function* (
  options: StreamClientOptions
): Effect.fn.Return<never, CommandFailed> {
  const { key, onEvent, onLost, onOpen, query, url } = options
  const address = `${url.replace(/\/+$/, "")}/v1/events/stream${query.size === 0 ? "" : `?${query}`}`
  const { first, longest } = RECONNECT_MS
  let lastId: string | undefined
  let connections = 0
  /** The number of sessions since the last session that read anything. */
  let idle = 0

  const take = Effect.fnUntraced(function* (block: Block) {
    if (block.event === "error") {
      const error = errorIn(block.data ?? "")
      const reason = error?.message ?? "the service ended the stream"
      return yield* error?.code === "UNAUTHORIZED" ? failed(`${url}: ${reason}`) : lost(reason)
    }
    if (isEvent(block)) yield* onEvent(block)
    lastId = block.id ?? lastId
  })

  const connect = (signal: AbortSignal) =>
    Effect.tryPromise({
      try: () =>
        fetch(address, {
          signal,
          redirect: "manual",
          headers: {
            Accept: "text/event-stream",
            "X-Service-Key": key,
            ...(lastId !== undefined && { "Last-Event-ID": lastId })
          }
        }),
      catch: (error) => lost(requestFailure(error))
    }).pipe(
      Effect.timeoutOrElse({
        duration: ANSWER_MS,
        orElse: () => lost(`no answer within ${ANSWER_MS / SECOND_MS} s`)
      })
    )

  /** Reads one connection until it ends. It always ends with a failure. */
  const session = Effect.gen(function* () {
    const controller = yield* Effect.acquireRelease(
      Effect.sync(() => new AbortController()),
      (made) => Effect.sync(() => made.abort())
    )
    const response = yield* connect(controller.signal)
    if (response.status !== 200) return yield* refused(url, response)
    if (response.body === null || response.headers.get("content-type") !== "text/event-stream") {
      return yield* failed(`${url} answered with something else than an event stream.`)
    }
    yield* onOpen(++connections)
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    const read = makeBlockReader()
    while (true) {
      const { done, value } = yield* Effect.tryPromise({
        try: () => reader.read(),
        catch: (error) => lost(requestFailure(error))
      }).pipe(
        Effect.timeoutOrElse({
          duration: SILENCE_MS,
          orElse: () => lost(`nothing came for ${SILENCE_MS / SECOND_MS} s`)
        })
      )
      if (done) return yield* lost("the stream ended")
      idle = 0
      const blocks = yield* Effect.try({
        try: () => read(value),
        catch: (error) =>
          error instanceof TooLong ? failed(`${url}: ${error.message}.`) : lost(String(error))
      })
      for (const block of blocks) yield* take(block)
    }
  }).pipe(Effect.scoped)

  const again = Effect.fnUntraced(function* ({ reason, retryAfterMs }: Lost) {
    // The first connection failed: a wrong address is more likely than an outage.
    if (connections === 0 && retryAfterMs === 0) {
      return yield* failed(`${url} cannot be read: ${reason}.`)
    }
    const waitMs = Math.max(Math.min(first * 2 ** idle++, longest), retryAfterMs)
    yield* onLost(reason, waitMs)
    yield* Effect.sleep(waitMs)
  })

  return yield* session.pipe(Effect.catchTag("Lost", again), Effect.forever)
})
