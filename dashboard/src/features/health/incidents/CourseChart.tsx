/**
 * The attempts around an incident: answered up, failed down, on one scale; what waited below, on the same axis. The next
 * attempt is dotted, because it is a forecast.
 */
import { useElementSize } from "@mantine/hooks"
import classes from "../../../charts/charts.module.css"
import { placeOf, pointAt, useCursor } from "../../../charts/cursor.ts"
import { mirroredAxis } from "../../../charts/scale.ts"
import { TimeAxis } from "../../../charts/TimeAxis.tsx"
import { clockTime, count, hourMinute, localDay, shortCount } from "../../../words/format.ts"

export interface CoursePoint {
  readonly at: number
  readonly answered: number
  readonly failed: number
  readonly waiting: number
}

interface CourseChartProps {
  readonly points: ReadonlyArray<CoursePoint>
  readonly pointMs: number
  /** The axis, in Unix milliseconds. */
  readonly from: number
  readonly to: number
  readonly began: number
  readonly ended: number | undefined
  /** The next attempt. */
  readonly next: number | undefined
}

const [LEFT, TOP, BARS, GAP, WAITING, FOOT] = [44, 24, 144, 20, 56, 22]
const HEIGHT = TOP + BARS + GAP + WAITING + FOOT

/** The upper edge of what waited; empty if there is no point. */
const edgeOf = (
  points: ReadonlyArray<CoursePoint>,
  pointMs: number,
  x: (at: number) => number,
  y: (waiting: number) => number
): string =>
  points.length === 0
    ? ""
    : `M${x(points[0]!.at)} ${y(0)}${points.map(({ at, waiting }) => `L${x(at + pointMs)} ${y(waiting)}`).join("")}`

export const CourseChart = ({ points, pointMs, from, to, began, ended, next }: CourseChartProps) => {
  const { ref, width } = useElementSize()
  const cursor = useCursor()
  const inner = Math.max(width - LEFT, 1)
  const x = (at: number) =>
    LEFT + ((Math.min(Math.max(at, from), to) - from) / Math.max(to - from, 1)) * inner
  const up = Math.max(...points.map(({ answered }) => answered), 0)
  const down = Math.max(...points.map(({ failed }) => failed), 0)
  const { above, below, marks } = mirroredAxis(up, down)
  const y = (value: number) => TOP + ((above - value) / (above + below)) * BARS
  const mostWaiting = Math.max(...points.map(({ waiting }) => waiting), 1)
  const floor = HEIGHT - FOOT
  const yWaiting = (waiting: number) => floor - (waiting / mostWaiting) * WAITING
  const edge = edgeOf(points, pointMs, x, yWaiting)
  const bar = (pointMs / Math.max(to - from, 1)) * inner
  const shown = points[placeOf(points, pointMs, cursor) ?? -1]
  const sum = (of: "answered" | "failed") => points.reduce((total, point) => total + point[of], 0)
  const narrow = width > 0 && width < 520
  return (
    <div ref={ref}>
      <svg
        className={classes["plot"]}
        height={HEIGHT}
        role="img"
        aria-label={`Attempts around the incident: ${count(sum("answered"))} answered, ${count(sum("failed"))} failed; at most ${count(Math.max(...points.map(({ waiting }) => waiting), 0))} deliveries waited.`}
        onPointerMove={(event) => {
          const at = event.clientX - event.currentTarget.getBoundingClientRect().left - LEFT
          pointAt(at < 0 ? undefined : from + (at / inner) * (to - from))
        }}
        onPointerLeave={() => pointAt(undefined)}
      >
        <rect
          x={x(began)}
          y={TOP}
          width={Math.max(x(ended ?? to) - x(began), 1)}
          height={BARS}
          className={classes["shade"]}
        />
        <g className={classes["axis"]}>
          {marks.map((value) => (
            <g key={value}>
              <rect x={LEFT} y={y(value)} width={inner} height={1} className={classes["grid"]} />
              <text x={LEFT - 8} y={y(value) + 4} textAnchor="end">
                {shortCount(Math.abs(value))}
              </text>
            </g>
          ))}
          <text x={LEFT - 8} y={yWaiting(mostWaiting) + 4} textAnchor="end">
            {shortCount(mostWaiting)}
          </text>
          <text x={LEFT - 8} y={floor + 4} textAnchor="end">
            0
          </text>
          <TimeAxis from={from} to={to} inner={inner} width={width} x={x} y={HEIGHT - 4} />
        </g>
        {points.map(({ answered, at, failed }) => (
          <g key={at}>
            {answered > 0 && (
              <rect
                x={x(at) + 0.5}
                y={Math.min(y(answered), y(0) - 2)}
                width={Math.max(bar - 1, 1)}
                height={Math.max(y(0) - y(answered), 2)}
                className={classes["ok"]}
              />
            )}
            {failed > 0 && (
              <rect
                x={x(at) + 0.5}
                y={y(0) + 1}
                width={Math.max(bar - 1, 1)}
                height={Math.max(y(-failed) - y(0), 2)}
                className={classes["failed"]}
              />
            )}
          </g>
        ))}
        {next !== undefined && next > from && next < to && (
          <rect
            x={x(next) - Math.max(bar, 6) / 2}
            y={y(0) - 18}
            width={Math.max(bar, 6)}
            height={36}
            className={classes["forecast"]}
          />
        )}
        <rect x={LEFT} y={y(0)} width={inner} height={1} className={classes["line"]} />
        <path d={`${edge}V${floor}Z`} className={classes["waiting"]} />
        <path d={edge} className={classes["edge"]} />
        <rect x={LEFT} y={floor} width={inner} height={1} className={classes["line"]} />
        {[began, ended].map(
          (at, i) =>
            at !== undefined &&
            at >= from && (
              <g key={at} className={classes["mark"]}>
                <rect x={x(at)} y={4} width={1} height={TOP + BARS - 4} />
                <text x={x(at) + (i === 0 ? -6 : 6)} y={14} textAnchor={i === 0 && !narrow ? "end" : "start"}>
                  {narrow && i === 0 ? "" : `${clockTime(at)} ${i === 0 ? "began" : "ended"}`}
                </text>
              </g>
            )
        )}
        {shown && (
          <line
            x1={x(shown.at + pointMs / 2)}
            x2={x(shown.at + pointMs / 2)}
            y1={TOP}
            y2={floor}
            className={classes["cursor"]}
          />
        )}
      </svg>
      <div className={classes["legend"]}>
        <b>{shown ? `${localDay(shown.at)}, ${hourMinute(shown.at)}` : "All of it"}</b>
        <span>
          <i className={classes["key"]} />
          answered, above the line <b>{count(shown?.answered ?? sum("answered"))}</b>
        </span>
        <span>
          <i className={classes["key"]} data-bad />
          failed, below it <b>{count(shown?.failed ?? sum("failed"))}</b>
        </span>
        <span>
          <i className={classes["key"]} data-wait />
          {shown ? "deliveries that waited" : "deliveries that waited, at most"}{" "}
          <b>{count(shown?.waiting ?? Math.max(...points.map(({ waiting }) => waiting), 0))}</b>
        </span>
        {next !== undefined && (
          <span>
            <i className={classes["key"]} data-next />
            the next attempt <b>{clockTime(next)}</b>
          </span>
        )}
      </div>
    </div>
  )
}
