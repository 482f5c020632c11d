/** The metrics follow Prometheus' conventions, as its own checker sees them, and showing all of them is cheap. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { metricsTable } from "../../src/observability/Metrics.ts"
import { fillAllMetrics } from "../support/allMetrics.ts"
import { hasPromtool, promtool } from "../support/promtool.ts"

/** The promise is that a scrape costs less, whatever the number of webhooks: no series depends on it. */
const SCRAPE_MS = 5
const SCRAPES = 200

const format = PrometheusMetrics.format()

describe.skipIf(!hasPromtool)("all metrics (promtool)", () => {
  it.effect("pass `promtool check metrics`", () =>
    Effect.gen(function* () {
      yield* Effect.scoped(fillAllMetrics.pipe(Effect.andThen(format))).pipe(
        Effect.map((text) => {
          const families = Array.from(text.matchAll(/^# TYPE (\S+) /gm), ([, name]) => name!)
          assert.sameMembers(
            families,
            metricsTable.map(({ name }) => name)
          )
          assert.deepStrictEqual(promtool(["check", "metrics"], text), { status: 0, text: "" })
        })
      )
      const wrong = promtool(["check", "metrics"], "# HELP a_ms x\n# TYPE a_ms counter\na_ms 1\n")
      assert.notStrictEqual(wrong.status, 0)
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})

describe("/metrics", () => {
  it.live("costs less than 5 ms with every series that can exist", () =>
    Effect.gen(function* () {
      yield* fillAllMetrics
      const times: Array<number> = []
      for (let i = 0; i < SCRAPES; i++) {
        const startedAt = performance.now()
        yield* format
        times.push(performance.now() - startedAt)
      }
      const median = times.sort((a, b) => a - b)[SCRAPES / 2]!
      assert.isBelow(median, SCRAPE_MS)
    }).pipe(Effect.scoped, Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})
