/** Answer times as a map: a row for each class of time, the slowest on top; stronger with more answers. */
import { useElementSize } from "@mantine/hooks"
import { type PointerEvent, useMemo, useState } from "react"
import type { DeliveryStatsPoint } from "../../api/ledgerhook.ts"
import classes from "../../charts/charts.module.css"
import { placeOf, pointAt, useCursor } from "../../charts/cursor.ts"
import { TimeAxis } from "../../charts/TimeAxis.tsx"
import { type Period, periods } from "../../ui/filter/Period.tsx"
import { count, dayTime, duration, hourMinute, plural } from "../../words/format.ts"
import { classMs, columnsOf, levelOf } from "./answerTimes.ts"

interface AnswerTimesProps {
  readonly series: ReadonlyArray<DeliveryStatsPoint>
  readonly period: Period
}

const [LEFT, ROW, FOOT] = [44, 11, 22]
const ROWS = classMs.length
const HEIGHT = ROWS * ROW + FOOT
/** Classes with a label. */
const LABELLED = [0, 4, ROWS - 1]

const className = (place: number): string =>
  place === 0
    ? `up to ${duration(classMs[0])}`
    : place === ROWS - 1
      ? `over ${duration(classMs[place - 1]!, true)}`
      : `${duration(classMs[place - 1]!)} – ${duration(classMs[place]!)}`

const answers = (counts: ReadonlyArray<number>) => counts.reduce((sum, some) => sum + some, 0)

export const AnswerTimes = ({ series, period }: AnswerTimesProps) => {
  const { ref, width } = useElementSize()
  // The class at the pointer. Another chart of the page may point at a time only.
  const [place, setPlace] = useState<number>()
  const { pointMs } = periods[period]
  const { columnMs, columns } = useMemo(() => columnsOf(series, pointMs), [series, pointMs])
  const all = columns.reduce((sum, { counts }) => sum + answers(counts), 0)
  const most = Math.max(...columns.flatMap(({ counts }) => counts), 1)
  const [from, to] = [columns[0]?.at ?? 0, (columns.at(-1)?.at ?? 0) + columnMs]
  const inner = Math.max(width - LEFT, 1)
  const step = inner / Math.max(columns.length, 1)
  const x = (at: number) => LEFT + ((at - from) / Math.max(to - from, 1)) * inner
  const gap = Math.min(step * 0.2, 1.5)
  const paths = useMemo(() => {
    const levels: Array<string> = []
    for (const [column, { counts }] of columns.entries())
      for (const [place, some] of counts.entries()) {
        const level = levelOf(some, most)
        levels[level] =
          `${levels[level] ?? ""}M${LEFT + column * step} ${(ROWS - 1 - place) * ROW}h${step - gap}v${ROW - 1.5}h${gap - step}z`
      }
    return levels
  }, [columns, most, step, gap])
  const move = (event: PointerEvent<SVGSVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    const column = Math.floor((event.clientX - box.left - LEFT) / step)
    const place = ROWS - 1 - Math.floor((event.clientY - box.top) / ROW)
    pointAt(columns[column]?.at)
    setPlace(columns[column] === undefined || place < 0 || place >= ROWS ? undefined : place)
  }
  const leave = () => {
    pointAt(undefined)
    setPlace(undefined)
  }
  const cursor = placeOf(columns, columnMs, useCursor())
  const shown = cursor === undefined ? undefined : columns[cursor]
  return (
    <div ref={ref}>
      <svg
        className={classes["plot"]}
        height={HEIGHT}
        role="img"
        aria-label={`Answer times of ${plural(all, "delivery", "deliveries")}: ${classMs
          .map((_, place) => {
            const some = columns.reduce((sum, { counts }) => sum + counts[place]!, 0)
            return `${count(some)} ${className(place)}`
          })
          .join(", ")}.`}
        onPointerMove={move}
        onPointerLeave={leave}
      >
        <g className={classes["axis"]}>
          {LABELLED.map((place) => (
            <text key={place} x={LEFT - 8} y={(ROWS - 1 - place) * ROW + 9} textAnchor="end">
              {duration(classMs[place]!, place === ROWS - 1)}
            </text>
          ))}
          <TimeAxis from={from} to={to} inner={inner} width={width} x={x} y={HEIGHT - 4} />
        </g>
        {paths.map((path, level) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a step of the ramp.
          <path key={level} d={path} className={classes["level"]} data-level={level} />
        ))}
        {cursor !== undefined && (
          <rect
            x={LEFT + cursor * step}
            y={place === undefined ? 0 : (ROWS - 1 - place) * ROW}
            width={step - gap}
            height={(place === undefined ? ROWS * ROW : ROW) - 1.5}
            className={classes["pointed"]}
          />
        )}
      </svg>
      <div className={classes["legend"]}>
        <b>{shown ? `${dayTime(shown.at, to)} – ${hourMinute(shown.at + columnMs)}` : "All of it"}</b>
        <span>
          {shown && place !== undefined ? className(place) : "answered"}{" "}
          <b>{count(shown ? (place === undefined ? answers(shown.counts) : shown.counts[place]!) : all)}</b>
        </span>
      </div>
    </div>
  )
}
