/** The metrics follow Prometheus' conventions, as its own checker sees them, and showing all of them is cheap. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { metricsTable } from "../../src/app/Metrics.ts"
import { hasPromtool, promtool } from "../support/servers/promtool.ts"
import { fillAllMetrics } from "./allMetrics.ts"

/** Lines of a scrape with every series that can exist. Writing them takes a few milliseconds. */
const MOST_LINES = 2_000

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
  it.effect("has a bounded number of lines, however many webhooks there are", () =>
    Effect.gen(function* () {
      yield* fillAllMetrics
      assert.isAtMost((yield* format).split("\n").length, MOST_LINES)
    }).pipe(Effect.scoped, Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})
