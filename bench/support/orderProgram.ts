/**
 * A webhook receiver in its own process that checks the order of first requests: each webhook has a path, and its
 * delivery ids sort in ledger order. It answers 200, or never while it is down, so that those deliveries are retried. A
 * message sets whether it is down, and gets the counts so far.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { endWithParent, send } from "./Child.ts"

export interface Order {
  /** How many deliveries have arrived, each counted once. */
  readonly firsts: number
  /** The deliveries that arrived after one with a later id. */
  readonly late: ReadonlyArray<string>
}

let firsts = 0
const late: Array<string> = []
let down = false
const unanswered = new Set<string>()
const newest = new Map<string, string>()

const note = (path: string, id: string): void => {
  if (unanswered.has(id)) return
  if (down) unanswered.add(id)
  firsts++
  if (id < (newest.get(path) ?? "")) late.push(id)
  else newest.set(path, id)
}

const server = createServer((request, response) => {
  request.resume()
  request.on("end", () => {
    note(request.url ?? "", String(request.headers["x-service-delivery-id"]))
    if (!down) response.writeHead(200, { "Content-Type": "text/plain", "Content-Length": "2" }).end("ok")
  })
})
// Pauses between rounds must not close connections.
server.keepAliveTimeout = 60_000
// All connections arrive at once when the senders begin.
server.listen({ host: "0.0.0.0", port: 0, backlog: 4_096 }, () => {
  // A server that listens on TCP has an address with a port.
  void send((server.address() as AddressInfo).port)
})
process.on("message", (ask: { readonly down: boolean }) => {
  // A receiver that restarts closes its connections, too.
  if (down && !ask.down) server.closeAllConnections()
  down = ask.down
  void send({ firsts, late } satisfies Order)
})
endWithParent()
