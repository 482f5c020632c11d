/** Which deliveries wait in the log: exactly, unless more work is unfinished than one read returns. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { type WantedDelivery, waitingInLog } from "../../../src/features/progress/WorkInLog.ts"
import { Limits } from "../../../src/spine/config/Limits.ts"
import { DELIVERIES_TOPIC, newWork } from "../../../src/spine/domain/Delivery.ts"
import { eventsTopic } from "../../../src/spine/event/LedgerEvent.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { partitionOf } from "../../../src/spine/log/Topics.ts"
import { randomId } from "../../../src/spine/words/Ids.ts"
import { eventOf } from "../../support/deliver/events.ts"
import * as MemoryLog from "../../support/log/memory/MemoryLog.ts"
import { settingsLayer } from "../../support/program/settings.ts"

const webhookId = randomId("wh_", 1)
const partition = { topic: DELIVERIES_TOPIC, partition: partitionOf(DELIVERIES_TOPIC, webhookId) }
const event = eventOf({})
const wanted = (n: number): WantedDelivery => ({ id: randomId("dlv_", n), webhookId, eventOffset: 5 })
const log = Layer.fresh(MemoryLog.layer).pipe(Layer.provide(settingsLayer()))

const commit = (
  group: string,
  position: { readonly topic: string; readonly partition: number },
  offset: number
) =>
  Effect.flatMap(Log, ({ transaction }) =>
    transaction({ append: [], commit: { group, positions: [{ ...position, offset }] } })
  )
const routeTo = (offset: number) => commit("route", { topic: eventsTopic("mainnet"), partition: 0 }, offset)
const queue = (deliveries: ReadonlyArray<WantedDelivery>) =>
  Effect.flatMap(Log, ({ transaction }) =>
    transaction({
      append: deliveries.map(({ id }) => ({
        topic: DELIVERIES_TOPIC,
        key: webhookId,
        value: JSON.stringify(newWork(id, webhookId, event))
      }))
    })
  )
const waiting = (deliveries: ReadonlyArray<WantedDelivery>) =>
  Effect.flatMap(Log, (reader) => waitingInLog(reader, "mainnet", deliveries))

layer(log)("a delivery without a row", (it) => {
  it.effect("waits in the log until its event is routed and its work is finished", () =>
    Effect.gen(function* () {
      const [queued, other, unwanted] = [wanted(1), wanted(2), wanted(3)]
      assert.deepStrictEqual(yield* waiting([queued]), new Set([queued.id]))
      yield* routeTo(5)
      assert.deepStrictEqual(yield* waiting([queued]), new Set([queued.id]))
      yield* queue([queued, other])
      yield* routeTo(6)
      // The webhook had other settings when the third one's event was routed.
      assert.deepStrictEqual(yield* waiting([queued, other, unwanted]), new Set([queued.id, other.id]))
      yield* commit("deliver", partition, 1)
      assert.deepStrictEqual(yield* waiting([queued, other, unwanted]), new Set([other.id]))
      yield* commit("deliver", partition, 2)
      assert.deepStrictEqual(yield* waiting([queued, other, unwanted]), new Set())

      yield* queue(Array.from({ length: Limits.logReadRecords }, (_, i) => wanted(10 + i)))
      assert.deepStrictEqual(yield* waiting([unwanted]), new Set())
      yield* queue([wanted(4)])
      assert.deepStrictEqual(yield* waiting([unwanted]), new Set([unwanted.id]))
    })
  )
})
