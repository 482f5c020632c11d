/** Which statements record a batch of outcomes: deliveries with and without a row. */

import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { deliverLimits } from "../../../../src/spine/deliver/Limits.ts"
import { Recorder } from "../../../../src/spine/deliver/record/Recorder.ts"
import { DeliveryStore } from "../../../../src/spine/deliveries/DeliveryStore.ts"
import type { NewDelivery } from "../../../../src/spine/deliveries/Transitions.ts"
import { DisableWebhooks } from "../../../../src/spine/registry/DisableWebhooks.ts"
import * as MemoryLog from "../../../support/log/memory/MemoryLog.ts"
import { settingsLayer } from "../../../support/program/settings.ts"
import { delivered, work } from "../outcomes.ts"

it.effect("deliveries without a row are recorded apart, unless others of their webhook have one", () => {
  const statements: Array<string> = []
  const told = (name: string, ids: ReadonlyArray<string>) =>
    Effect.sync(() => void (ids.length > 0 && statements.push(`${name} ${ids.join(" ")}`)))
  const stores = Layer.mergeAll(
    Layer.mock(DeliveryStore)({
      recordFirst: (ended) =>
        Effect.as(
          told(
            "first",
            ended.map(({ attempt }) => attempt.deliveryId)
          ),
          []
        ),
      insertPending: (rows) =>
        Effect.as(
          told(
            "insert",
            rows.map(({ id }) => id)
          ),
          new Set()
        ),
      record: (attempts) =>
        Effect.as(
          told(
            "record",
            attempts.map(({ deliveryId }) => deliveryId)
          ),
          []
        )
    }),
    Layer.succeed(DisableWebhooks, () => Effect.succeed([]))
  )
  return Effect.gen(function* () {
    const recorder = yield* Recorder
    const offered = [
      ["a1", "wh_a", true],
      ["b1", "wh_b", true],
      ["a2", "wh_a", true],
      ["b2", "wh_b", false],
      ["b3", "wh_b", true]
    ] as const
    for (const [deliveryId, webhookId, isUnwritten] of offered) {
      const row: NewDelivery = {
        id: deliveryId,
        webhookId,
        accountId: "acct_1",
        network: "mainnet",
        eventId: "e",
        eventType: "payment.xrp",
        eventOffset: 0
      }
      const outcome = {
        attempt: { ...delivered, deliveryId },
        accountId: "acct_1",
        webhookId,
        work: { ...work, deliveryId, row: isUnwritten ? row : undefined }
      }
      recorder.record([outcome], () => undefined)
    }
    yield* TestClock.adjust(deliverLimits.recordEveryMs)
    assert.deepStrictEqual(statements, ["first a1 a2", "insert b1 b3", "record b1 b2 b3"])
  }).pipe(
    Effect.provide(
      Recorder.layer.pipe(
        Layer.provide(stores),
        Layer.provide(MemoryLog.layer),
        Layer.provide(settingsLayer())
      )
    )
  )
})
