/**
 * A webhook receiver in its own process that records when each delivery arrived. The path decides its behaviour:
 * `/hang` never answers, `/drip` sends one byte of its headers a second, `/fail` answers 503, others 200. It listens on
 * all of 127.0.0.0/8, so that many webhooks can have different origins. A message asks for the arrivals since the last
 * message.
 */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Schedule } from "effect"
import { endWithParent, send } from "./Child.ts"

/** Delivery id, path, and the milliseconds of `performance.timeOrigin` plus `performance.now()`. */
export type Arrival = readonly [deliveryId: string, path: string, atMs: number]

const DRIP_EVERY_MS = 1_000

let arrivals: Array<Arrival> = []

/** Headers that never end, so that no status is known. */
const drip = ({ socket }: ServerResponse): void => {
  socket?.write("HTTP/1.1 200 OK\r\nX-Slow: ")
  const dripping = Effect.runFork(
    Effect.sync(() => socket?.write(".")).pipe(Effect.repeat(Schedule.spaced(DRIP_EVERY_MS)))
  )
  socket?.on("close", () => dripping.interruptUnsafe())
}

const answer = (path: string, response: ServerResponse): void => {
  switch (path) {
    case "/hang":
      break
    case "/drip":
      drip(response)
      break
    case "/fail":
      response.writeHead(503, { "Content-Length": "0" }).end()
      break
    default:
      response.writeHead(200, { "Content-Type": "text/plain", "Content-Length": "2" }).end("ok")
  }
}

const server = createServer((request, response) => {
  request.resume()
  request.on("end", () => {
    const path = request.url ?? ""
    arrivals.push([
      String(request.headers["x-service-delivery-id"]),
      path,
      performance.timeOrigin + performance.now()
    ])
    answer(path, response)
  })
})
// Pauses between rounds must not close connections.
server.keepAliveTimeout = 60_000
// All connections arrive at once when the senders begin.
server.listen({ host: "0.0.0.0", port: 0, backlog: 4_096 }, () => {
  // A server that listens on TCP has an address with a port.
  void send((server.address() as AddressInfo).port)
})
process.on("message", () => {
  void send(arrivals)
  arrivals = []
})
endWithParent()
