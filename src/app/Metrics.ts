/** Every metric: those of the spine and those of features, in the order of docs/operations.md. */
import type { ShownMetric } from "../spine/observe/MetricKinds.ts"
import { Metrics } from "../spine/observe/Metrics.ts"
import { inserted } from "../spine/words/Inserted.ts"
import { features } from "./features.ts"

const named = (metric: ShownMetric) => ({ name: metric.info.name, metric })

export const metrics = inserted(
  Object.values(Metrics).map(named),
  features.flatMap((feature) => feature.metrics.map(({ after, metric }) => ({ ...named(metric), after })))
).map(({ metric }) => metric)

export const metricsTable = metrics.map(({ info }) => info)
