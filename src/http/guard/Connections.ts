/**
 * Limits the server's connections (`connectionLimits`), with one request at a time on each (`PacedConnection`). At the
 * limit, a new connection replaces the one whose last request is the oldest. Connections with an event stream are never
 * replaced: streams have limits of their own (events/stream/Limits.ts).
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { Limits } from "../../spine/config/Limits.ts"
import { PacedConnection } from "./PacedConnection.ts"

export interface Connections {
  /**
   * Closes connections without a request, and ends all event streams. From now on, each response is the last one on its
   * connection.
   */
  readonly drain: () => void
}

/** Parts of the open files that connections to PORT and to OPS_PORT may have: half of them together. */
const FILES_SHARE = { api: 0.4, operator: 0.1 }

/**
 * The most connections to PORT and to OPS_PORT: `Limits.connections`, or fewer if the process may have few files open.
 * The other half of the files is for the database, the log and receivers. Undefined: the system does not say how many.
 */
export const connectionLimits = (openFiles: number | undefined): Readonly<typeof FILES_SHARE> => {
  const within = (share: number) =>
    Math.min(Limits.connections, Math.max(1, Math.floor((openFiles ?? Number.POSITIVE_INFINITY) * share)))
  return { api: within(FILES_SHARE.api), operator: within(FILES_SHARE.operator) }
}

/** The connection of the request. */
export const connectionOf = ({ socket }: Pick<IncomingMessage, "socket">): PacedConnection => {
  // The socket that the server sees is the PacedConnection.
  const connection: unknown = socket
  if (connection instanceof PacedConnection) return connection
  throw new Error("a request came on a connection that is not paced")
}

/** Must be called before other listeners are added to the server's requests. */
export const paceConnections = (server: Server, most: number): Connections => {
  /** Least recently used first. */
  const open = new Set<PacedConnection>()
  const running = new Set<ServerResponse>()
  let draining = false
  const endOldest = () => {
    for (const connection of open) if (connection.endStream === undefined) return connection.destroy()
  }
  const accept = server.listeners("connection")
  server.removeAllListeners("connection")
  server.on("connection", (socket: Socket) => {
    if (open.size >= most) endOldest()
    const connection = new PacedConnection(socket)
    open.add(connection)
    connection.once("close", () => open.delete(connection))
    // Node documents that any Duplex works here; its type names Socket only.
    for (const listener of accept) Reflect.apply(listener, server, [connection])
  })
  const begin = (request: IncomingMessage, response: ServerResponse) => {
    const connection = connectionOf(request)
    open.delete(connection)
    open.add(connection)
    connection.began(request)
    running.add(response)
    if (draining) response.shouldKeepAlive = false
    response.once("close", () => {
      running.delete(response)
      connection.answered()
      // The head of this response was written before, so the client expects to keep the connection.
      if (draining && connection.idle) connection.end()
    })
  }
  server.on("request", begin).on("checkContinue", begin)
  return {
    drain: () => {
      draining = true
      for (const response of running) response.shouldKeepAlive = false
      for (const connection of open) {
        if (connection.idle) connection.destroy()
        else connection.endStream?.()
      }
    }
  }
}
