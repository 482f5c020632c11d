/**
 * A customer in its own process that sends one request after the other, with a key, on several connections, and reads
 * each response. The next message stops it.
 */
import { Pool } from "undici"
import { endWithParent, send } from "./Child.ts"

export interface KeyedFlood {
  readonly origin: string
  readonly key: string
  readonly connections: number
  readonly method: "POST" | "PATCH" | "GET"
  readonly path: string
  /** Each connection sends one of these. */
  readonly bodies: ReadonlyArray<string>
  /** Each request has an `Idempotency-Key` of its own. */
  readonly idempotent?: boolean
}

let running = false
let ended: Promise<unknown> = Promise.resolve()
/** Also ends event streams, which have no end of their own. */
let stop: () => void = () => undefined
const flood = async ({ origin, key, connections, method, path, bodies, idempotent }: KeyedFlood) => {
  const pool = new Pool(origin, { connections })
  stop = () => void pool.destroy()
  const headers = { "x-service-key": key, "content-type": "application/json" }
  let sent = 0
  const send = async (i: number) => {
    const body = bodies[i % bodies.length]
    while (running) {
      await pool
        .request({
          path,
          method,
          headers: idempotent ? { ...headers, "idempotency-key": `${sent++}` } : headers,
          ...(method === "GET" || body === undefined ? {} : { body })
        })
        .then((answer) => answer.body.dump({ limit: Number.MAX_SAFE_INTEGER }))
        .catch(() => {
          // A server may close a connection at any time.
        })
    }
  }
  await Promise.all(Array.from({ length: connections }, (_, i) => send(i)))
}

process.on("message", async (message: KeyedFlood | "end") => {
  if (message === "end") {
    running = false
    stop()
    await ended
    await send("ended")
    return
  }
  running = true
  ended = flood(message)
  await send("started")
})
endWithParent()
