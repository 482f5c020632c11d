/**
 * An HTTP client in its own process. It makes the GET requests that a message names, on connections that stay open, and
 * reports when all are answered. A response other than 200 ends it.
 */
import { Pool } from "undici"
import { endWithParent, send } from "./Child.ts"

/** The message from the benchmark. */
export interface Requests {
  readonly origin: string
  /** Each connection requests one of these, repeatedly. */
  readonly paths: ReadonlyArray<string>
  readonly headers: Readonly<Record<string, string>>
  readonly count: number
  /** How many requests run concurrently, each on its own connection. */
  readonly connections: number
}

const pools = new Map<string, Pool>()

const poolFor = ({ origin, connections }: Requests): Pool => {
  const pool = pools.get(origin) ?? new Pool(origin, { connections })
  pools.set(origin, pool)
  return pool
}

const get = (pool: Pool, path: string, headers: Requests["headers"]) =>
  new Promise<void>((resolve, reject) => {
    pool.dispatch(
      { path, method: "GET", headers },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_, status) => {
          if (status !== 200) reject(new Error(`${path} answered ${status}`))
        },
        onResponseData: () => undefined,
        onResponseEnd: () => resolve(),
        onResponseError: (_, error) => reject(error)
      }
    )
  })

const run = async (asked: Requests): Promise<void> => {
  const pool = poolFor(asked)
  let left = asked.count
  await Promise.all(
    Array.from({ length: asked.connections }, async (_, connection) => {
      const path = asked.paths[connection % asked.paths.length]!
      while (left-- > 0) await get(pool, path, asked.headers)
    })
  )
  await send("answered")
}

// Sent by bench/api.ts.
process.on("message", (asked: Requests) => void run(asked))
endWithParent()
