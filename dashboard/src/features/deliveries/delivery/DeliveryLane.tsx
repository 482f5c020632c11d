/** The delivery's attempts and waits, to scale; below it the first 45 minutes again, on a square-root scale. */
import { useElementSize } from "@mantine/hooks"
import type { DeliveryDetail } from "../../../api/ledgerhook.ts"
import { useNow } from "../../../ui/value/now.ts"
import { clockTime, duration, localTime, plural } from "../../../words/format.ts"
import classes from "./Delivery.module.css"
import { laneOf, rootScale, withoutOverlap } from "./lane.ts"

/** Heights in pixels: the line, and the enlarged one below it. */
const LINE = 52
const BELOW = { top: 104, title: 116, line: 150, end: 186 }
const [EDGE, RADIUS] = [7, 6]
/** A guess of the width of a letter of 11 pixels. */
const LETTER = 6.4
const DAY_MS = 86_400_000

interface TextAt {
  readonly at: number
  readonly above: string
  readonly text: string
  readonly look: "quiet" | "strong" | "wait"
}

export const DeliveryLane = (delivery: DeliveryDetail) => {
  const { ref, width } = useElementSize()
  const now = useNow()
  const { createdMs, enlargedMs, marks, nextMs, nowMs, totalMs } = laneOf(delivery, now)
  if (marks.length === 0 && nextMs === undefined) return null
  const x = (afterMs: number) => EDGE + (afterMs / totalMs) * Math.max(width - 2 * EDGE, 1)
  const timeAt = (afterMs: number) =>
    totalMs > DAY_MS ? localTime(new Date(createdMs + afterMs)) : clockTime(createdMs + afterMs)
  const last = marks.at(-1)
  const end = nowMs ?? last?.afterMs ?? 0
  const following = (last?.attempt ?? 0) + 1
  const wanted: ReadonlyArray<TextAt> = [
    ...(nextMs === undefined
      ? []
      : [{ at: nextMs, above: timeAt(nextMs), text: `attempt ${following}`, look: "wait" as const }]),
    ...(nowMs === undefined ? [] : [{ at: nowMs, above: "", text: "now", look: "strong" as const }]),
    { at: 0, above: timeAt(0), text: "created", look: "quiet" },
    ...marks.toReversed().map((mark) => ({
      at: mark.afterMs,
      above: timeAt(mark.afterMs),
      text: `attempt ${mark.attempt}`,
      look: "quiet" as const
    }))
  ]
  const labels = withoutOverlap(
    wanted.map((label) => {
      const wide = Math.max(label.above.length, label.text.length) * LETTER + 8
      const middle = Math.min(Math.max(x(label.at), wide / 2), Math.max(width - wide / 2, 0))
      return { ...label, at: middle, width: wide }
    })
  )
  const remaining = nextMs !== undefined && nowMs !== undefined && nextMs > nowMs ? nextMs - nowMs : undefined
  const below = (afterMs: number) => 24 + rootScale(afterMs, enlargedMs ?? 1) * Math.max(width - 48, 1)
  const belowLabels = withoutOverlap(
    enlargedMs === undefined
      ? []
      : marks
          .filter(({ afterMs }) => afterMs <= enlargedMs)
          .map((mark) => {
            const text = duration(mark.afterMs, mark.afterMs >= 1_000)
            return { ...mark, at: below(mark.afterMs), text, width: text.length * LETTER + 6 }
          })
  )
  return (
    <div ref={ref} className={classes["lane"]}>
      <svg
        width="100%"
        visibility={width === 0 ? "hidden" : undefined}
        height={enlargedMs === undefined ? 78 : BELOW.end}
        role="img"
        aria-label={`${plural(marks.length, "attempt")} in ${duration(end, true)}${remaining === undefined ? "" : `, the next one in ${duration(remaining, true)}`}. The table below has their times.`}
      >
        {enlargedMs !== undefined && (
          <path
            d={`M0 ${LINE + 10}V${BELOW.end - 2}H${width}V${BELOW.top}L${x(Math.min(enlargedMs, totalMs))} ${LINE + 10}z`}
            className={classes["enlarged"]}
          />
        )}
        <rect
          x={EDGE - 3}
          y={LINE - 3}
          width={x(end) - EDGE + 3}
          height={6}
          rx={3}
          className={classes["past"]}
        />
        {remaining !== undefined && (
          <>
            <line x1={x(end)} x2={x(nextMs!)} y1={LINE} y2={LINE} className={classes["future"]} />
            {last && (
              <rect
                x={x(last.afterMs)}
                y={LINE - 3}
                width={x(end) - x(last.afterMs)}
                height={6}
                className={classes["waits"]}
              />
            )}
            {x(nextMs!) - x(end) > 90 && (
              <text x={(x(end) + x(nextMs!)) / 2} y={LINE + 22} textAnchor="middle" data-look="wait">
                {duration(remaining, true)}
              </text>
            )}
            {last && x(end) - x(last.afterMs) > 90 && (
              <text x={(x(last.afterMs) + x(end)) / 2} y={LINE + 22} textAnchor="middle">
                waits {duration(nextMs! - last.afterMs, true)}
              </text>
            )}
          </>
        )}
        {marks.map(({ afterMs, attempt, isFailed }) => (
          <circle key={attempt} cx={x(afterMs)} cy={LINE} r={RADIUS} data-failed={isFailed} />
        ))}
        {nextMs !== undefined && <circle cx={x(nextMs)} cy={LINE} r={RADIUS} data-next />}
        {nowMs !== undefined && (
          <line x1={x(nowMs)} x2={x(nowMs)} y1={LINE - 12} y2={LINE + 12} className={classes["now"]} />
        )}
        {labels.map(({ above, at, look, text }) => (
          <g key={`${text}${at}`} data-look={look}>
            <text x={at} y={20} textAnchor="middle">
              {above}
            </text>
            <text x={at} y={34} textAnchor="middle" className={classes["what"]}>
              {text}
            </text>
          </g>
        ))}
        {enlargedMs !== undefined && (
          <>
            <text x={18} y={BELOW.title}>
              The first {duration(enlargedMs, true)}, enlarged (square-root scale)
            </text>
            <line x1={24} x2={width - 24} y1={BELOW.line} y2={BELOW.line} className={classes["axis"]} />
            {marks
              .filter(({ afterMs }) => afterMs <= enlargedMs)
              .map(({ afterMs, attempt, isFailed }) => (
                <circle key={attempt} cx={below(afterMs)} cy={BELOW.line} r={RADIUS} data-failed={isFailed} />
              ))}
            {belowLabels.map(({ at, attempt, text }) => (
              <g key={attempt}>
                <text x={at} y={BELOW.line - 12} textAnchor="middle" className={classes["what"]}>
                  {attempt}
                </text>
                <text x={at} y={BELOW.line + 22} textAnchor="middle">
                  {text}
                </text>
              </g>
            ))}
          </>
        )}
      </svg>
    </div>
  )
}
