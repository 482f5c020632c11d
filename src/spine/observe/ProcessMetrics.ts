/** Metrics of the process itself: memory, CPU, how late its event loop is, and which version it runs. */
import { statfs } from "node:fs/promises"
import { hostname } from "node:os"
import { monitorEventLoopDelay, performance } from "node:perf_hooks"
import { getHeapStatistics } from "node:v8"
import { Effect, Layer } from "effect"
import { Limits } from "../config/Limits.ts"
import { EventLoopLag } from "./EventLoopLag.ts"
import type { ShownMetric } from "./MetricKinds.ts"
import { Metrics } from "./Metrics.ts"

/** How often the delay of the event loop is sampled. */
const SAMPLE_MS = 20

const NANOS_PER_SECOND = 1e9
const MICROS_PER_SECOND = 1e6
const PERCENTILE = 99

const every = (read: Effect.Effect<void>) =>
  Effect.forkScoped(Effect.forever(Effect.andThen(read, Effect.sleep(Limits.reportMs))))

/** The sampler measures the time between its timer's calls, so that time is subtracted. */
const showEventLoopDelay = Effect.gen(function* () {
  const sampler = yield* Effect.acquireRelease(
    Effect.sync(() => monitorEventLoopDelay({ resolution: SAMPLE_MS })),
    (one) => Effect.sync(() => one.disable())
  )
  sampler.enable()
  const lag = yield* EventLoopLag
  let delay = { p99: 0, max: 0 }
  const late = (nanos: number) => Math.max(0, nanos / NANOS_PER_SECOND - SAMPLE_MS / 1_000) || 0
  yield* every(
    Effect.sync(() => {
      delay = { p99: late(sampler.percentile(PERCENTILE)), max: late(sampler.max) }
      lag.meanMs = late(sampler.mean) * 1_000
      sampler.reset()
    })
  )
  yield* Metrics.eventLoopDelay.observe({}, () => delay.p99)
  yield* Metrics.eventLoopDelayMax.observe({}, () => delay.max)
})

const showDiskSpace = Effect.fnUntraced(function* (folder: string) {
  const unknown = { bavail: Number.NaN, blocks: Number.NaN, bsize: Number.NaN }
  let disk = unknown
  yield* every(
    Effect.promise(() => statfs(folder).catch(() => unknown)).pipe(
      Effect.map((found) => {
        disk = found
      })
    )
  )
  yield* Metrics.dataFree.observe({}, () => disk.bavail * disk.bsize)
  yield* Metrics.dataSize.observe({}, () => disk.blocks * disk.bsize)
})

export interface ProcessMetricsOptions {
  readonly version: string
  readonly roles: ReadonlyArray<string>
  /** The folder of the embedded PostgreSQL. Undefined: the process has none. */
  readonly dataDir: string | undefined
  /** Those of features included. */
  readonly metrics: ReadonlyArray<ShownMetric>
}

export const layer = ({ version, roles, dataDir, metrics }: ProcessMetricsOptions): Layer.Layer<never> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      // Counters that have only known label values are shown from the start, with 0.
      for (const metric of metrics) if (metric.begin !== undefined) yield* metric.begin
      yield* Metrics.buildInfo.observe(
        { version, node: process.versions.node, roles: roles.join(","), host: hostname() },
        () => 1
      )
      yield* Metrics.startTime.observe({}, () => performance.timeOrigin / 1_000)
      yield* Metrics.residentMemory.observe({}, () => process.memoryUsage.rss())
      yield* Metrics.heapUsed.observe({}, () => getHeapStatistics().used_heap_size)
      yield* Metrics.cpu.observe({}, () => {
        const { system, user } = process.cpuUsage()
        return (system + user) / MICROS_PER_SECOND
      })
      yield* showEventLoopDelay
      if (dataDir !== undefined) yield* showDiskSpace(dataDir)
    })
  )
