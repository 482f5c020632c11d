/**
 * A steady stream to one webhook whose receiver restarts meanwhile: nothing is missing. `EVENTS=100000` is the full
 * measure, a minute of 2,000 a second; by default it is a tenth.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { deliveringLayer, makeWebhook, queueEvents, startDelivering } from "../support/delivering.ts"

const EVENTS = Number(process.env["EVENTS"] ?? 10_000)
const PER_SECOND = 2_000
const BATCH = 500
const RESTARTS = 3
const DOWN_MS = 300

const makeRestarting = Effect.gen(function* () {
  const received = new Set<string>()
  const makeServer = () =>
    createServer((request, response) => {
      request.resume()
      request.on("end", () => {
        received.add(String(request.headers["x-service-delivery-id"]))
        response.writeHead(200).end()
      })
    })
  let server = makeServer()
  let port = 0
  const start = Effect.callback<void>((resume) => {
    server = makeServer()
    server.listen(port, "127.0.0.1", () => {
      // A server that listens on TCP has such an address.
      port = (server.address() as AddressInfo).port
      resume(Effect.void)
    })
  })
  /** As a process that is killed: connections are cut, and nobody listens. */
  const stop = Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })
  yield* Effect.acquireRelease(start, () => stop)
  return { received, url: `http://127.0.0.1:${port}/hook`, start, stop }
})

/** Waits until every delivery has ended; how long that takes is the machine's affair. */
const untilEnded = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const waiting = sql`SELECT 1 FROM deliveries WHERE status IN ('pending', 'retrying') LIMIT 1`
  while ((yield* waiting).length > 0) yield* Effect.sleep(100)
})

it.live(
  `${EVENTS} events, ${PER_SECOND} a second, reach a receiver that restarts ${RESTARTS} times`,
  () =>
    Effect.gen(function* () {
      const receiver = yield* makeRestarting
      const webhook = yield* makeWebhook(receiver.url)
      yield* startDelivering
      const ids: Array<string> = []
      const batches = EVENTS / BATCH
      const began = yield* Clock.currentTimeMillis
      const queueing = Effect.gen(function* () {
        for (let batch = 1; batch <= batches; batch++) {
          ids.push(...(yield* queueEvents(webhook, BATCH)))
          const dueAt = began + ((batch * BATCH) / PER_SECOND) * 1_000
          yield* Effect.sleep(Math.max(0, dueAt - (yield* Clock.currentTimeMillis)))
        }
      })
      const restarting = Effect.gen(function* () {
        for (let restart = 1; restart <= RESTARTS; restart++) {
          while (receiver.received.size < (EVENTS * restart) / (RESTARTS + 1)) yield* Effect.sleep(20)
          yield* receiver.stop
          yield* Effect.sleep(DOWN_MS)
          yield* receiver.start
        }
      })
      yield* Effect.all([queueing, restarting], { concurrency: "unbounded", discard: true })
      yield* untilEnded
      const sql = yield* SqlClient.SqlClient
      const [delivered] = yield* sql<{ readonly count: number }>`
        SELECT count(*)::int AS count FROM deliveries WHERE status = 'delivered'`
      assert.strictEqual(delivered?.count, EVENTS)
      assert.strictEqual(ids.filter((id) => !receiver.received.has(id)).length, 0)
    }).pipe(
      Effect.scoped,
      Effect.provide(deliveringLayer({ DELIVERY_RETRY_DELAYS: new Array(9).fill("500ms").join(",") }))
    ),
  600_000
)
