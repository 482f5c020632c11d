/** The metric of records that a group of consumers has not finished, over all partitions of its topics. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { TestClock } from "effect/testing"
import { Limits } from "../../src/config/Limits.ts"
import { EventLog } from "../../src/log/EventLog.ts"
import * as MemoryEventLog from "../../src/log/memory/MemoryEventLog.ts"
import { showRecordsBehind } from "../../src/log/RecordsBehind.ts"
import { settingsLayer } from "../support/settings.ts"

const shown = Effect.map(PrometheusMetrics.format(), (text) =>
  Object.fromEntries(
    Array.from(
      text.matchAll(/^ledgerhook_log_records_behind\{group="(\w+)"\} (\S+)$/gm),
      ([, group, value]) => [group, value]
    )
  )
)

describe("records behind", () => {
  it.effect("are what each group has not committed, read at an interval, and end with their reader", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const reader = yield* Effect.forkScoped(
        showRecordsBehind([
          { group: "deliver", topics: ["webhooks.deliveries", "webhooks.replays"] },
          { group: "route", topics: ["xrpl.testnet.events"] }
        ])
      )
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(yield* shown, { deliver: "0", route: "0" })

      const append = Array.from({ length: 50 }, (_, i) => ({
        topic: i % 5 === 0 ? "webhooks.replays" : "webhooks.deliveries",
        key: `wh_${i}`,
        value: "{}"
      }))
      const [first] = yield* log.transaction({ append })
      yield* log.transaction({
        append: [],
        commit: { group: "deliver", positions: [{ ...first!, offset: first!.offset + 1 }] }
      })
      assert.deepStrictEqual(yield* shown, { deliver: "0", route: "0" })
      yield* TestClock.adjust(Limits.metricsReadMs)
      assert.deepStrictEqual(yield* shown, { deliver: "49", route: "0" })

      reader.interruptUnsafe()
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(yield* shown, {})
    }).pipe(
      Effect.scoped,
      Effect.provide(MemoryEventLog.layer.pipe(Layer.provide(settingsLayer()))),
      Effect.provideService(Metric.MetricRegistry, new Map())
    )
  )
})
