/**
 * A webhook receiver in its own process that records when each delivery arrived, and answers as receiverAnswers.ts says.
 * It listens on all of 127.0.0.0/8, so that many webhooks can have different origins. A message asks for the arrivals
 * since the last message.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { endWithParent, send } from "./Child.ts"
import { answer } from "./receiverAnswers.ts"

/** `atMs` is `performance.timeOrigin` plus `performance.now()`. */
export type Arrival = readonly [deliveryId: string, path: string, atMs: number, eventId: string]

let arrivals: Array<Arrival> = []

const server = createServer((request, response) => {
  request.resume()
  request.on("end", () => {
    const path = request.url ?? ""
    arrivals.push([
      String(request.headers["x-service-delivery-id"]),
      path,
      performance.timeOrigin + performance.now(),
      String(request.headers["x-service-event-id"])
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
