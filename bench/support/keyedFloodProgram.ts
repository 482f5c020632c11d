/**
 * A customer in its own process that sends one request after the other, with a key, on several connections, and reads
 * each response. The next message stops it, and it answers with the number of responses of each status.
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
}

let running = false
let ended: Promise<unknown> = Promise.resolve()
const counts = new Map<string, number>()

const flood = async ({ origin, key, connections, method, path, bodies }: KeyedFlood) => {
  const pool = new Pool(origin, { connections })
  const headers = { "x-service-key": key, "content-type": "application/json" }
  const send = async (i: number) => {
    const body = bodies[i % bodies.length]
    while (running) {
      const status = await pool
        .request({ path, method, headers, ...(method === "GET" || body === undefined ? {} : { body }) })
        .then(async ({ statusCode, body }) => {
          await body.dump({ limit: Number.MAX_SAFE_INTEGER })
          return String(statusCode)
        })
        .catch((error: Error) => error.message)
      counts.set(status, (counts.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: connections }, (_, i) => send(i)))
  await pool.destroy()
}

process.on("message", async (message: KeyedFlood | "end") => {
  if (message === "end") {
    running = false
    await send(Object.fromEntries(counts))
    counts.clear()
    return
  }
  await ended
  running = true
  ended = flood(message)
  await send("started")
})
endWithParent()
