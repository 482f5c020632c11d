/** A figure's course as a line over a quiet area, or as bars. It has no axis: the figure above it says how much. */
import type { PointerEvent } from "react"
import classes from "./charts.module.css"
import { pointAt, useCursor } from "./cursor.ts"

export interface SparkProps {
  /** Says what it shows, for screen readers. */
  readonly description: string
  /** Null: not known. Oldest first. */
  readonly values: ReadonlyArray<number | null>
  readonly kind: "line" | "bars"
  /** Bars of what waits. */
  readonly waiting?: boolean
  /** The line's lowest value; by default 0. */
  readonly least?: number
  /** When each value begins, in Unix milliseconds: the cursor is at one of them. Without, there is no cursor. */
  readonly times?: ReadonlyArray<number>
}

const [WIDTH, HEIGHT] = [240, 32]

export const Spark = ({ description, values, kind, waiting = false, least = 0, times = [] }: SparkProps) => {
  const known = values.map((value) => value ?? least)
  const range = Math.max(...known, least + 1) - least
  const y = (value: number) => HEIGHT - 1 - ((value - least) / range) * (HEIGHT - 3)
  const step = WIDTH / Math.max(known.length - (kind === "line" ? 1 : 0), 1)
  const points = known.map((value, at) => `${(at * step).toFixed(1)} ${y(value).toFixed(1)}`).join("L")
  const cursor = times.indexOf(useCursor() ?? Number.NaN)
  const move = (event: PointerEvent<SVGSVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    const place = Math.floor(((event.clientX - box.left) / box.width) * times.length)
    pointAt(times[Math.min(Math.max(place, 0), times.length - 1)])
  }
  const bars = known
    .map((value, at) =>
      value === least
        ? ""
        : `M${(at * step).toFixed(1)} ${y(value).toFixed(1)}h${(step * 0.7).toFixed(1)}V${HEIGHT}h${(-step * 0.7).toFixed(1)}z`
    )
    .join("")
  return (
    <svg
      className={`${classes["spark"]} ${waiting ? classes["waiting"] : ""}`}
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={description}
      onPointerMove={move}
      onPointerLeave={() => pointAt(undefined)}
    >
      {kind === "bars" ? (
        <path d={bars} className={classes["ok"]} />
      ) : (
        known.length > 1 && (
          <>
            <path d={`M0 ${HEIGHT}L${points}L${WIDTH} ${HEIGHT}z`} className={classes["area"]} />
            <path d={`M${points}`} className={classes["stroke"]} />
          </>
        )
      )}
      {cursor !== -1 && (
        <path
          d={`M${(cursor + (kind === "bars" ? 0.35 : 0)) * step} 0V${HEIGHT}`}
          className={classes["cursor"]}
          vectorEffect="non-scaling-stroke"
        />
      )}
    </svg>
  )
}
