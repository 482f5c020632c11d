/** The times below a chart, from `from` to `to` over `inner` pixels; the last one ends with the chart. */
import { hourMinute, localDay } from "../words/format.ts"
import { timeMarks } from "./scale.ts"

/** A text is narrower. */
const MARK_PIXELS = 90
/** Half of a text. */
const HALF_PIXELS = 24

interface TimeAxisProps {
  readonly from: number
  readonly to: number
  readonly inner: number
  /** Of the whole chart. */
  readonly width: number
  readonly x: (at: number) => number
  readonly y: number
}

export const TimeAxis = ({ from, inner, to, width, x, y }: TimeAxisProps) =>
  timeMarks(from, to, Math.max(2, Math.floor(inner / MARK_PIXELS))).map(({ at, isDay }) => (
    <text key={at} x={x(at)} y={y} textAnchor={x(at) > width - HALF_PIXELS ? "end" : "middle"}>
      {isDay ? localDay(at) : hourMinute(at)}
    </text>
  ))
