/**
 * A webhook receiver in a process of its own: reads each request to its end, answers as receiverAnswers.ts says, and
 * counts those that it answers with 200. Listens on all of 127.0.0.0/8, so that many webhooks can have an origin each. A
 * message asks for the count so far.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { endWithParent, send } from "./Child.ts"
import { answer } from "./receiverAnswers.ts"

let accepted = 0
const server = createServer((request, response) => {
  request.resume()
  request.on("end", () => {
    if (answer(request.url ?? "", response)) accepted++
  })
})
// Pauses between rounds must not close connections.
server.keepAliveTimeout = 60_000
// All connections arrive at once when the senders begin.
server.listen({ host: "0.0.0.0", port: 0, backlog: 4_096 }, () => {
  // A server that listens on TCP has an address with a port.
  void send((server.address() as AddressInfo).port)
})
process.on("message", () => void send(accepted))
endWithParent()
