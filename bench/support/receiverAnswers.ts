/**
 * How the receivers of the benchmarks answer. The path decides: `/hang` never, `/drip` with one byte of its headers a
 * second, `/fail` with 503, others at once with 200.
 */
import type { ServerResponse } from "node:http"
import { Effect, Schedule } from "effect"

const DRIP_EVERY_MS = 1_000

/** Headers that never end, so that no status is known. */
const drip = ({ socket }: ServerResponse): void => {
  socket?.write("HTTP/1.1 200 OK\r\nX-Slow: ")
  const dripping = Effect.runFork(
    Effect.sync(() => socket?.write(".")).pipe(Effect.repeat(Schedule.spaced(DRIP_EVERY_MS)))
  )
  socket?.on("close", () => dripping.interruptUnsafe())
}

/** Returns whether it was answered with 200. */
export const answer = (path: string, response: ServerResponse): boolean => {
  switch (path) {
    case "/hang":
      return false
    case "/drip":
      drip(response)
      return false
    case "/fail":
      response.writeHead(503, { "Content-Length": "0" }).end()
      return false
    default:
      response.writeHead(200, { "Content-Type": "text/plain", "Content-Length": "2" }).end("ok")
      return true
  }
}
