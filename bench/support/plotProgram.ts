/**
 * `npm run --silent bench -- isolation scale --json | node bench/support/plotProgram.ts`: draws `isolation.svg` and
 * `scale.svg` beside the benchmarks, from the figures' lines on standard input.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { resolve } from "node:path"
import type { Figure } from "./Benchmark.ts"

interface Bar {
  readonly label: string
  readonly value: number
  readonly colour: string
}

interface Chart {
  readonly title: string
  readonly unit: string
  readonly bars: ReadonlyArray<Bar>
}

const WIDTH = 560
const ROW = 34
const LEFT = 190
const RIGHT = 110
const BLUE = "#2563eb"
const GREY = "#94a3b8"

const barsOf = ({ title, unit, bars }: Chart, top: number): string => {
  const longest = Math.max(...bars.map(({ value }) => value))
  const rows = bars.map(({ label, value, colour }, i) => {
    const y = top + 34 + i * ROW
    const width = ((WIDTH - LEFT - RIGHT) * value) / longest
    const shown = `${value >= 100 ? Math.round(value).toLocaleString("en-US") : value.toPrecision(3)} ${unit}`
    return `<text x="${LEFT - 10}" y="${y + 15}" text-anchor="end">${label}</text>
<rect x="${LEFT}" y="${y}" width="${width.toFixed(1)}" height="22" rx="3" fill="${colour}"/>
<text x="${(LEFT + width + 8).toFixed(1)}" y="${y + 15}">${shown}</text>`
  })
  return [`<text x="16" y="${top + 16}" font-weight="600">${title}</text>`, ...rows].join("\n")
}

const svgOf = (charts: ReadonlyArray<Chart>): string => {
  let top = 16
  const parts = charts.map((chart) => {
    const part = barsOf(chart, top)
    top += 46 + chart.bars.length * ROW
    return part
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top}" font-family="system-ui, sans-serif" font-size="13" fill="#0f172a">
<rect width="${WIDTH}" height="${top}" fill="#ffffff"/>
${parts.join("\n")}
</svg>
`
}

const figures = readFileSync(0, "utf8")
  .split("\n")
  .filter((line) => line.startsWith("{"))
  // Printed by bench/run.ts.
  .map((line) => JSON.parse(line) as Figure)
const figureOf = (name: string): number => {
  const found = figures.find((figure) => figure.name === name)
  if (found === undefined) throw new Error(`there is no figure ${name} on standard input`)
  return found.value
}
const has = (benchmark: string) => figures.some(({ name }) => name.split(".")[0] === benchmark)
const write = (name: string, charts: ReadonlyArray<Chart>) =>
  writeFileSync(resolve(import.meta.dirname, `../${name}.svg`), svgOf(charts))

if (has("isolation")) {
  const pair = (title: string, unit: string, name: string, without: string): Chart => ({
    title,
    unit,
    bars: [
      { label: "80 webhooks alone", value: figureOf(without), colour: GREY },
      { label: "beside 20 bad ones", value: figureOf(name), colour: BLUE }
    ]
  })
  write("isolation", [
    pair("Deliveries to the 80, offered at a steady pace", "/s", "isolation", "isolation.without"),
    pair("From the queue to the receiver, p50", "ms", "isolation.p50", "isolation.p50.without"),
    pair("From the queue to the receiver, p99", "ms", "isolation.p99", "isolation.p99.without")
  ])
}
if (has("scale")) {
  const bars = figures
    .filter(({ name }) => name.startsWith("scale."))
    .map(({ name, value }) => ({ label: `${name.slice("scale.".length)} processes`, value, colour: BLUE }))
  write("scale", [
    { title: "Deliveries by processes on one machine, Kafka and PostgreSQL beside them", unit: "/s", bars }
  ])
}
