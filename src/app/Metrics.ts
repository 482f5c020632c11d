/** Every metric, in the order of docs/operations.md: those of the spine, of the API, and of features. */
import { ApiMetrics } from "../http/Metrics.ts"
import type { ShownMetric } from "../spine/observe/MetricKinds.ts"
import { Metrics } from "../spine/observe/Metrics.ts"
import { features } from "./features.ts"

export const metrics: ReadonlyArray<ShownMetric> = [
  ...Object.values(Metrics),
  ...Object.values(ApiMetrics),
  ...features.flatMap((feature) => feature.metrics)
]

export const metricsTable = metrics.map(({ info }) => info)
