/** Attempts over time as small bars: answered above the line, failed below it, on one scale. */
import { count } from "../words/format.ts"
import classes from "./charts.module.css"

export type Bars = ReadonlyArray<ReadonlyArray<number>>

interface AttemptBarsProps {
  /** Answered and failed attempts, oldest first. */
  readonly bars: Bars
  readonly width?: number
  readonly height?: number
}

/** The part of a bar's place that is left free. */
const GAP = 0.3
/** A single attempt is seen beside many. */
const LEAST_PIXELS = 1.5

const pathOf = (heights: ReadonlyArray<number>, step: number, from: (height: number) => number): string =>
  heights
    .map((height, at) =>
      height === 0
        ? ""
        : `M${(at * step).toFixed(2)} ${from(height).toFixed(2)}h${(step * (1 - GAP)).toFixed(2)}v${height.toFixed(2)}h${(-step * (1 - GAP)).toFixed(2)}z`
    )
    .join("")

export const AttemptBars = ({ bars, width = 144, height = 28 }: AttemptBarsProps) => {
  const answered = bars.map(([up = 0]) => up)
  const failed = bars.map(([, down = 0]) => down)
  const [most, mostFailed] = [Math.max(...answered, 0), Math.max(...failed, 0)]
  const scale = (height - 2) / Math.max(most + mostFailed, 1)
  const tall = (value: number) => (value === 0 ? 0 : Math.max(value * scale, LEAST_PIXELS))
  const line = Math.min(Math.max(most * scale, mostFailed > 0 ? 4 : 0), height - 4) || height - 2
  const step = width / Math.max(bars.length, 1)
  const sum = (values: ReadonlyArray<number>) => values.reduce((total, value) => total + value, 0)
  return (
    <svg
      className={classes["bars"]}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={`Attempts of the last 24 hours: ${count(sum(answered))} answered, ${count(sum(failed))} failed.`}
    >
      <path d={pathOf(answered.map(tall), step, (bar) => line - bar)} className={classes["ok"]} />
      <rect y={line} width={width} height={1} className={classes["line"]} />
      <path d={pathOf(failed.map(tall), step, () => line + 2)} className={classes["failed"]} />
    </svg>
  )
}
