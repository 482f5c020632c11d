/**
 * A server with rippled's WebSocket API (version 2) for given ledgers. On demand it misbehaves: it drops the
 * connection, does not answer, or answers wrongly. Like a real server, it does not know ledgers after the last closed
 * one.
 */
import type { AddressInfo } from "node:net"
import { Effect, type Scope } from "effect"
import { type WebSocket, WebSocketServer } from "ws"
import type { RawLedger, RawTransaction } from "./chain.ts"

export interface Answer {
  readonly result?: { readonly [field: string]: unknown }
  readonly error?: string
  readonly [field: string]: unknown
}

export interface Request {
  readonly command: string
  readonly id?: number
  readonly api_version?: number
  readonly ledger_index?: unknown
  readonly transactions?: boolean
  readonly expand?: boolean
  readonly binary?: boolean
  readonly streams?: ReadonlyArray<string>
}

/** A ledger, and the answer to a request for it. */
export interface ServedLedger {
  readonly header: Pick<RawLedger, "ledger_index" | "ledger_hash" | "close_time">
  readonly count: number
  readonly answer: (request: Request) => Answer
}

/** Returns the answer to send instead; undefined sends none. */
export type Change = (answer: Answer) => Answer | undefined

/** Replaces a response: by another one, by none, by its first half, or by the end of the connection. */
export type Interference = (
  name: string,
  answer: Answer,
  request: Request
) => Answer | "silence" | "half" | "drop" | "limit"

export interface RippledServer {
  readonly url: string
  /** Every request so far, in order: `ledger 7`, `subscribe`, … */
  readonly requests: ReadonlyArray<string>
  readonly connections: () => number
  /** Adds or replaces ledgers; they become known when closed. */
  readonly serve: (ledgers: ReadonlyArray<RawLedger>) => void
  readonly add: (ledger: ServedLedger) => void
  /** Closes all ledgers up to `index` and announces the last; `announce: false` only makes them known. */
  readonly close: (index: number, options?: { readonly announce?: boolean }) => void
  /** Changes the next `times` answers to the request named as in `requests`. */
  readonly misbehave: (request: string, times: number, change: Change) => void
  /** Ends every connection, with a close code and text if they are given. */
  readonly drop: (code?: number, text?: string) => void
  readonly send: (text: string) => void
  /** The server answers the next `times` connections with that HTTP status instead. */
  readonly refuse: (times: number, status: number) => void
  /** Keeps the answers to all requests back; they leave when it ends. */
  readonly hold: (on: boolean) => void
}

/** WebSocket close code of a server that limits us. */
const POLICY_VIOLATION = 1008

/** The transaction in version 2's form. Recorded transactions may be flat or have that form already. */
const entryOf = (ledger: RawLedger, { hash, metaData, ...tx_json }: RawTransaction) => ({
  ...("tx_json" in tx_json ? tx_json : { tx_json, meta: metaData }),
  hash,
  ledger_hash: ledger.ledger_hash,
  ledger_index: ledger.ledger_index,
  validated: true
})

/** Real servers list transactions by hash. */
const byHash = (a: RawTransaction, b: RawTransaction) => (a.hash < b.hash ? -1 : 1)

const ledgerAnswer = (ledger: RawLedger, withTransactions: boolean): Answer => {
  const { transactions, ...header } = ledger
  return {
    result: {
      ledger: {
        ...header,
        closed: true,
        ...(withTransactions && {
          transactions: transactions.toSorted(byHash).map((transaction) => entryOf(ledger, transaction))
        })
      },
      ledger_hash: ledger.ledger_hash,
      ledger_index: ledger.ledger_index,
      validated: true
    }
  }
}

const servedLedger = (ledger: RawLedger): ServedLedger => ({
  header: ledger,
  count: ledger.transactions.length,
  answer: ({ expand, transactions }) => ledgerAnswer(ledger, transactions === true && expand === true)
})

export const rippledServer = Effect.fnUntraced(function* (
  options: {
    readonly networkId?: number | undefined
    /** The `complete_ledgers` that the server claims. */
    readonly ledgers?: string | (() => string)
    /** Is called with every answer; see `Interference`. */
    readonly interfere?: Interference
  } = { networkId: 0 }
): Effect.fn.Return<RippledServer, never, Scope.Scope> {
  const ledgers = new Map<number, ServedLedger>()
  const changes = new Map<string, Array<Change>>()
  const requests: Array<string> = []
  const subscribers = new Set<WebSocket>()
  const refusals: Array<number> = []
  let held: Array<() => void> | undefined
  let closed = 0
  const add = (ledger: ServedLedger) => void ledgers.set(ledger.header.ledger_index, ledger)

  const server = yield* Effect.acquireRelease(
    Effect.callback<WebSocketServer>((resume) => {
      const listening: WebSocketServer = new WebSocketServer(
        {
          host: "127.0.0.1",
          port: 0,
          verifyClient: (_, admit) => admit(refusals.length === 0, refusals.shift())
        },
        () => resume(Effect.succeed(listening))
      )
    }),
    (listening) =>
      Effect.callback<void>((resume) => {
        for (const socket of listening.clients) socket.terminate()
        listening.close(() => resume(Effect.void))
      })
  )

  const head = () => {
    const ledger = ledgers.get(closed)
    return ledger === undefined
      ? {}
      : {
          ledger_index: ledger.header.ledger_index,
          ledger_hash: ledger.header.ledger_hash,
          ledger_time: ledger.header.close_time
        }
  }

  const answerTo = (request: Request): Answer => {
    if (request.api_version !== 2) return { error: "invalid_API_version" }
    if (request.command === "server_info")
      return {
        result: {
          info: {
            ...(options.networkId !== undefined && { network_id: options.networkId }),
            ...(options.ledgers !== undefined && {
              complete_ledgers: typeof options.ledgers === "string" ? options.ledgers : options.ledgers()
            })
          }
        }
      }
    if (request.command === "subscribe") return { result: head() }
    const index = request.ledger_index === "validated" ? closed : request.ledger_index
    if (typeof index !== "number") return { error: "invalidParams" }
    const ledger = index <= closed ? ledgers.get(index) : undefined
    return ledger === undefined
      ? { error: "lgrNotFound", error_code: 21, error_message: "ledgerNotFound" }
      : ledger.answer(request)
  }

  server.on("connection", (socket) => {
    socket.on("close", () => subscribers.delete(socket))
    socket.on("message", (data) => {
      // The message may have any content, so every field may be absent.
      const request = JSON.parse(String(data)) as Request
      const name = [request.command, request.ledger_index].filter((part) => part !== undefined).join(" ")
      requests.push(name)
      const reply = () => {
        const change = changes.get(name)?.shift() ?? ((answer: Answer) => answer)
        const answer = change(answerTo(request))
        if (answer === undefined) return
        const final = options.interfere?.(name, answer, request) ?? answer
        if (final === "silence") return
        if (final === "drop") return socket.terminate()
        if (final === "limit") return socket.close(POLICY_VIOLATION, "threshold exceeded")
        const whole = final === "half" ? answer : final
        const status = whole.error === undefined ? "success" : "error"
        const text = JSON.stringify({ id: request.id, type: "response", status, ...whole })
        if (final === "half") {
          // The server sends the beginning of a frame but never its end.
          socket.send(text.slice(0, text.length / 2), { fin: false })
          return socket.terminate()
        }
        socket.send(text)
        if (request.command === "subscribe" && request.streams?.includes("ledger")) subscribers.add(socket)
      }
      if (held === undefined) reply()
      else held.push(reply)
    })
  })

  return {
    // A listening server's address is no pipe name.
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    connections: () => server.clients.size,
    serve: (added) => {
      for (const ledger of added) add(servedLedger(ledger))
    },
    add,
    close: (index, { announce = true } = {}) => {
      closed = index
      const message = JSON.stringify({
        type: "ledgerClosed",
        ...head(),
        txn_count: ledgers.get(index)?.count
      })
      if (announce) for (const socket of subscribers) socket.send(message)
    },
    misbehave: (request, times, change) => {
      changes.set(request, [...(changes.get(request) ?? []), ...Array<Change>(times).fill(change)])
    },
    drop: (code, text) => {
      for (const socket of server.clients) code === undefined ? socket.terminate() : socket.close(code, text)
    },
    refuse: (times, status) => {
      refusals.push(...Array<number>(times).fill(status))
    },
    hold: (on) => {
      const replies = held ?? []
      held = on ? [] : undefined
      for (const reply of replies) reply()
    },
    send: (text) => {
      for (const socket of server.clients) socket.send(text)
    }
  }
})
