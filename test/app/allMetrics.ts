/** Fills every metric of the program, with every combination of the label values that it can have. */
import { Effect } from "effect"
import { metrics } from "../../src/app/Metrics.ts"

/** Values of labels whose values are not in the table. */
const examples: Readonly<Record<string, ReadonlyArray<string>>> = {
  network: ["mainnet", "testnet", "devnet"],
  method: ["GET", "POST", "PATCH", "DELETE"],
  route: Array.from({ length: 30 }, (_, i) => `/v1/resources${i}/:id`),
  status: ["200", "400", "401", "404", "429"],
  reason: ["disconnected", "rate_limited"],
  version: ["1.0.0"],
  node: ["24.0.0"],
  part: ["database", "log", "ledger.mainnet", "registry", "mail", "keys", "clock", "disk"],
  roles: ["api,deliver"],
  host: ["a"]
}

type Labels = Readonly<Record<string, string>>

const combinations = (labels: Readonly<Record<string, ReadonlyArray<string> | string>>) =>
  Object.entries(labels).reduce<ReadonlyArray<Labels>>(
    (before, [name, values]) =>
      before.flatMap((one) =>
        (typeof values === "string" ? examples[name]! : values).map((value) => ({ ...one, [name]: value }))
      ),
    [{}]
  )

interface AnyMetric {
  readonly add?: (labels: Labels, by: number) => Effect.Effect<void>
  readonly observe?: (labels: Labels, read: () => number) => Effect.Effect<void>
  readonly record?: (labels: Labels, values: ReadonlyArray<number>) => Effect.Effect<void>
}

export const fillAllMetrics = Effect.gen(function* () {
  for (const metric of metrics) {
    // The labels come from the metric itself.
    const { add, observe, record } = metric as unknown as AnyMetric
    for (const labels of combinations(metric.info.labels)) {
      if (add !== undefined) yield* add(labels, 1)
      else if (record !== undefined) yield* record(labels, [0.003, 0.7, 100])
      else if (observe !== undefined) yield* observe(labels, () => 7)
    }
  }
})
