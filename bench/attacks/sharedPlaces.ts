/**
 * Measures whether one account can take what accounts share: the line of notices, with 200,000 that wait to be sent to a
 * server that never answers; the places of streams; and sessions. Another account uses the same meanwhile, and in quiet
 * times between.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Clock, Effect, Layer, References } from "effect"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import { roles } from "../../src/app/Roles.ts"
import { AccountStore } from "../../src/features/accounts/AccountStore.ts"
import { ApiKeyStore } from "../../src/features/accounts/ApiKeyStore.ts"
import { alternately, type Compared, p99Figure } from "../support/alternately.ts"
import type { Benchmark, Figure } from "../support/Benchmark.ts"
import { startChild } from "../support/Child.ts"
import type { KeyedFlood } from "../support/keyedFloodProgram.ts"
import type { PlacesUse } from "../support/placesProgram.ts"
import { storeLayer } from "../support/store.ts"

const WAITING_NOTICES = 200_000
const STREAM_CONNECTIONS = 100
/** Signing in is paced together with all requests without a key, which keylessBodies.ts measures. */
const SESSION_CONNECTIONS = 1
const WARM_UP_MS = 10_000

const hangingPort = Effect.map(
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer(() => undefined)
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => server.closeAllConnections())
  ),
  // It listens on TCP.
  (server) => (server.address() as AddressInfo).port
)

const measure = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const accounts = yield* AccountStore
  const keys = yield* ApiKeyStore
  const now = yield* Clock.currentTimeMillis
  const newAccount = Effect.fnUntraced(function* (name: string) {
    const accountId = yield* accounts.create({ name, email: null, plan: "enterprise" }, now)
    const made = yield* keys.create({ accountId, name, scopes: ["admin"], environment: "live" }, now)
    return { accountId, key: made!.value }
  })
  const origin = HttpServer.formatAddress((yield* HttpServer.HttpServer).address)
  const taker = yield* newAccount("taker")
  const port = yield* hangingPort
  yield* sql`
    INSERT INTO notice_urls (account_id, url, format, types, created_at, updated_at)
    VALUES (${taker.accountId}, ${`http://127.0.0.1:${port}/`}, 'slack', ARRAY[]::text[], now(), now())`
  const attacker = yield* startChild("keyedFloodProgram.ts")
  const flood = { origin, key: taker.key, connections: STREAM_CONNECTIONS, bodies: [] }
  const flooding = (more: Pick<KeyedFlood, "method" | "path"> & Partial<KeyedFlood>) =>
    [attacker.ask({ ...flood, ...more } satisfies KeyedFlood), attacker.ask("end")] as const
  const attacks = {
    notices: [
      sql`
        INSERT INTO notices (cause, account_id, type, text, data, created_at, next_attempt_at)
        SELECT 'bench/' || i, ${taker.accountId}, 'webhook.failing', 'It fails.', '{}', now(), now()
        FROM generate_series(1, ${WAITING_NOTICES}::int) AS i`,
      sql`DELETE FROM notices WHERE account_id = ${taker.accountId}`
    ],
    streams: flooding({ method: "GET", path: "/v1/events/stream" }),
    sessions: flooding({
      method: "POST",
      path: "/v1/session",
      connections: SESSION_CONNECTIONS,
      bodies: [JSON.stringify({ key: taker.key })]
    })
  } as const
  const found: Array<readonly [name: string, compared: Compared]> = []
  for (const place of ["notices", "streams", "sessions"] as const) {
    const [begin, end] = attacks[place]
    const compared = yield* Effect.gen(function* () {
      const user = yield* startChild("placesProgram.ts")
      const { key } = yield* newAccount("user")
      yield* user.ask({ origin, key, place } satisfies PlacesUse)
      yield* Effect.sleep(WARM_UP_MS)
      const latencies = Effect.fnUntraced(function* (lastsMs: number) {
        yield* user.ask("latencies")
        yield* Effect.sleep(lastsMs)
        // Sent by support/placesProgram.ts.
        return (yield* user.ask("latencies")) as ReadonlyArray<number>
      })
      return yield* alternately(latencies, begin, end)
    }).pipe(Effect.scoped)
    found.push([place, compared])
  }
  return found
}).pipe(
  Effect.scoped,
  Effect.provide(
    roles.pipe(
      Layer.provideMerge(AccountStore.layer),
      Layer.provideMerge(ApiKeyStore.layer),
      Layer.provideMerge(
        storeLayer({
          ROLES: "api,deliver,delay",
          HOST: "127.0.0.1",
          PORT: "0",
          // Streams are only of networks that are watched. No process has the role ingest.
          XRPL_MAINNET_URLS: "ws://127.0.0.1:1"
        })
      ),
      Layer.provide(Layer.succeed(References.TracerEnabled, false))
    )
  )
)

const run = Effect.fnUntraced(function* (report: (figure: Figure) => void) {
  for (const [place, compared] of yield* measure)
    report(p99Figure(`attacks.sharedPlaces.${place}.p99`, compared))
})

export const sharedPlaces: Benchmark = {
  description: "another account's notices, streams and sessions beside an account that takes all it can",
  target: "a p99 of at most 1.5 times that in quiet times between",
  run
}
