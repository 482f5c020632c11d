/** Figures as lines of a table for people. */
import type { Comparison } from "./against.ts"
import { type Figure, met } from "./Benchmark.ts"

const line = (name: string, value: string, unit: string, ratio: string, target: string): string =>
  `${name.padEnd(28)}${value.padStart(12)}  ${unit.padEnd(22)}${ratio.padStart(8)}  ${target}`.trimEnd()

export const header = line("name", "value", "unit", "ratio", "target")

/** Formats a number with three significant digits, and large numbers as whole ones. */
const shown = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString("en-US") : value.toPrecision(3)

const verdicts = { true: "met", false: "missed" } as const

export const row = (figure: Figure): string => {
  const { name, value, unit, ratio, target, better } = figure
  const holds = met(figure)
  const promised =
    target === null || holds === undefined
      ? ""
      : `${better === "higher" ? "≥" : "≤"} ${target}: ${verdicts[`${holds}`]}`
  return line(name, shown(value), unit, ratio === null ? "" : ratio.toFixed(2), promised)
}

const comparisonLine = (name: string, before: string, now: string, change: string, unit: string): string =>
  `${name.padEnd(28)}${before.padStart(12)}${now.padStart(12)}${change.padStart(10)}  ${unit}`

export const comparisonHeader = comparisonLine("name", "before", "now", "change", "unit")

export const comparisonRow = ({ name, before, now, change, unit }: Comparison): string =>
  comparisonLine(name, shown(before), shown(now), `${change < 0 ? "" : "+"}${change.toFixed(1)} %`, unit)
