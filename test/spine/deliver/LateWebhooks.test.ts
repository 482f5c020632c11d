/**
 * An actor may start before its process has read the webhooks: after a restart, when the log is slow or away. It must
 * not take a webhook that it does not know yet to be deleted.
 */
import { it } from "@effect/vitest"
import { Effect, Latch, Layer } from "effect"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { CONFIG_TOPIC } from "../../../src/spine/domain/Webhook.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import * as Telemetry from "../../../src/spine/observe/Telemetry.ts"
import {
  deliveringSettings,
  makeWebhook,
  queueWithRows,
  stagesLayer,
  startDelivering
} from "../../support/deliver/delivering.ts"
import { makeReceiver } from "../../support/deliver/receiver.ts"
import * as MemoryLog from "../../support/log/memory/MemoryLog.ts"
import { UsedDatabase } from "../../support/store/postgres.ts"
import { waitingFor } from "../../support/store/rows.ts"

it.live(
  "the backlog of a webhook is delivered although the actor starts before the webhooks are read",
  () => {
    const readable = Latch.makeUnsafe()
    let isDelivering = false
    const open = Effect.sync(() => void readable.openUnsafe())

    /** The webhooks can be read as soon as the actor waits for them. */
    const log = Layer.effect(
      Log,
      Effect.map(Log, (inner) =>
        Log.of({
          ...inner,
          read: (from, max) =>
            Effect.andThen(
              from.topic === CONFIG_TOPIC ? Latch.await(readable) : Effect.void,
              inner.read(from, max)
            ),
          offsets: (partition) =>
            Effect.andThen(
              Effect.suspend(() => (isDelivering && partition.topic === CONFIG_TOPIC ? open : Effect.void)),
              inner.offsets(partition)
            )
        })
      )
    )
    /** An actor that does not wait reads the work of the webhook before the webhook can be read. */
    const deliveries = Layer.effect(
      DeliveryStore,
      Effect.map(DeliveryStore, (store) =>
        DeliveryStore.of({ ...store, states: (ids) => Effect.tap(store.states(ids), open) })
      )
    ).pipe(Layer.provide(DeliveryStore.layer))

    return Effect.gen(function* () {
      const store = yield* DeliveryStore
      const receiver = yield* makeReceiver()
      const webhook = yield* makeWebhook(receiver.url)
      const ids = yield* queueWithRows(webhook, 3)
      yield* store.moveToBacklog(waitingFor(ids), "live")
      isDelivering = true
      yield* startDelivering
      yield* receiver.until(({ length }) => length === ids.length)
    }).pipe(
      Effect.scoped,
      Effect.provide(
        stagesLayer(deliveries).pipe(
          Layer.provideMerge(Layer.provide(log, MemoryLog.layer)),
          Layer.provideMerge(UsedDatabase),
          Layer.provideMerge(deliveringSettings()),
          Layer.provideMerge(Telemetry.layer(undefined))
        )
      )
    )
  }
)
