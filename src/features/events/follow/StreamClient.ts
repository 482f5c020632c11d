/**
 * Reads `GET /v1/events/stream`. Whenever the stream ends, it reconnects and resumes after the last id; while that
 * fails, it waits longer each time. If reconnecting cannot help, because the service refuses the key or the request,
 * it fails with one sentence.
 */
import { Data, Effect, Stream } from "effect"
import type { HttpClientResponse } from "effect/http"
import { Limits } from "../../../spine/config/Limits.ts"
import type { EnvelopeFields } from "../../../spine/event/LedgerEvent.ts"
import { seconds } from "../../../spine/words/Words.ts"
import { type CommandFailed, failed } from "../../../terminal/Failure.ts"
import {
  noApi,
  refusalOf,
  refused,
  requestFailure,
  type ServiceApi,
  unreachable
} from "../../../terminal/service/Requests.ts"
import type { Events } from "../EventsContract.ts"
import { type Block, makeBlockReader, TooLong } from "./Blocks.ts"

/** If nothing arrives for this long, the command reconnects: three heartbeats. */
const SILENCE_MS = 3 * Limits.heartbeatMs

/** First and longest wait before it reconnects. */
const RECONNECT_MS = { first: 1_000, longest: 30_000 }

/** How long the service, or the address to which events are forwarded, may take to answer. */
export const ANSWER_MS = 10_000

export type StreamQuery = Parameters<ServiceApi<typeof Events>["events"]["stream"]>[0]["query"]

export interface StreamClientOptions {
  readonly api: ServiceApi<typeof Events>
  /** The API's URL, without `/v1`. */
  readonly url: string
  readonly query: StreamQuery
  readonly onOpen: (connection: number) => Effect.Effect<void>
  /** The stream is not read further until this ends. */
  readonly onEvent: (event: EnvelopeFields, data: string) => Effect.Effect<void>
  readonly onLost: (reason: string, waitMs: number) => Effect.Effect<void>
}

/** The connection has ended, or could not be made. Reconnecting may help. */
class Lost extends Data.TaggedError("Lost")<{
  readonly reason: string
  /** How long to wait before the next request, as the service asks. */
  readonly retryAfterMs: number
}> {}

const lost = (reason: string, retryAfterMs = 0): Lost => new Lost({ reason, retryAfterMs })

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether the same request may succeed later. */
const isPassing = (status: number): boolean => status === 429 || status >= 500

const SECOND_MS = 1_000

const notOpened = Effect.fnUntraced(function* (url: string, response: HttpClientResponse.HttpClientResponse) {
  const { headers, status } = response
  const text = yield* Effect.orElseSucceed(response.text, () => "")
  const refusal = refusalOf(parsed(text))
  if (isPassing(status)) {
    const seconds = Number(headers["retry-after"] ?? 0)
    const retryAfterMs = seconds > 0 ? Math.min(seconds * SECOND_MS, RECONNECT_MS.longest) : 0
    return yield* lost(refusal?.message ?? `HTTP ${status}`, retryAfterMs)
  }
  return yield* refusal === undefined ? noApi(url, status) : refused(url, refusal)
})

/** Checks the fields that the commands use; the others are passed on unchecked. */
const isEvent = (event: unknown): event is EnvelopeFields => {
  const { event_id, event_type, position } = Object(event)
  return typeof event_id === "string" && typeof event_type === "string" && typeof position === "number"
}

export const readStream = Effect.fnUntraced(function* (
  options: StreamClientOptions
): Effect.fn.Return<never, CommandFailed> {
  const { api, onEvent, onLost, onOpen, query, url } = options
  const { first, longest } = RECONNECT_MS
  let lastId: string | undefined
  let connections = 0
  /** The number of sessions since the last session that read anything. */
  let idle = 0

  const take = Effect.fnUntraced(function* (block: Block) {
    if (block.event === "error") {
      const refusal = refusalOf(parsed(block.data ?? ""))
      if (refusal?.code === "UNAUTHORIZED") return yield* refused(url, refusal)
      return yield* lost(refusal?.message ?? "the service ended the stream")
    }
    if (block.data !== undefined) {
      const event = parsed(block.data)
      if (!isEvent(event)) {
        return yield* failed(
          `${url} sent an event that this version cannot read. The service must be of release 0.3 or later.`
        )
      }
      yield* onEvent(event, block.data)
    }
    lastId = block.id ?? lastId
  })

  /** Reads one connection until it ends. It always ends with a failure. */
  const session = Effect.gen(function* () {
    const response = yield* api.events
      .stream({
        query,
        headers: lastId === undefined ? {} : { "last-event-id": lastId },
        responseMode: "response-only"
      })
      .pipe(
        Effect.mapError((error) => lost(requestFailure(error))),
        Effect.timeoutOrElse({
          duration: ANSWER_MS,
          orElse: () => lost(`no answer within ${seconds(ANSWER_MS)}`)
        })
      )
    if (response.status !== 200) return yield* notOpened(url, response)
    if (response.headers["content-type"] !== "text/event-stream") {
      return yield* failed(`${url} answered with something else than an event stream.`)
    }
    yield* onOpen(++connections)
    const read = makeBlockReader()
    yield* response.stream.pipe(
      Stream.mapError((error) => lost(requestFailure(error))),
      Stream.timeoutOrElse({
        duration: SILENCE_MS,
        orElse: () => Stream.fail(lost(`nothing came for ${seconds(SILENCE_MS)}`))
      }),
      Stream.decodeText,
      Stream.runForEach((piece) => {
        idle = 0
        return Effect.try({
          try: () => read(piece),
          catch: (error) =>
            error instanceof TooLong ? failed(`${url}: ${error.message}.`) : lost(String(error))
        }).pipe(Effect.flatMap(Effect.forEach(take, { discard: true })))
      })
    )
    return yield* lost("the stream ended")
  })

  const again = Effect.fnUntraced(function* ({ reason, retryAfterMs }: Lost) {
    // The first connection failed: a wrong address is more likely than an outage.
    if (connections === 0 && retryAfterMs === 0) return yield* unreachable(url, reason.replace(/\.$/, ""))
    const waitMs = Math.max(Math.min(first * 2 ** idle++, longest), retryAfterMs)
    yield* onLost(reason, waitMs)
    yield* Effect.sleep(waitMs)
  })

  return yield* session.pipe(Effect.catchTag("Lost", again), Effect.forever)
})
