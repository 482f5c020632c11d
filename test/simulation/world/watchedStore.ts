/**
 * The delivery store of a simulation with a virtual clock: its statements take no virtual time. It notes which
 * deliveries were read from the backlog. How many deliveries actors hold in memory is not to be seen from here:
 * test/spine/deliver/queue/laneWalks.ts checks that.
 */
import { Effect, Layer } from "effect"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import type { VirtualClock } from "./virtualClock.ts"

export interface WatchedStore {
  readonly layer: Layer.Layer<DeliveryStore, never, DeliveryStore>
  /** For the simulation's own reads. */
  readonly states: DeliveryStore["Service"]["states"]
  readonly wasPaged: (deliveryId: string) => boolean
}

export const makeWatchedStore = (clock: VirtualClock): WatchedStore => {
  const paged = new Set<string>()
  let plain: DeliveryStore["Service"] | undefined
  const watched = (store: DeliveryStore["Service"]): DeliveryStore["Service"] => ({
    ...store,
    states: (...asked) => clock.outside(store.states(...asked)),
    insertPending: (...asked) => clock.outside(store.insertPending(...asked)),
    record: (...asked) => clock.outside(store.record(...asked)),
    recordFirst: (...asked) => clock.outside(store.recordFirst(...asked)),
    moveToBacklog: (...asked) => clock.outside(store.moveToBacklog(...asked)),
    backlogPage: (...asked) =>
      Effect.tap(clock.outside(store.backlogPage(...asked)), (rows) =>
        Effect.sync(() => {
          for (const { id } of rows) paged.add(id)
        })
      ),
    webhooksWithBacklog: clock.outside(store.webhooksWithBacklog),
    fail: (...asked) => clock.outside(store.fail(...asked)),
    failUnwritten: (...asked) => clock.outside(store.failUnwritten(...asked)),
    failBacklogOf: (...asked) => clock.outside(store.failBacklogOf(...asked))
  })

  return {
    layer: Layer.effect(
      DeliveryStore,
      Effect.map(DeliveryStore, (store) => {
        plain = store
        return watched(store)
      })
    ),
    // The layer has been built before the simulation begins.
    states: (ids) => clock.outside(plain!.states(ids)),
    wasPaged: (id) => paged.has(id)
  }
}
