/** Shared parts of the simulations of deliver, and the checks that every simulation makes. */

import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { stageLimits } from "../../../src/spine/config/StageLimits.ts"
import { Recorder } from "../../../src/spine/deliver/record/Recorder.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { Partitions } from "../../../src/spine/deliveries/Partitions.ts"
import { DELIVERIES_TOPIC } from "../../../src/spine/domain/Delivery.ts"
import type { Batch } from "../../../src/spine/event/Batch.ts"
import { partitionOf } from "../../../src/spine/log/Topics.ts"
import * as Telemetry from "../../../src/spine/observe/Telemetry.ts"
import { AccountHolds } from "../../../src/spine/registry/AccountHolds.ts"
import { DisableWebhooks } from "../../../src/spine/registry/DisableWebhooks.ts"
import { WebhookRegistry } from "../../../src/spine/registry/WebhookRegistry.ts"
import { Outbox } from "../../../src/spine/store/outbox/Outbox.ts"
import { SecretBox } from "../../../src/spine/store/secrets/SecretBox.ts"
import * as MemoryLog from "../../support/log/memory/MemoryLog.ts"
import { settingsLayer } from "../../support/program/settings.ts"
import { type AllStages, limitsLayer } from "./limits.ts"
import { DEADLINE_MS, FAST_MS, type Receiver, type Receivers } from "./receivers.ts"
import type { VirtualClock } from "./virtualClock.ts"
import type { WatchedStore } from "./watchedStore.ts"

export const BEGAN_MS = Date.parse("2026-11-21T09:30:00.000Z")
/**
 * Allowed delay. Pages and outcomes of other lanes share the database with a webhook's own records, and the feed may
 * wait for another lane.
 */
const DELAYED_BY_OTHERS_MS = 500 + stageLimits.feedWaitMs

export interface Machinery {
  readonly clock: VirtualClock
  readonly receivers: Receivers
  readonly store: WatchedStore
}

/** A webhook id whose work is in that partition, so that several webhooks share an actor. */
export const webhookId = (name: string, partition: number): string => {
  for (let i = 0; ; i++) {
    const id = `wh_${`${name}N${i}`.padStart(26, "0")}`
    if (partitionOf(DELIVERIES_TOPIC, id) === partition) return id
  }
}

/** The program's services. Only time, limits, receivers and the watch on the store are simulated. */
export const layerOf = ({ clock, receivers, store }: Machinery, limits: AllStages) =>
  Recorder.layer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        WebhookRegistry.layer,
        DisableWebhooks.layer,
        Layer.provide(store.layer, DeliveryStore.layer),
        Partitions.layer,
        receivers.sender,
        Layer.succeed(AccountHolds)({ get: () => undefined, subscribe: () => () => undefined })
      )
    ),
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.effect(
          Outbox,
          Effect.map(Outbox, (outbox) => ({ ...outbox, headId: clock.outside(outbox.headId) }))
        ).pipe(Layer.provide(Outbox.layer)),
        SecretBox.layer,
        MemoryLog.layer
      )
    ),
    Layer.provideMerge(
      settingsLayer({
        DELIVERY_RETRY_DELAYS: "200ms,400ms,600ms,1s,1s,1s,2s,2s,2s",
        DELIVERY_TIMEOUT: `${DEADLINE_MS}ms`,
        DELIVERY_JITTER: "0",
        DISABLE_AFTER_FAILURES: "1000000"
      })
    ),
    // No tracing, as in a program without an endpoint for traces.
    Layer.provideMerge(Telemetry.layer(undefined)),
    Layer.provideMerge(limitsLayer(limits))
  )

/** Checks that a fast receiver is as fast as if it were alone: its deliveries wait for little but its own window. */
export const assertUnhurt = ({
  receiver: { requests },
  maxInFlight,
  queued,
  batch
}: {
  readonly receiver: Receiver
  readonly maxInFlight: number
  /** Deliveries in ledger order, and when each was queued. */
  readonly queued: ReadonlyMap<string, number>
  readonly batch?: Batch | undefined
}) => {
  // Without the wait, a batch is never later than single deliveries would be.
  const allowedMs = DELAYED_BY_OTHERS_MS + (batch?.max_wait_ms ?? 0)
  const alone: Array<number> = []
  for (const [i, queuedMs] of [...queued.values()].entries()) {
    alone.push(Math.max(queuedMs, (alone[i - maxInFlight] ?? 0) + FAST_MS))
    const sentMs = requests[i]?.atMs
    assert.isAtMost((sentMs ?? Number.POSITIVE_INFINITY) - alone[i]!, allowedMs, "others delay nobody")
  }
}
