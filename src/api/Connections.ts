/**
 * The server's connections: one request at a time on each (`PacedConnection`), and a bound on how many there are. Beyond
 * it the connection whose last request is the oldest makes room for the new one.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { Limits } from "../config/Limits.ts"
import { PacedConnection } from "./PacedConnection.ts"

export interface Connections {
  /** Closes those on which no request has come: Node's own closing of idle ones passes them over. */
  readonly closeSilent: () => void
}

/** Call it before anybody else listens to the server's requests. */
export const paceConnections = (server: Server, most: number = Limits.connections): Connections => {
  /** The least recently used first. */
  const open = new Set<PacedConnection>()
  const accept = server.listeners("connection")
  server.removeAllListeners("connection")
  server.on("connection", (socket: Socket) => {
    const [oldest] = open
    if (oldest !== undefined && open.size >= most) oldest.destroy()
    const connection = new PacedConnection(socket)
    open.add(connection)
    connection.once("close", () => open.delete(connection))
    // Any duplex stream will do for the HTTP server, by its documentation; its type knows sockets only.
    for (const listener of accept) Reflect.apply(listener, server, [connection])
  })
  const begin = (request: IncomingMessage, response: ServerResponse) => {
    // The server was given this stream in place of a socket.
    const connection: unknown = request.socket
    if (!(connection instanceof PacedConnection)) return
    open.delete(connection)
    open.add(connection)
    connection.began(request)
    response.once("close", () => connection.answered())
  }
  server.on("request", begin).on("checkContinue", begin)
  return {
    closeSilent: () => {
      for (const connection of open) if (connection.silent) connection.destroy()
    }
  }
}
