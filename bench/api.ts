/**
 * Measures authenticated requests for a page of deliveries: authentication, rate limit, query and encoding. It compares
 * them with `/healthz` of the same server, which needs no key. In one part all connections request the same page, in
 * the other each has its own page. The client runs in a separate process.
 */
import { Socket } from "node:net"
import { Clock, Effect, Layer, Option, References } from "effect"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import { roles } from "../src/app/Roles.ts"
import { AccountStore } from "../src/features/accounts/AccountStore.ts"
import { Partitions } from "../src/spine/deliveries/Partitions.ts"
import { column } from "../src/spine/store/Columns.ts"
import { randomId } from "../src/spine/words/Ids.ts"
import type { Benchmark } from "./support/Benchmark.ts"
import { type Child, startChild } from "./support/Child.ts"
import { costOf } from "./support/cpu.ts"
import type { Requests } from "./support/requestsProgram.ts"
import { inRounds, medianOf } from "./support/rounds.ts"
import { storeLayer } from "./support/store.ts"

const TARGET = 0.4
const ROUNDS = 6
const REQUESTS = 4_000
/** After these rounds V8 has compiled what it compiles in a server that has run for a while. */
const WARM_UPS = 3
const CONNECTIONS = 64
const DELIVERIES = 5_000
const KEY = `svc_live_${"a".repeat(40)}`
const NO_LIMIT = 1_000_000_000
const FIRST_PAGE = "/v1/deliveries?limit=20"

/** An account with deliveries, and with limits that the benchmark does not reach. */
const prepare = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const accounts = yield* AccountStore
  const partitions = yield* Partitions
  const now = yield* Clock.currentTimeMillis
  const [account] = yield* accounts.list(undefined, 1)
  if (account === undefined) throw new Error("the service has made no account")
  const own = { requestsPerMinute: NO_LIMIT, requestsPerDay: NO_LIMIT }
  const changed = yield* accounts.change(account.id, { own }, now)
  if (Option.isNone(changed)) throw new Error("the account has gone")
  yield* partitions.ensure(now, now)
  const ids = Array.from({ length: DELIVERIES }, () => randomId("dlv_", now))
  yield* sql`
    INSERT INTO deliveries (id, webhook_id, account_id, network, event_id, event_type, event_offset, status, attempts,
                            response_status, response_time_ms, updated_at)
    SELECT id, 'wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE', ${account.id}, 'mainnet',
           'xrpl:90000000:' || repeat('A', 64) || ':payment.xrp', 'payment.xrp', 0, 'delivered', 1, 200, 42, now()
    FROM unnest(${column(ids)}::text[]) AS new (id)`
})

/** Messages to the database so far, each of them a round trip: the embedded server's socket has no address. */
const countRoundTrips = (): (() => number) => {
  const { write } = Socket.prototype
  let count = 0
  Socket.prototype.write = function (this: Socket, ...args: Parameters<Socket["write"]>) {
    if (this.remoteAddress === undefined) count++
    return write.apply(this, args)
    // It accepts whatever the original accepts: one function cannot have a type with several signatures.
  } as Socket["write"]
  return () => count
}

const requests = (
  client: Child,
  origin: string,
  paths: Requests["paths"],
  headers: Requests["headers"] = { "x-service-key": KEY }
) =>
  client
    .ask({ origin, paths, headers, count: REQUESTS, connections: CONNECTIONS } satisfies Requests)
    .pipe(Effect.asVoid, costOf(REQUESTS, [client.process.pid]))

/** The paths of consecutive pages, one for each connection. */
const pathsOfPages = (origin: string) =>
  Effect.promise(async () => {
    const paths = [FIRST_PAGE]
    while (paths.length < CONNECTIONS) {
      const response = await fetch(`${origin}${paths.at(-1)}`, { headers: { "x-service-key": KEY } })
      // The contract's.
      const { next_cursor } = (await response.json()) as { readonly next_cursor: string }
      paths.push(`${FIRST_PAGE}&cursor=${next_cursor}`)
    }
    return paths
  })

const measure = Effect.gen(function* () {
  yield* prepare
  const origin = HttpServer.formatAddress((yield* HttpServer.HttpServer).address)
  const client = yield* startChild("requestsProgram.ts")
  const paths = yield* pathsOfPages(origin)
  const roundTrips = countRoundTrips()
  return yield* inRounds(
    ROUNDS,
    Effect.fnUntraced(function* () {
      const bare = yield* requests(client, origin, ["/healthz"], {})
      const before = roundTrips()
      const pages = yield* requests(client, origin, paths)
      return { bare, pages, roundTrips: (roundTrips() - before) / REQUESTS }
    }),
    WARM_UPS
  )
}).pipe(
  Effect.scoped,
  Effect.provide(
    roles.pipe(
      Layer.provideMerge(storeLayer({ ROLES: "api", HOST: "127.0.0.1", PORT: "0", ADMIN_KEY: KEY })),
      // A service that sends no traces runs without a tracer, too.
      Layer.provide(Layer.succeed(References.TracerEnabled, false))
    )
  )
)

const benchmark: Benchmark = {
  description: `GET ${FIRST_PAGE} with a key, ${CONNECTIONS} connections, each for a page of its own`,
  target: `at least ${TARGET} of the rate of the same server's /healthz`,
  run: Effect.fnUntraced(function* (report) {
    const rounds = yield* measure
    const reported = { ratio: null, target: null } as const
    report({
      name: "api.deliveries",
      value: medianOf(rounds, ({ pages }) => pages.perSecond),
      unit: "requests/s",
      ratio: medianOf(rounds, ({ pages, bare }) => pages.perSecond / bare.perSecond),
      target: TARGET,
      better: "higher"
    })
    report({
      name: "api.deliveries.cpu",
      value: medianOf(rounds, ({ pages }) => pages.process),
      unit: "s/1,000 requests",
      ratio: medianOf(rounds, ({ pages, bare }) => pages.process / bare.process),
      target: null,
      better: "lower"
    })
    report({
      ...reported,
      name: "api.deliveries.cpu.database",
      value: medianOf(rounds, ({ pages }) => pages.database),
      unit: "s/1,000 requests",
      better: "lower"
    })
    report({
      ...reported,
      name: "api.roundtrips",
      value: medianOf(rounds, (round) => round.roundTrips),
      unit: "messages/request",
      better: "lower"
    })
    report({
      ...reported,
      name: "api.ceiling",
      value: medianOf(rounds, ({ bare }) => bare.perSecond),
      unit: "requests/s",
      better: "higher"
    })
  })
}

export default benchmark
