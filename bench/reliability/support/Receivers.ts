/**
 * Webhook receivers of every kind, good and bad, on one HTTP server: the path names the kind. For each delivery they
 * count the requests and the answers 2xx; bodies are not kept, so a run of an hour stays small.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { Clock, Effect, type Scope } from "effect"

/** What became of one delivery at its receiver. */
export interface Seen {
  /** Without those whose connection was used before and then closed: the service sends them again, unrecorded. */
  requests: number
  accepted: number
}

interface Turn {
  /** How many requests this delivery had before. */
  readonly before: number
  /** 0 to 9, fixed for each delivery. */
  readonly digit: number
  readonly nowMs: number
}

type Answer = number | "drip" | "hang" | "close" | "later"

export interface Kind {
  /** Fields of its webhook, besides the URL and the types. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Deliveries that may be under way at once. */
  readonly window: number
  /** Every delivery must end `delivered`. The others may also end `failed`. */
  readonly healthy: boolean
  /** First requests must arrive in the order of the ledger. */
  readonly ordered: boolean
  readonly answer: (turn: Turn) => Answer
}

const SLOW_MS = 300
const DRIP_EVERY_MS = 100
const DRIPS = 5
/** A flapping receiver is down for the first third of this. */
const FLAP_MS = 15_000

const kind = (answer: Kind["answer"], rest: Partial<Kind> = {}): Kind => ({
  fields: { max_in_flight: 16 },
  window: 16,
  healthy: true,
  ordered: false,
  answer,
  ...rest
})

export const kinds = {
  fast: kind(() => 200),
  ordered: kind(() => 200, { fields: { max_in_flight: 1 }, window: 1, ordered: true }),
  batched: kind(() => 200, {
    fields: { max_in_flight: 1, batch: { max_events: 20, max_wait_ms: 100 } },
    window: 20,
    ordered: true
  }),
  slow: kind(() => "later"),
  dripping: kind(() => "drip"),
  closing: kind(({ before, digit }) => (before === 0 && digit < 3 ? "close" : 200)),
  hanging: kind(({ before, digit }) => (before === 0 && digit === 0 ? "hang" : 200)),
  flapping: kind(({ nowMs }) => (nowMs % FLAP_MS < FLAP_MS / 3 ? "close" : 200), { healthy: false }),
  failing: kind(({ before, digit }) => (before === 0 || digit === 0 ? 503 : 200), { healthy: false })
} satisfies Readonly<Record<string, Kind>>

export type KindName = keyof typeof kinds

// The keys of an object literal are exactly those of its type.
export const kindNames = Object.keys(kinds) as ReadonlyArray<KindName>
export const healthyKinds = kindNames.filter((name) => kinds[name].healthy)

export interface Receivers {
  readonly urlOf: (name: KindName) => string
  /** By delivery id. */
  readonly seen: ReadonlyMap<string, Seen>
  /** How many deliveries have arrived, also again. */
  readonly arrived: () => number
  /** Whether the kind has accepted the event. */
  readonly accepted: (name: KindName, eventId: string) => boolean
  /** The highest ledger of which the kind got an event. */
  readonly ledgerOf: (name: KindName) => number
  /** The ids of its deliveries in the order of their first requests; undefined if the order does not matter. */
  readonly firstsOf: (name: KindName) => ReadonlyArray<string> | undefined
}

interface Item {
  readonly deliveryId: string
  readonly eventId: string
}

const itemsOf = (request: IncomingMessage, body: string): ReadonlyArray<Item> => {
  // The service sends an envelope, or a list of them with their delivery ids.
  const parsed = JSON.parse(body) as
    | { readonly event_id: string }
    | ReadonlyArray<{ readonly delivery_id: string; readonly event: { readonly event_id: string } }>
  return "event_id" in parsed
    ? [{ deliveryId: String(request.headers["x-service-delivery-id"]), eventId: parsed.event_id }]
    : parsed.map(({ delivery_id, event }) => ({ deliveryId: delivery_id, eventId: event.event_id }))
}

const digitOf = (deliveryId: string): number =>
  [...deliveryId].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 10

/** `xrpl:1000005:…` → 1000005. */
export const ledgerOfEvent = (eventId: string): number => Number(eventId.split(":")[1])

const after = (ms: number, act: () => void) =>
  void Effect.runFork(Effect.andThen(Effect.sleep(ms), Effect.sync(act)))

const drip = (response: ServerResponse, left: number): void => {
  if (response.destroyed) return
  if (left === 0) return void response.end()
  response.write(".")
  after(DRIP_EVERY_MS, () => drip(response, left - 1))
}

const respond = (answer: Answer, request: IncomingMessage, response: ServerResponse): void => {
  if (answer === "close") return void request.socket.destroy()
  if (answer === "hang") return
  if (answer === "later") {
    after(SLOW_MS, () => void response.writeHead(200).end("thanks"))
    return
  }
  response.writeHead(answer === "drip" ? 200 : answer)
  if (answer === "drip") drip(response, DRIPS)
  else response.end("thanks")
}

const isAccepted = (answer: Answer): boolean =>
  answer === "drip" || answer === "later" || (typeof answer === "number" && answer < 300)

/** Starts the receivers; they stop when the scope closes. */
export const startReceivers: Effect.Effect<Receivers, never, Scope.Scope> = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const seen = new Map<string, Seen>()
  const acceptedEvents = new Set<string>()
  let arrived = 0
  const ledgers = new Map<KindName, number>()
  const firsts = new Map<KindName, Array<string>>(
    kindNames.filter((name) => kinds[name].ordered).map((name) => [name, []])
  )
  const sockets = new Set<Socket>()
  /** Connections that have had an answer. */
  const used = new WeakSet<Socket>()

  const note = (name: KindName, { deliveryId, eventId }: Item): Seen => {
    ledgers.set(name, Math.max(ledgers.get(name) ?? 0, ledgerOfEvent(eventId)))
    const known = seen.get(deliveryId)
    if (known !== undefined) return known
    const made: Seen = { requests: 0, accepted: 0 }
    seen.set(deliveryId, made)
    firsts.get(name)?.push(deliveryId)
    return made
  }

  const server = createServer((request, response) => {
    // A path is one of `urlOf`.
    const name = (request.url ?? "").slice(1) as KindName
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const items = itemsOf(request, Buffer.concat(chunks).toString("utf8"))
      const noted = items.map((item) => note(name, item))
      const answer = kinds[name].answer({
        before: noted[0]?.requests ?? 0,
        digit: digitOf(items[0]?.deliveryId ?? ""),
        nowMs: clock.currentTimeMillisUnsafe()
      })
      // The service sends such a request again and records no attempt (docs/receiving.md#connections).
      const isUnrecorded = answer === "close" && used.has(request.socket)
      used.add(request.socket)
      arrived += items.length
      for (const one of noted) {
        if (!isUnrecorded) one.requests++
        if (isAccepted(answer)) one.accepted++
      }
      if (isAccepted(answer)) for (const { eventId } of items) acceptedEvents.add(`${name} ${eventId}`)
      respond(answer, request, response)
    })
  })
  server.on("connection", (socket) => {
    sockets.add(socket)
    socket.on("error", () => socket.destroy())
    socket.on("close", () => sockets.delete(socket))
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.sync(() => {
        for (const socket of sockets) socket.destroy()
        server.close()
      })
  )
  // The server listens on TCP, so its address is not the name of a pipe.
  const { port } = server.address() as AddressInfo
  return {
    urlOf: (name) => `http://127.0.0.1:${port}/${name}`,
    seen,
    arrived: () => arrived,
    accepted: (name, eventId) => acceptedEvents.has(`${name} ${eventId}`),
    ledgerOf: (name) => ledgers.get(name) ?? 0,
    firstsOf: (name) => firsts.get(name)
  }
})
