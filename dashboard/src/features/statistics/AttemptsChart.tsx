/**
 * Attempts over time: answered up, failed down, on one scale; incidents are shaded. The values at the cursor, which the
 * charts of the page share, stand in the legend, at fixed places; without a cursor it has the sums.
 */
import { useElementSize } from "@mantine/hooks"
import type { PointerEvent } from "react"
import type { DeliveryStatsPoint, Incident } from "../../api/ledgerhook.ts"
import classes from "../../charts/charts.module.css"
import { placeOf, pointAt, useCursor } from "../../charts/cursor.ts"
import { mirroredAxis } from "../../charts/scale.ts"
import { TimeAxis } from "../../charts/TimeAxis.tsx"
import { count, dayTime, hourMinute, shortCount } from "../../words/format.ts"

interface AttemptsChartProps {
  readonly series: ReadonlyArray<DeliveryStatsPoint>
  /** How long a point is, in milliseconds. */
  readonly pointMs: number
  readonly incidents: ReadonlyArray<Incident>
}

const HEIGHT = 172
const AXIS = { left: 44, bottom: 22 }
export const AttemptsChart = ({ series, pointMs, incidents }: AttemptsChartProps) => {
  const { ref, width } = useElementSize()
  const points = series.map(({ at, attempts, attempts_failed }) => ({
    at: Date.parse(at),
    answered: attempts - attempts_failed,
    failed: attempts_failed
  }))
  const [from, to] = [points[0]?.at ?? 0, (points.at(-1)?.at ?? 0) + pointMs]
  const { above, below, marks } = mirroredAxis(
    Math.max(...points.map(({ answered }) => answered), 0),
    Math.max(...points.map(({ failed }) => failed), 0)
  )
  const [inner, tall] = [Math.max(width - AXIS.left, 1), HEIGHT - AXIS.bottom]
  const x = (at: number) => AXIS.left + ((Math.min(Math.max(at, from), to) - from) / (to - from)) * inner
  const y = (value: number) => ((above - value) / (above + below)) * (tall - 8) + 8
  const bar = inner / Math.max(points.length, 1)
  const cursor = placeOf(points, pointMs, useCursor())
  const shown = cursor === undefined ? undefined : points[cursor]
  const sum = (of: "answered" | "failed") => points.reduce((total, point) => total + point[of], 0)
  const move = (event: PointerEvent<SVGSVGElement>) => {
    const at = event.clientX - event.currentTarget.getBoundingClientRect().left - AXIS.left
    pointAt(at < 0 ? undefined : points[Math.min(Math.floor(at / bar), points.length - 1)]?.at)
  }
  return (
    <div ref={ref}>
      <svg
        className={classes["plot"]}
        height={HEIGHT}
        role="img"
        aria-label={`Attempts over time: ${count(sum("answered"))} answered, ${count(sum("failed"))} failed.`}
        onPointerMove={move}
        onPointerLeave={() => pointAt(undefined)}
      >
        {incidents.map(({ began_at, ended_at, id }) => {
          const left = x(Date.parse(began_at))
          const right = x(ended_at === null ? to : Date.parse(ended_at))
          return (
            <rect
              key={id}
              x={left}
              width={Math.max(right - left, 1)}
              height={tall}
              className={classes["shade"]}
            />
          )
        })}
        <g className={classes["axis"]}>
          {marks.map((value) => (
            <g key={value}>
              <rect x={AXIS.left} y={y(value)} width={inner} height={1} className={classes["grid"]} />
              <text x={AXIS.left - 8} y={y(value) + 4} textAnchor="end">
                {shortCount(Math.abs(value))}
              </text>
            </g>
          ))}
          <TimeAxis from={from} to={to} inner={inner} width={width} x={x} y={HEIGHT - 4} />
        </g>
        {points.map(({ at, answered, failed }, index) => (
          <g key={at}>
            <rect
              x={AXIS.left + index * bar + 0.5}
              y={y(answered)}
              width={Math.max(bar - 1, 1)}
              height={y(0) - y(answered)}
              className={classes["ok"]}
            />
            <rect
              x={AXIS.left + index * bar + 0.5}
              y={y(0) + 1}
              width={Math.max(bar - 1, 1)}
              height={Math.max(y(-failed) - y(0) - (failed > 0 ? 0 : 1), failed > 0 ? 2 : 0)}
              className={classes["failed"]}
            />
          </g>
        ))}
        <rect x={AXIS.left} y={y(0)} width={inner} height={1} className={classes["line"]} />
        {shown && (
          <line
            x1={AXIS.left + (cursor! + 0.5) * bar}
            x2={AXIS.left + (cursor! + 0.5) * bar}
            y1={0}
            y2={tall}
            className={classes["cursor"]}
          />
        )}
      </svg>
      <div className={classes["legend"]}>
        <b>{shown ? `${dayTime(shown.at, to)} – ${hourMinute(shown.at + pointMs)}` : "All of it"}</b>
        <span>
          <i className={classes["key"]} />
          answered, above the line <b>{count(shown?.answered ?? sum("answered"))}</b>
        </span>
        <span>
          <i className={classes["key"]} data-bad />
          failed, below it <b>{count(shown?.failed ?? sum("failed"))}</b>
        </span>
      </div>
    </div>
  )
}
