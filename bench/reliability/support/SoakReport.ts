/** The table and the charts of a soak. */
import type { Chart } from "./LinePlot.ts"
import { afterWarmUp, type Sample, slopeOf } from "./Slope.ts"

type Series = ReadonlyMap<string, ReadonlyArray<Sample>>

/** Tables that keep each event or delivery for days (docs/stages.md). They grow with the load, and must. */
const KEPT =
  /^table (?:deliveries|attempts|events|event_accounts|event_hours|log_\w+|delivery_totals|delivery_type_totals|key_usage|delivery_usage\w*): |^Kafka/

/** Tables that never have as much are left out, and logs are small. */
const LEAST: Readonly<Record<string, number>> = { rows: 100, MiB: 0.5 }

const unitOf = (name: string): string => / (\S+)$/.exec(name)?.[1] ?? ""

/** Receivers count for themselves. PostgreSQL's counts of rows begin again when it is stopped immediately. */
const counts = "deliveries seen by receivers"

export interface Line {
  readonly name: string
  readonly first: number
  readonly last: number
  readonly perHour: number
  readonly says: string
}

/** A kept table is flat if it takes as many bytes for each delivery at the end as after the warm-up. */
const perDelivery = (samples: ReadonlyArray<Sample>, series: Series): string => {
  const deliveries = series.get(counts) ?? []
  const at = (minute: number) =>
    deliveries.findLast((one) => one.minute <= minute + 0.01)?.value ?? Number.NaN
  const half = samples[Math.floor(samples.length / 2)]
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || half === undefined || last === undefined) return "too few samples"
  const rate = (from: Sample, to: Sample) => (to.value - from.value) / (at(to.minute) - at(from.minute))
  const [early, late] = [rate(first, half), rate(half, last)].map((value) => value * 2 ** 20)
  return `grows with the deliveries: ${early?.toFixed(0)} bytes each in the first half, ${late?.toFixed(0)} in the second`
}

const mostOf = (samples: ReadonlyArray<Sample>) => Math.max(...samples.map(({ value }) => value))

const linesOf = (series: Series): ReadonlyArray<Line> =>
  [...series]
    .filter(([name, samples]) => !name.startsWith("table") || mostOf(samples) >= (LEAST[unitOf(name)] ?? 0))
    .map(([name, all]) => {
      const samples = afterWarmUp(all)
      const { perHour, verdict } = slopeOf(all)
      const says =
        name === counts
          ? "the load"
          : name.includes("log") && mostOf(all) < (LEAST[unitOf(name)] ?? 0)
            ? "small"
            : verdict !== "growing" || !KEPT.test(name)
              ? verdict
              : name.endsWith("MiB")
                ? perDelivery(samples, series)
                : "grows with the deliveries"
      return { name, first: samples[0]?.value ?? 0, last: samples.at(-1)?.value ?? 0, perHour, says }
    })
    .sort((a, b) => a.name.localeCompare(b.name))

const figure = (value: number): string =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en-US") : value.toFixed(2)

/** JSON: one object for the summary, then one for each series. */
export const lines = (summary: object, series: Series, asJson: boolean): ReadonlyArray<string> => {
  const found = linesOf(series)
  if (asJson) return [summary, ...found].map((line) => JSON.stringify(line))
  return [
    ...Object.entries(summary).map(([name, value]) => `${name}: ${value}`),
    "",
    "| what | after warm-up | at the end | slope per hour | |",
    "|---|---|---|---|---|",
    ...found.map(
      ({ name, first, last, perHour, says }) =>
        `| ${name} | ${figure(first)} | ${figure(last)} | ${figure(perHour)} | ${says} |`
    )
  ]
}

export const chartsOf = (series: Series): ReadonlyArray<Chart> => {
  const chart = (title: string, unit: string, pattern: RegExp): Chart => ({
    title,
    unit,
    series: [...series]
      .flatMap(([name, samples]) => {
        const found = pattern.exec(name)
        return found === null ? [] : [{ name: found[1] ?? name, samples }]
      })
      .sort((a, b) => (b.samples.at(-1)?.value ?? 0) - (a.samples.at(-1)?.value ?? 0))
      .slice(0, 6)
  })
  return [
    chart("Memory", "MiB", /^(process \S+): memory/),
    chart("JavaScript heap", "MiB", /^(process \S+): heap/),
    chart("Open descriptors", "", /^(process \S+): descriptors/),
    chart("Event loop delay, p99", "ms", /^(process \S+): event loop/),
    chart("Largest tables", "MiB", /^table (\S+): bytes/),
    chart("Their indexes", "MiB", /^table (\S+): indexes/),
    chart("Write-ahead log", "MiB", /^PostgreSQL: (WAL)/),
    chart("Kafka's files", "MiB", /^Kafka: (all files)/)
  ].filter(({ series: found }) => found.length > 0)
}
