/**
 * A receiver in its own process that never ends a response. At `/hints` it sends informational responses, elsewhere an
 * endless chunk extension, as fast as they are read.
 */
import { type AddressInfo, createServer } from "node:net"
import { endWithParent, send } from "./Child.ts"

const PIECE_BYTES = 16 * 1024

const repeated = (text: string): string => text.repeat(Math.ceil(PIECE_BYTES / text.length))
const hints = repeated("HTTP/1.1 103 Early Hints\r\n\r\n")
const extension = repeated("x")

const server = createServer((socket) => {
  socket.on("error", () => {})
  socket.once("data", (request) => {
    const isHints = request.toString("latin1").startsWith("POST /hints ")
    const piece = isHints ? hints : extension
    // If the callback ran at once, one connection could keep the others waiting.
    const more = () => {
      if (!socket.destroyed) socket.write(piece, () => setImmediate(more))
    }
    socket.write(isHints ? "" : "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", more)
    // Writing after the other side has closed would cost this program time, and not the service that is measured.
    socket.on("end", () => socket.destroy()).resume()
  })
})
server.listen(0, "127.0.0.1", () => {
  // A server that listens on TCP has an address with a port.
  void send((server.address() as AddressInfo).port)
})
endWithParent()
