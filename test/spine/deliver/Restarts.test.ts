/**
 * A stream of deliveries to a receiver that restarts meanwhile: no event is lost. `EVENTS=100000` runs more of it with
 * the program's memory; the default is ten times what a tenth of the memory holds.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { DeliverLimits, deliverLimits } from "../../../src/spine/deliver/Limits.ts"
import { delayTopic } from "../../../src/spine/domain/Delivery.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { partitionOf } from "../../../src/spine/log/Topics.ts"
import {
  deliveringLayer,
  makeWebhook,
  queueEvents,
  queueWithRows,
  startDelivering,
  tenthOfMemory
} from "../../support/deliver/delivering.ts"
import { waitUntil } from "../../support/http/apiClient.ts"

const EVENTS = Number(process.env["EVENTS"] ?? 10 * tenthOfMemory.partitionDeliveries)
const LIMITS = process.env["EVENTS"] === undefined ? tenthOfMemory : deliverLimits
const BATCH = LIMITS.partitionDeliveries / 4
/** How many deliveries are queued ahead: enough that work is always there, and few enough to queue until the end. */
const WAITING_MAX = 4 * BATCH
const RESTARTS = 3

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
      // A server that listens on TCP has an address with a port.
      port = (server.address() as AddressInfo).port
      resume(Effect.void)
    })
  })
  /** Stops the receiver like a killed process: connections are cut, and nothing listens. */
  const stop = Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })
  yield* Effect.acquireRelease(start, () => stop)
  return { received, url: `http://127.0.0.1:${port}/hook`, start, stop }
})

const PATIENCE = "120 seconds"

const countOf = (statuses: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly count: number }>`
      SELECT count(*)::int AS count FROM deliveries WHERE ${sql.in("status", statuses)}`
    return row!.count
  })

it.live(
  `${EVENTS} events in a steady stream reach a receiver that restarts ${RESTARTS} times`,
  () =>
    Effect.gen(function* () {
      const receiver = yield* makeRestarting
      const webhook = yield* makeWebhook(receiver.url)
      yield* startDelivering
      const ids: Array<string> = []
      const receivedAll = (count: number) =>
        waitUntil(
          Effect.sync(() => receiver.received.size >= count),
          PATIENCE
        )
      const queueing = Effect.gen(function* () {
        while (ids.length < EVENTS) {
          ids.push(...(yield* queueEvents(webhook, BATCH)))
          yield* receivedAll(ids.length - WAITING_MAX)
        }
      })
      const restarting = Effect.gen(function* () {
        for (let restart = 1; restart <= RESTARTS; restart++) {
          yield* receivedAll((EVENTS * restart) / (RESTARTS + 1))
          yield* receiver.stop
          // A delivery has failed, so its event will not arrive.
          yield* waitUntil(
            Effect.map(countOf(["retrying"]), (count) => count > 0),
            PATIENCE
          )
          yield* receiver.start
        }
      })
      yield* Effect.all([queueing, restarting], { concurrency: "unbounded", discard: true })
      // Deliveries that have just been queued have no rows yet, so those that have ended are counted.
      yield* waitUntil(
        Effect.map(countOf(["delivered", "failed"]), (count) => count === EVENTS),
        PATIENCE
      )
      assert.strictEqual(yield* countOf(["delivered"]), EVENTS)
      assert.strictEqual(ids.filter((id) => !receiver.received.has(id)).length, 0)
    }).pipe(
      Effect.scoped,
      Effect.provide(deliveringLayer({ DELIVERY_RETRY_DELAYS: new Array(9).fill("500ms").join(",") })),
      Effect.provideService(DeliverLimits, LIMITS)
    ),
  600_000
)

it.live(
  "a retry that a crash kept from the log waits for its delay, also if its process's clock was ahead",
  () =>
    Effect.gen(function* () {
      const receiver = yield* makeRestarting
      const ids = yield* queueWithRows(yield* makeWebhook(receiver.url), 1)
      const sql = yield* SqlClient.SqlClient
      yield* sql`
      UPDATE deliveries SET status = 'retrying', attempts = 1, updated_at = now() + interval '1 hour',
        next_attempt_at = now() + interval '1 hour 10 milliseconds'`
      yield* startDelivering
      yield* waitUntil(
        Effect.sync(() => receiver.received.has(ids[0]!)),
        "20 seconds"
      )
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
)

it.live("a retry that a crash kept from the log waits for its whole delay", () =>
  Effect.gen(function* () {
    const receiver = yield* makeRestarting
    const webhook = yield* makeWebhook(receiver.url)
    yield* queueWithRows(webhook, 1)
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      UPDATE deliveries SET status = 'retrying', attempts = 1, updated_at = now(),
        next_attempt_at = now() + interval '1 hour'`
    yield* startDelivering
    const log = yield* Log
    const topics = [2, 3, 4, 5, 6, 7, 8, 9, 10].map(delayTopic)
    const waiting = Effect.map(
      Effect.forEach(topics, (topic) =>
        log.read({ topic, partition: partitionOf(topic, webhook), offset: 0 }, 10)
      ),
      (records) => records.flat()
    )
    yield* waitUntil(
      Effect.map(waiting, ({ length }) => length === 1),
      "20 seconds"
    )
    const [record] = yield* waiting
    const waitMs = JSON.parse(record!.value!).due_at - record!.timestamp
    assert.isAbove(waitMs, 3_500_000)
    assert.isAtMost(waitMs, 3_600_000)
  }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
)
