/** Under the columns the times at which ledgers closed and the number of one ledger; lines behind busy columns say how many. */

import { useNow } from "../../../ui/value/now.ts"
import { clockTime, count, hourMinute, relativeTime } from "../../../words/format.ts"
import classes from "./Live.module.css"
import { columnX, type Grid, timeMarksOf } from "./layout.ts"
import type { Ledger } from "./ledgers.ts"

/** A time is left out if the chosen ledger's number is so near. */
const NEAR_PIXELS = 70

const Ago = ({ closed_at }: Ledger) => relativeTime(Date.parse(closed_at), useNow()) ?? ""

const timeText = (at: number) => (at % 60_000 === 0 ? hourMinute(at) : clockTime(at))

interface AxisProps {
  readonly shown: ReadonlyArray<Ledger>
  readonly grid: Grid
  readonly chosen: Ledger | undefined
  /** The picture is paused: the newest ledger has its time instead of its age. */
  readonly still: boolean
}

export const Axis = ({ shown, grid, chosen, still }: AxisProps) => {
  const { base, dots, from, height, left, marks, narrow, step, width } = grid
  const newest = shown.at(-1)!
  const dotsWidth = dots.across * dots.pitch
  const chosenX = chosen && columnX(grid, shown.length - 1 - shown.indexOf(chosen)) + dotsWidth / 2
  const times = timeMarksOf(shown, grid).filter(
    ({ x }) => chosenX === undefined || Math.abs(x - chosenX) > NEAR_PIXELS
  )
  return (
    <svg className={classes["axis"]} width={width} height={height} aria-hidden>
      {marks.map(({ events, y }) => (
        <g key={events}>
          {events > 0 && <path d={`M${left} ${y - 0.5}H${from}`} className={classes["mark"]} />}
          <text x={left - 8} y={y + 4} textAnchor="end">
            {count(events)}
          </text>
        </g>
      ))}
      {chosenX !== undefined && (
        <rect
          x={chosenX - step / 2}
          y={2}
          width={step}
          height={base - 2}
          rx={4}
          className={classes["chosen"]}
        />
      )}
      <path d={`M${left} ${base + 0.5}H${from}`} className={classes["line"]} />
      {narrow && chosen === undefined && (
        <>
          <text x={left} y={base + 20}>
            {clockTime(Date.parse(shown[0]!.closed_at))}
          </text>
          <text x={width} y={base + 20} textAnchor="end">
            {clockTime(Date.parse(newest.closed_at))}
          </text>
        </>
      )}
      {!narrow &&
        times.map(({ at, x }) => (
          <g key={at}>
            <path d={`M${x} ${base + 1}v4`} className={classes["line"]} />
            <text x={x} y={base + 19} textAnchor="middle">
              {timeText(at)}
            </text>
          </g>
        ))}
      {chosen && chosenX !== undefined && (
        <>
          <path d={`M${chosenX} ${base + 1}v5`} className={classes["pointer"]} />
          <text
            x={Math.min(Math.max(chosenX, left + 36), width - 36)}
            y={base + 20}
            textAnchor="middle"
            className={classes["number"]}
          >
            {count(chosen.ledger_index)}
          </text>
        </>
      )}
      {!narrow && chosen === undefined && (
        <>
          <path d={`M${from - 9} ${base + 1}v13h15`} className={classes["lead"]} />
          <text x={from + 11} y={base + 18}>
            <tspan className={classes["number"]}>{count(newest.ledger_index)}</tspan>
            <tspan dx={6}>{still ? clockTime(Date.parse(newest.closed_at)) : <Ago {...newest} />}</tspan>
          </text>
        </>
      )}
    </svg>
  )
}
