/**
 * Counts the deliveries that actors hold in memory, by watching the store. A delivery is held from the read of its
 * state or of its page until its attempt is recorded or it is spilled.
 */
import { Effect, Layer } from "effect"
import { DELIVERIES_TOPIC } from "../../src/domain/Delivery.ts"
import { partitionOf } from "../../src/log/Topics.ts"
import { DeliveryStore } from "../../src/storage/deliveries/DeliveryStore.ts"
import type { VirtualClock } from "./virtualClock.ts"

export interface Held {
  readonly store: Layer.Layer<DeliveryStore, never, DeliveryStore>
  /** For the simulation's own reads: an actor does not hold what they find. */
  readonly states: DeliveryStore["Service"]["states"]
  /** The most deliveries that one partition has held at once. */
  readonly most: () => number
  readonly wasSpilled: (deliveryId: string) => boolean
  /** Call it when the stage has ended: no delivery is in memory then. */
  readonly forget: () => void
}

export const makeHeld = (clock: VirtualClock, webhookOf: (deliveryId: string) => string): Held => {
  const held = new Map<number, Set<string>>()
  /** The deliveries of the backlog, which a page may contain. */
  const inRows = new Set<string>()
  const everSpilled = new Set<string>()
  let most = 0

  const partition = (id: string) => {
    const number = partitionOf(DELIVERIES_TOPIC, webhookOf(id))
    const ids = held.get(number) ?? new Set()
    held.set(number, ids)
    return ids
  }
  const take = (id: string) => {
    inRows.delete(id)
    const ids = partition(id).add(id)
    most = Math.max(most, ids.size)
  }
  const end = (id: string) => void partition(id).delete(id)

  let plain: DeliveryStore["Service"] | undefined
  const watched = (store: DeliveryStore["Service"]): DeliveryStore["Service"] => ({
    ...store,
    states: (ids) =>
      Effect.tap(clock.outside(store.states(ids)), (rows) =>
        Effect.sync(() => {
          for (const [id, { status, parked }] of rows)
            if (!parked && (status === "pending" || status === "retrying")) take(id)
        })
      ),
    record: (attempts, disableAfter) =>
      Effect.tap(clock.outside(store.record(attempts, disableAfter)), () =>
        Effect.sync(() => {
          for (const { deliveryId } of attempts) end(deliveryId)
        })
      ),
    spill: (ids, lane) =>
      Effect.tap(clock.outside(store.spill(ids, lane)), () =>
        Effect.sync(() => {
          for (const id of ids) {
            end(id)
            inRows.add(id)
            everSpilled.add(id)
          }
        })
      ),
    backlogPage: (...asked) =>
      Effect.tap(clock.outside(store.backlogPage(...asked)), (rows) =>
        Effect.sync(() => {
          for (const { id } of rows) if (inRows.has(id)) take(id)
        })
      ),
    webhooksWithBacklog: clock.outside(store.webhooksWithBacklog),
    fail: (...asked) => clock.outside(store.fail(...asked)),
    failBacklogOfDisabled: (...asked) => clock.outside(store.failBacklogOfDisabled(...asked))
  })

  return {
    store: Layer.effect(
      DeliveryStore,
      Effect.map(DeliveryStore, (store) => {
        plain = store
        return watched(store)
      })
    ),
    // The layer has been built before the simulation begins.
    states: (ids) => clock.outside(plain!.states(ids)),
    most: () => most,
    wasSpilled: (id) => everSpilled.has(id),
    forget: () => {
      for (const ids of held.values()) for (const id of ids) if (everSpilled.has(id)) inRows.add(id)
      held.clear()
    }
  }
}
