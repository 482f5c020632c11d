/**
 * Counts over time as bars, good above the line and bad below it, that choose a period: drag over the bars, or move the
 * two handles with the arrow keys. The values of what is chosen, or at the cursor, stand in the legend.
 */
import { useElementSize } from "@mantine/hooks"
import { type KeyboardEvent, type PointerEvent, useState } from "react"
import { count, dayTime, duration, hourMinute, localDay } from "../words/format.ts"
import { type Bars, barsBetween, type Edges, edgesOf, moved, type Times, timesOf } from "./brush.ts"
import classes from "./charts.module.css"
import { timeMarks } from "./scale.ts"

interface Point {
  readonly at: number
  readonly good: number
  readonly bad: number
}

/** A line over the bars: a time in which something was wrong. */
interface Span {
  readonly id: string
  readonly from: number
  /** Undefined: it lasts. */
  readonly to: number | undefined
  readonly label: string
}

interface BrushedChartProps {
  /** What is counted, such as "Deliveries". */
  readonly what: string
  readonly points: ReadonlyArray<Point>
  readonly pointMs: number
  readonly names: { readonly good: string; readonly bad: string }
  readonly spans: ReadonlyArray<Span>
  readonly chosen: Times
  readonly onChoose: (times: Times) => void
}

const [HEIGHT, FOOT, LANE] = [96, 22, 15]
const LEAST_BAR = 2
const DAY_MS = 86_400_000
/** Below this width spans have no room for their labels. */
const NARROW_PIXELS = 640

const pathOf = (bars: ReadonlyArray<number>, step: number, top: (height: number) => number) =>
  bars
    .map((height, at) =>
      height === 0
        ? ""
        : `M${at * step} ${top(height)}h${Math.max(step - Math.min(step * 0.18, 2.5), 1)}v${height}h${-Math.max(step - Math.min(step * 0.18, 2.5), 1)}z`
    )
    .join("")

const SpanLine = ({ span, x, y, end }: { span: Span; x: (at: number) => number; y: number; end: number }) => {
  const from = x(span.from)
  return (
    <g>
      <rect
        x={from}
        y={y - 1}
        width={Math.max((span.to === undefined ? end : x(span.to)) - from, 2)}
        height={2}
        className={classes["failed"]}
      />
      {span.to === undefined && (
        <text
          x={from > 200 ? from - 8 : from + 4}
          y={from > 200 ? y + 4 : y - 5}
          textAnchor={from > 200 ? "end" : "start"}
        >
          {span.label}
        </text>
      )}
      <title>{span.label}</title>
    </g>
  )
}

export const BrushedChart = (props: BrushedChartProps) => {
  const { what, points, pointMs, names, chosen, onChoose } = props
  const { ref, width } = useElementSize()
  const [drag, setDrag] = useState<{ readonly anchor: number; readonly at: number }>()
  const [cursor, setCursor] = useState<number>()
  const bars: Bars = { start: points[0]?.at ?? 0, pointMs, count: Math.max(points.length, 1) }
  const end = bars.start + bars.count * pointMs
  const spans = width < NARROW_PIXELS ? [] : props.spans
  const top = spans.length * LANE
  const step = width / bars.count
  const x = (at: number) => Math.min(Math.max((at - bars.start) / pointMs, 0), bars.count) * step
  const edges = drag === undefined ? edgesOf(chosen, bars) : barsBetween(drag.anchor, drag.at, bars)
  const all: Edges = { from: 0, to: bars.count }
  const { from, to } = edges ?? all

  const [most, mostBad] = [
    Math.max(...points.map(({ good }) => good), 0),
    Math.max(...points.map(({ bad }) => bad), 0)
  ]
  const scale = (HEIGHT - 2 * LEAST_BAR) / Math.max(most + mostBad, 1)
  const tall = (value: number) => (value === 0 ? 0 : Math.max(value * scale, LEAST_BAR))
  const line = top + Math.min(Math.max(HEIGHT - tall(mostBad) - 2, HEIGHT * 0.2), HEIGHT - 8)

  const barAt = (event: PointerEvent<HTMLElement>) =>
    Math.floor((event.clientX - event.currentTarget.getBoundingClientRect().left) / Math.max(step, 1))
  const choose = (next: Edges) => onChoose(timesOf(next, bars))
  const press = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return
    const handle = (event.target as HTMLElement).dataset["edge"]
    const at = barAt(event)
    event.currentTarget.setPointerCapture(event.pointerId)
    setDrag({ anchor: handle === "from" ? to - 1 : handle === "to" ? from : at, at })
  }
  const move = (event: PointerEvent<HTMLElement>) => {
    const at = barAt(event)
    setCursor(Math.min(Math.max(at, 0), bars.count - 1))
    if (drag !== undefined && drag.at !== at) setDrag({ ...drag, at })
  }
  const release = () => {
    if (drag !== undefined && edges !== undefined) choose(edges)
    setDrag(undefined)
  }
  const key = (which: keyof Edges) => (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, PageDown: -6, PageUp: 6, Home: -bars.count, End: bars.count }[
      event.key
    ]
    if (by === undefined) return
    event.preventDefault()
    choose(moved({ from, to }, which, by, bars))
  }

  const shown =
    cursor !== undefined && drag === undefined ? points.slice(cursor, cursor + 1) : points.slice(from, to)
  const sum = (of: "good" | "bad") => shown.reduce((total, point) => total + point[of], 0)
  const spanOf = (one: Edges) =>
    pointMs < DAY_MS
      ? `${dayTime(bars.start + one.from * pointMs, end)} – ${dayTime(bars.start + one.to * pointMs, end)}`
      : `${localDay(bars.start + one.from * pointMs)} – ${localDay(bars.start + one.to * pointMs - 1)}`
  const period =
    cursor !== undefined && drag === undefined
      ? spanOf({ from: cursor, to: cursor + 1 })
      : spanOf({ from, to })
  return (
    <div ref={ref} className={classes["brushed"]} data-measured={width > 0}>
      <div
        className={classes["brush"]}
        data-dragging={drag !== undefined}
        onPointerDown={press}
        onPointerMove={move}
        onPointerUp={release}
        onPointerCancel={() => setDrag(undefined)}
        onPointerLeave={() => setCursor(undefined)}
      >
        <svg
          className={classes["plot"]}
          height={top + HEIGHT + FOOT}
          role="img"
          aria-label={`${what} over time, ${period}: ${count(sum("good"))} ${names.good}, ${count(sum("bad"))} ${names.bad}.`}
        >
          {edges && (
            <rect
              x={from * step}
              y={top}
              width={(to - from) * step}
              height={HEIGHT}
              className={classes["chosen"]}
            />
          )}
          <g className={classes["spans"]}>
            {spans.map((span, at) => (
              <SpanLine key={span.id} span={span} x={x} y={at * LANE + 6} end={width} />
            ))}
          </g>
          <path
            d={pathOf(
              points.map(({ good }) => tall(good)),
              step,
              (bar) => line - bar
            )}
            className={classes["ok"]}
          />
          <rect y={line} width={width} height={1} className={classes["line"]} />
          <path
            d={pathOf(
              points.map(({ bad }) => tall(bad)),
              step,
              () => line + 2
            )}
            className={classes["failed"]}
          />
          <g className={classes["axis"]}>
            {timeMarks(bars.start, end, Math.max(2, Math.floor(width / 110))).map(({ at, isDay }) => (
              <text
                key={at}
                x={x(at)}
                y={top + HEIGHT + FOOT - 5}
                textAnchor={x(at) < 24 ? "start" : x(at) > width - 24 ? "end" : "middle"}
              >
                {isDay ? localDay(at) : hourMinute(at)}
              </text>
            ))}
          </g>
        </svg>
        {(["from", "to"] as const).map((which) => (
          <div
            key={which}
            className={classes["handle"]}
            role="slider"
            tabIndex={0}
            data-edge={which}
            data-on={edges !== undefined}
            style={{ left: (which === "from" ? from : to) * step, top, height: HEIGHT }}
            aria-label={which === "from" ? "Begin of the period" : "End of the period"}
            aria-valuemin={0}
            aria-valuemax={bars.count}
            aria-valuenow={which === "from" ? from : to}
            aria-valuetext={dayTime(bars.start + (which === "from" ? from : to) * pointMs, end)}
            onKeyDown={key(which)}
          />
        ))}
      </div>
      <div className={classes["legend"]}>
        <b>{period}</b>
        <span>
          <i className={classes["key"]} />
          {names.good}, above the line <b>{count(sum("good"))}</b>
        </span>
        <span>
          <i className={classes["key"]} data-bad />
          {names.bad}, below it <b>{count(sum("bad"))}</b>
        </span>
        <span className={classes["hint"]}>a bar is {duration(pointMs)}; drag over it to choose a time</span>
      </div>
    </div>
  )
}
