/**
 * Draws series of samples as an SVG of small charts, one below another, each with its own scale. A series has the same
 * colour in every chart.
 */
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
const COLOURS = ["#2563eb", "#ea580c", "#16a34a", "#9333ea", "#0891b2", "#be123c", "#64748b"] as const

/**
 * The colour of each name: the first one that no name has with which it shares a chart. Names are taken in their
 * alphabetical order, so the colours do not depend on who has the largest values.
 */
const coloursOf = (charts: ReadonlyArray<Chart>): ReadonlyMap<string, string> => {
  const groups = charts.map(({ series }) => series.map(({ name }) => name))
  const colours = new Map<string, string>()
  for (const name of [...new Set(groups.flat())].sort()) {
    const beside = groups.filter((group) => group.includes(name)).flat()
    const taken = new Set(beside.map((other) => colours.get(other)))
    colours.set(name, COLOURS.find((colour) => !taken.has(colour)) ?? COLOURS[0])
  }
  return colours
}

const shown = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString("en-US") : value.toPrecision(3)

const chartOf = (
  { title, unit, series }: Chart,
  colours: ReadonlyMap<string, string>,
  top: number
): string => {
  const all = series.flatMap(({ samples }) => samples)
  const most = Math.max(...all.map(({ value }) => value), Number.MIN_VALUE)
  const end = Math.max(...all.map(({ minute }) => minute), 1)
  const x = (minute: number) => (LEFT + ((WIDTH - LEFT - RIGHT) * minute) / end).toFixed(1)
  const y = (value: number) => (top + 24 + HEIGHT * (1 - value / most)).toFixed(1)
  const lines = series.map(({ name, samples }, i) => {
    const points = samples.map(({ minute, value }) => `${x(minute)},${y(value)}`).join(" ")
    const colour = colours.get(name)
    return `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="1.5"/>
<text x="${WIDTH - RIGHT + 12}" y="${top + 34 + i * 16}" fill="${colour}">${name}</text>`
  })
  return [
    `<text x="${LEFT}" y="${top + 14}" font-weight="600">${title}: 0 to ${shown(most)} ${unit}, ${shown(end)} minutes</text>`,
    `<rect x="${LEFT}" y="${top + 24}" width="${WIDTH - LEFT - RIGHT}" height="${HEIGHT}" fill="#f8fafc"/>`,
    ...lines
  ].join("\n")
}

export const svgOf = (charts: ReadonlyArray<Chart>): string => {
  const colours = coloursOf(charts)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${16 + charts.length * PITCH}" font-family="system-ui, sans-serif" font-size="13" fill="#0f172a">
<rect width="${WIDTH}" height="${16 + charts.length * PITCH}" fill="#ffffff"/>
${charts.map((chart, i) => chartOf(chart, colours, 16 + i * PITCH)).join("\n")}
</svg>
`
}
