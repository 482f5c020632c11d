/** Draws series of samples as an SVG of small charts, one below another, each with its own scale. */
import type { Sample } from "./Slope.ts"

export interface Chart {
  readonly title: string
  readonly unit: string
  readonly series: ReadonlyArray<{ readonly name: string; readonly samples: ReadonlyArray<Sample> }>
}

const WIDTH = 760
const LEFT = 16
const RIGHT = 150
const HEIGHT = 90
const PITCH = 140
const COLOURS = ["#2563eb", "#ea580c", "#16a34a", "#9333ea", "#0891b2", "#be123c", "#64748b"]

const shown = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString("en-US") : value.toPrecision(3)

const chartOf = ({ title, unit, series }: Chart, top: number): string => {
  const all = series.flatMap(({ samples }) => samples)
  const most = Math.max(...all.map(({ value }) => value), Number.MIN_VALUE)
  const end = Math.max(...all.map(({ minute }) => minute), 1)
  const x = (minute: number) => (LEFT + ((WIDTH - LEFT - RIGHT) * minute) / end).toFixed(1)
  const y = (value: number) => (top + 24 + HEIGHT * (1 - value / most)).toFixed(1)
  const lines = series.map(({ name, samples }, i) => {
    const points = samples.map(({ minute, value }) => `${x(minute)},${y(value)}`).join(" ")
    const colour = COLOURS[i % COLOURS.length]
    return `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="1.5"/>
<text x="${WIDTH - RIGHT + 12}" y="${top + 34 + i * 16}" fill="${colour}">${name}</text>`
  })
  return [
    `<text x="${LEFT}" y="${top + 14}" font-weight="600">${title}: 0 to ${shown(most)} ${unit}, ${shown(end)} minutes</text>`,
    `<rect x="${LEFT}" y="${top + 24}" width="${WIDTH - LEFT - RIGHT}" height="${HEIGHT}" fill="#f8fafc"/>`,
    ...lines
  ].join("\n")
}

export const svgOf = (charts: ReadonlyArray<Chart>): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${16 + charts.length * PITCH}" font-family="system-ui, sans-serif" font-size="13" fill="#0f172a">
<rect width="${WIDTH}" height="${16 + charts.length * PITCH}" fill="#ffffff"/>
${charts.map((chart, i) => chartOf(chart, 16 + i * PITCH)).join("\n")}
</svg>
`
