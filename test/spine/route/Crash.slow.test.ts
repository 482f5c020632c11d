/**
 * Route dies before any of its transactions, while it routes events that more webhooks want than fit a transaction. Nothing
 * may be lost, each webhook keeps its order, and no more work may be appended again than docs/stages.md says.
 */

import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { eventsTopic } from "../../../src/spine/event/LedgerEvent.ts"
import * as EmbeddedLog from "../../../src/spine/log/embedded/EmbeddedLog.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import * as Telemetry from "../../../src/spine/observe/Telemetry.ts"
import { RouteLimits, routeLimits } from "../../../src/spine/route/Limits.ts"
import { route } from "../../../src/spine/route/Route.ts"
import { deliveryId } from "../../../src/spine/words/Ids.ts"
import {
  deliveringSettings,
  eventually,
  makeWebhook,
  stagesLayer,
  startDelivering,
  untilAll
} from "../../support/deliver/delivering.ts"
import { eventOf, recordOf } from "../../support/deliver/events.ts"
import { makeReceiver } from "../../support/deliver/receiver.ts"
import { queuedFor, routeAfter } from "../../support/deliver/routing.ts"
import * as MemoryLog from "../../support/log/memory/MemoryLog.ts"
import { TestDatabase } from "../../support/store/postgres.ts"

const EVENTS = { topic: eventsTopic("mainnet"), partition: 0 }
const WEBHOOKS = 5
/** Two events in parts of two deliveries: a transaction of the log that leaves them for later, and five parts. */
const events = [0, 1].map((position) => eventOf({ position }))
const limits = { ...routeLimits, routeBatchDeliveries: 2, routePartDeliveries: 2 }
const TRANSACTIONS = 6

const idOf = (webhookId: string, { detected_at, event_id, position }: (typeof events)[number]) =>
  deliveryId(detected_at, position, webhookId, event_id)

/** Delivery ids of the webhook's work, in the log's order. */
const worksOf = (webhookId: string) =>
  Effect.map(queuedFor(webhookId), (works) => works.map(({ delivery_id }) => delivery_id))

/** Route hangs for ever before its transaction number `at`; `reached` ends then. */
const routeUntil = Effect.fnUntraced(function* (at: number) {
  const reached = yield* Deferred.make<void>()
  let transactions = 0
  const routing = yield* routeAfter(() =>
    Effect.suspend(() =>
      ++transactions < at ? Effect.void : Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
    )
  ).pipe(Effect.forkScoped)
  return { routing, reached: Deferred.await(reached) }
})

const committed = Effect.flatMap(Log, (log) => log.committed("route", EVENTS))
const appendEvents = Effect.flatMap(Log, (log) => log.transaction({ append: events.map(recordOf) }))

/** `isLive`: the events come while route runs. Otherwise they are in the log when it starts. */
const crashAt = Effect.fnUntraced(function* (
  at: number,
  isLive: boolean,
  logLayer: typeof EmbeddedLog.layer | typeof MemoryLog.layer
) {
  const base = yield* Layer.build(
    TestDatabase.pipe(
      Layer.provideMerge(deliveringSettings()),
      Layer.provideMerge(Telemetry.layer(undefined))
    )
  )
  /** A process: the embedded log is opened anew, the memory log is the same one. */
  const memory = yield* Layer.build(MemoryLog.layer.pipe(Layer.provide(deliveringSettings())))
  const opened =
    logLayer === EmbeddedLog.layer ? EmbeddedLog.layer : Layer.succeed(Log, Context.get(memory, Log))
  const inProcess = <A, E, R>(self: Effect.Effect<A, E, R>) =>
    Effect.provide(self, Layer.fresh(stagesLayer().pipe(Layer.provideMerge(opened)))).pipe(
      Effect.scoped,
      Effect.provideContext(base)
    )
  const receiver = yield* makeReceiver()

  const { maybeRepeated, webhooks } = yield* inProcess(
    Effect.gen(function* () {
      const webhooks = yield* Effect.forEach(Array.from({ length: WEBHOOKS }), () =>
        makeWebhook(receiver.url)
      )
      if (!isLive) yield* appendEvents
      const { routing, reached } = yield* routeUntil(at)
      if (isLive) yield* appendEvents
      yield* reached
      yield* Fiber.interrupt(routing)
      const first = yield* committed
      const open = new Set(
        events.slice(first).flatMap((event) => webhooks.map((webhookId) => idOf(webhookId, event)))
      )
      const works = (yield* Effect.forEach(webhooks, worksOf)).flat()
      return { webhooks, maybeRepeated: works.filter((id) => open.has(id)).length }
    })
  )

  yield* inProcess(
    Effect.gen(function* () {
      yield* Effect.forkScoped(route(["mainnet"]))
      yield* startDelivering
      yield* eventually(Effect.map(committed, (offset) => assert.strictEqual(offset, events.length)))
      let repeated = 0
      for (const webhookId of webhooks) {
        const works = yield* worksOf(webhookId)
        const once = events.map((event) => idOf(webhookId, event))
        assert.deepStrictEqual([...new Set(works)], once)
        repeated += works.length - once.length
      }
      assert.isAtMost(repeated, maybeRepeated, "work of committed events was appended again")
      const all = webhooks.flatMap((webhookId) => events.map((event) => idOf(webhookId, event)))
      yield* untilAll(all, "delivered")
      assert.deepStrictEqual(receiver.received.map(({ deliveryId }) => deliveryId).sort(), [...all].sort())
      const sql = yield* SqlClient.SqlClient
      const [used] = yield* sql`SELECT sum(deliveries)::int AS attempts FROM delivery_usage`
      assert.deepStrictEqual(used, { attempts: all.length })
    })
  )
})

describe.each([
  { log: "the memory log", layer: MemoryLog.layer },
  { log: "the embedded log", layer: EmbeddedLog.layer }
])("on $log, route that dies while it routes an event in parts", ({ layer }) => {
  for (const isLive of [false, true])
    it.live(
      `loses nothing, and deliver drops repeated work (${isLive ? "new" : "waiting"} events)`,
      () =>
        Effect.gen(function* () {
          for (let at = 1; at <= TRANSACTIONS; at++) yield* Effect.scoped(crashAt(at, isLive, layer))
        }).pipe(Effect.provideService(RouteLimits, limits)),
      240_000
    )
})
