/**
 * The kinds of metric: counters, gauges and histograms with labels. Each feeds `/metrics` and OTLP alike. A label has
 * few values and is never an id, so the number of series is bounded. `observe` shows a number that is read when
 * somebody asks for it: the function must return at once and must not use the database.
 */
import { Effect, Metric, type Scope } from "effect"

/** All values of a label, or what its values are. */
type LabelSpec = Readonly<Record<string, ReadonlyArray<string> | string>>

type LabelsOf<L extends LabelSpec> = {
  readonly [K in keyof L]: L[K] extends ReadonlyArray<infer V> ? V : string
}

/** What the table in docs/operations.md shows of a metric. */
export interface MetricInfo {
  readonly name: string
  readonly type: "counter" | "gauge" | "histogram"
  readonly description: string
  readonly labels: LabelSpec
}

/** A metric as documents and the start of a process see it. */
export interface ShownMetric {
  readonly info: MetricInfo
  /** Shows every series of a counter with 0. Absent: not all label values are known beforehand. */
  readonly begin?: Effect.Effect<void>
}

const NO_LABELS = {} as const

/** The metric of each combination of label values. It is made once: its key in the registry is then made once too. */
const makeSeries = <L extends LabelSpec, M>(
  spec: L,
  make: (labels: Readonly<Record<string, string>>) => M
) => {
  const names = Object.keys(spec)
  const known = new Map<string, M>()
  return (its: LabelsOf<L>): M => {
    // TypeScript does not see that every value of the mapped type is a string.
    const labels = its as Readonly<Record<string, string>>
    const key = names.map((name) => labels[name]).join("\n")
    const found = known.get(key)
    if (found !== undefined) return found
    const made = make(labels)
    known.set(key, made)
    return made
  }
}

/** Every combination of label values. Empty if the values of one label are not known beforehand. */
const combinations = (spec: LabelSpec): ReadonlyArray<Readonly<Record<string, string>>> =>
  Object.entries(spec).reduce<ReadonlyArray<Readonly<Record<string, string>>>>(
    (before, [name, values]) =>
      typeof values === "string"
        ? []
        : before.flatMap((labels) => values.map((value) => ({ ...labels, [name]: value }))),
    [{}]
  )

const observed = <Input, State>(
  metric: Metric.Metric<Input, State>,
  get: () => State
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.contextWith((context) =>
        Effect.sync(() => Metric.registerUnsafe(metric, context, { get, update: () => {}, modify: () => {} }))
      ),
      (registration) => Effect.sync(() => registration.remove())
    )
  )

export const counter = <const L extends LabelSpec = typeof NO_LABELS>(
  name: string,
  description: string,
  labels: L = NO_LABELS as L
) => {
  const series = makeSeries(labels, (attributes) =>
    Metric.counter(name, { description, incremental: true, bigint: false, attributes })
  )
  const info: MetricInfo = { name, type: "counter", description, labels }
  return {
    info,
    add: (its: LabelsOf<L>, by: number): Effect.Effect<void> => Metric.update(series(its), by),
    observe: (its: LabelsOf<L>, read: () => number) =>
      observed(series(its), () => ({ count: read(), incremental: true })),
    /** Shows every series with 0 from the start: otherwise its first count would not be seen as an increase. */
    begin: Effect.forEach(
      combinations(labels),
      // The combinations have the values of the type.
      (its) => Metric.update(series(its as LabelsOf<L>), 0),
      { discard: true }
    )
  }
}

export const gauge = <const L extends LabelSpec = typeof NO_LABELS>(
  name: string,
  description: string,
  labels: L = NO_LABELS as L
) => {
  const series = makeSeries(labels, (attributes) =>
    Metric.gauge(name, { description, bigint: false, attributes })
  )
  const info: MetricInfo = { name, type: "gauge", description, labels }
  return {
    info,
    /** NaN means that there is no value now. */
    observe: (its: LabelsOf<L>, read: () => number) => observed(series(its), () => ({ value: read() }))
  }
}

export const histogram = <const L extends LabelSpec = typeof NO_LABELS>(
  name: string,
  description: string,
  boundaries: ReadonlyArray<number>,
  labels: L = NO_LABELS as L
) => {
  const series = makeSeries(labels, (attributes) =>
    Metric.histogram(name, { description, boundaries, attributes })
  )
  const info: MetricInfo = { name, type: "histogram", description, labels }
  return {
    info,
    /** What was recorded in this process so far: how many values, and their sum. */
    total: (its: LabelsOf<L>): Effect.Effect<{ readonly count: number; readonly sum: number }> =>
      Metric.value(series(its)),
    record: (its: LabelsOf<L>, values: ReadonlyArray<number>): Effect.Effect<void> =>
      Effect.contextWith((context) =>
        Effect.sync(() => {
          const one = series(its)
          for (const value of values) one.updateUnsafe(value, context)
        })
      )
  }
}
