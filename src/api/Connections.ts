/**
 * Limits the server's connections to `Limits.connections`, with one request at a time on each (`PacedConnection`). At
 * the limit, a new connection replaces the one whose last request is the oldest.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { Limits } from "../config/Limits.ts"
import { PacedConnection } from "./PacedConnection.ts"

export interface Connections {
  /** Closes connections on which no request has come yet: `server.closeIdleConnections` misses them. */
  readonly closeSilent: () => void
}

/** Must be called before other listeners are added to the server's requests. */
export const paceConnections = (server: Server, most: number = Limits.connections): Connections => {
  /** Least recently used first. */
  const open = new Set<PacedConnection>()
  const accept = server.listeners("connection")
  server.removeAllListeners("connection")
  server.on("connection", (socket: Socket) => {
    const [oldest] = open
    if (oldest !== undefined && open.size >= most) oldest.destroy()
    const connection = new PacedConnection(socket)
    open.add(connection)
    connection.once("close", () => open.delete(connection))
    // Node documents that any Duplex works here; its type names Socket only.
    for (const listener of accept) Reflect.apply(listener, server, [connection])
  })
  const begin = (request: IncomingMessage, response: ServerResponse) => {
    // The socket that the server sees is the PacedConnection.
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
