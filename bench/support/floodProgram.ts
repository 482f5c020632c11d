/**
 * A caller without a key, in its own process, that pipelines requests on many connections. With `reads` it reads the
 * responses and starts again after the last. Otherwise it reads nothing. Another message stops it.
 */
import { connect, type Socket } from "node:net"
import { endWithParent, send } from "./Child.ts"

export interface Flood {
  readonly port: number
  readonly connections: number
  /** How many requests each connection sends before it gets a response. */
  readonly requests: number
  /** Each connection requests one of these. */
  readonly paths: ReadonlyArray<string>
  readonly reads: boolean
}

let sockets: ReadonlyArray<Socket> = []

const open = ({ port, requests, paths, reads }: Flood, i: number): Socket => {
  const bytes = `GET ${paths[i % paths.length]} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`.repeat(requests)
  const socket = connect(port, "127.0.0.1")
  // A server may close a connection at any time.
  socket.on("error", () => {})
  if (reads) socket.resume()
  else socket.pause()
  const write = () => {
    socket.write(bytes, () => {
      if (reads && !socket.destroyed) write()
    })
  }
  write()
  return socket
}

process.on("message", (flood: Flood | "end") => {
  for (const socket of sockets) socket.destroy()
  sockets = flood === "end" ? [] : Array.from({ length: flood.connections }, (_, i) => open(flood, i))
  void send("done")
})
endWithParent()
