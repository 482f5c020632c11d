/** Readers of the streams of the API, and ledgers for them, as ingest would append them. */
import { type IncomingMessage, request } from "node:http"
import { Effect } from "effect"
import { type Block, makeBlockReader } from "../../../src/features/events/follow/Blocks.ts"
import { eventsTopic, type LedgerEvent, ledgersTopic } from "../../../src/spine/event/LedgerEvent.ts"
import type { Network } from "../../../src/spine/event/Network.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { eventOf, recordOf, types } from "../../support/deliver/events.ts"
import { markers } from "../../support/ledger/markers.ts"

export interface OpenStream {
  readonly status: number
  readonly headers: IncomingMessage["headers"]
  /** Everything that the reader has received. */
  readonly text: () => string
  readonly blocks: () => ReadonlyArray<Block>
  /** The ids of the events that the reader has received. */
  readonly ids: () => ReadonlyArray<string>
  /** The id from which the stream would be resumed. */
  readonly lastId: () => string | undefined
  readonly isClosed: () => boolean
  /** The reader reads no more until it is resumed. */
  readonly pause: () => void
  readonly resume: () => void
  readonly close: () => void
}

export interface StreamRequest {
  readonly url: string
  readonly key: string
  /** Default: that of the event stream. */
  readonly path?: string
  /** Of a session, which is then used instead of the key. */
  readonly cookie?: string
  /** The query string, with its question mark. */
  readonly query?: string
  readonly lastEventId?: string | undefined
}

/** Connects and waits for the response headers; the connection closes with the scope. */
export const openStream = ({
  url,
  cookie,
  key,
  path = "/v1/events/stream",
  query = "",
  lastEventId
}: StreamRequest) =>
  Effect.acquireRelease(
    Effect.callback<OpenStream>((resume) => {
      const asked = request(`${url}${path}${query}`, {
        agent: false,
        headers: {
          ...(cookie === undefined ? { "x-service-key": key } : { cookie, "x-requested-with": "ledgerhook" }),
          ...(lastEventId !== undefined && { "last-event-id": lastEventId })
        }
      })
      asked.on("error", () => {})
      asked.on("response", (response) => {
        let text = ""
        let closed = false
        let lastId: string | undefined
        const blocks: Array<Block> = []
        const read = makeBlockReader()
        response.setEncoding("utf8")
        response.on("data", (piece: string) => {
          text += piece
          for (const block of read(piece)) {
            blocks.push(block)
            lastId = block.id ?? lastId
          }
        })
        response.on("error", () => {})
        response.on("close", () => {
          closed = true
        })
        resume(
          Effect.succeed({
            status: response.statusCode!,
            headers: response.headers,
            text: () => text,
            blocks: () => blocks,
            ids: () => blocks.flatMap(({ data, id }) => (data === undefined || id === undefined ? [] : [id])),
            lastId: () => lastId,
            isClosed: () => closed,
            pause: () => response.pause(),
            resume: () => response.resume(),
            close: () => asked.destroy()
          })
        )
      })
      asked.end()
    }),
    ({ close }) => Effect.sync(close)
  )

/** `perLedger` events in each of `count` ledgers, of several types, one of them of `account`. */
export const ledgersOf = (options: {
  readonly network?: Network
  readonly first: number
  readonly count?: number
  readonly perLedger?: number
  readonly account?: string
}): ReadonlyArray<LedgerEvent> => {
  const { network = "mainnet", first, count = 1, perLedger = 4, account } = options
  return Array.from({ length: count * perLedger }, (_, i) =>
    eventOf({
      network,
      ledgerIndex: first + Math.floor(i / perLedger),
      position: i % perLedger,
      type: types[i % types.length]!,
      ...(account !== undefined && i % perLedger === 0 && { accounts: [account] })
    })
  )
}

/** Appends each ledger's events and then its marker. The ledgers of a call follow one another. */
export const appendLedgers = Effect.fnUntraced(function* (events: ReadonlyArray<LedgerEvent>) {
  const log = yield* Log
  let range_since: number | undefined
  for (const [ledgerIndex, own] of Map.groupBy(events, (event) => event.ledger_index)) {
    const { network } = own[0]!
    const [marker] = markers(ledgerIndex, ledgerIndex)
    range_since ??= marker!.detected_at
    yield* log.transaction({
      append: own.map(recordOf),
      appendThen: ([first]) => [
        {
          topic: ledgersTopic(network),
          key: network,
          value: JSON.stringify({
            ...marker,
            event_count: own.length,
            first_event_offset: first!.offset,
            range_since
          })
        }
      ]
    })
  }
})

/** Appends records to the network's events topic that contain no event. */
export const appendNoise = (network: Network, count: number) =>
  Effect.flatMap(Log, (log) =>
    log.transaction({
      append: Array.from({ length: count }, () => ({
        topic: eventsTopic(network),
        key: network,
        value: "noise"
      }))
    })
  )
