/** The attempts of each day of the month: made, to come at the present pace, and those that would wait for the quota. */
import { useElementSize } from "@mantine/hooks"
import { type PointerEvent, useState } from "react"
import charts from "../../../charts/charts.module.css"
import { roundStep } from "../../../charts/scale.ts"
import { Section } from "../../../ui/page/Page.tsx"
import { count, localDay, shortCount, utcDay } from "../../../words/format.ts"
import type { Day } from "./forecast.ts"
import classes from "./UsageByDay.module.css"

const HEIGHT = 208
const AXIS = { left: 44, bottom: 26, top: 30 }
const GAP = 6
const DAY_MS = 86_400_000
/** Days between labels, and the least pixels of a day at which its bar has a gap. */
const LABEL_DAYS = 7
const WIDE = 20

interface UsageByDayProps {
  readonly days: ReadonlyArray<Day>
  readonly nowMs: number
  /** When the quota is used up at this pace. */
  readonly usedUpAt: number | undefined
  readonly quota: number | null
}

const isToday = ({ at }: Day, nowMs: number) => at <= nowMs && nowMs < at + DAY_MS

const labelOf = (day: Day, index: number, nowMs: number): string => {
  if (isToday(day, nowMs)) return "today"
  if (index === 0) return utcDay(day.at)
  const date = index + 1
  const beside = Math.abs(day.at - nowMs) < 2 * DAY_MS
  return date % LABEL_DAYS === 0 && !beside ? String(date) : ""
}

export const UsageByDay = ({ days, nowMs, usedUpAt, quota }: UsageByDayProps) => {
  const { ref, width } = useElementSize()
  const [cursor, setCursor] = useState<number>()
  const most = Math.max(...days.map(({ made, toCome, wouldWait }) => made + toCome + wouldWait), 1)
  const step = roundStep(most, 3)
  const marks = Array.from({ length: Math.floor(most / step) + 1 }, (_, at) => at * step)
  const floor = HEIGHT - AXIS.bottom
  const place = Math.max(width - AXIS.left, 1) / days.length
  const bar = Math.max(place - (place < WIDE ? 2 : GAP), 1)
  const y = (value: number) => floor - (value / most) * (floor - AXIS.top)
  const shown = cursor === undefined ? undefined : days[cursor]
  const move = (event: PointerEvent<SVGSVGElement>) => {
    const at = event.clientX - event.currentTarget.getBoundingClientRect().left - AXIS.left
    setCursor(at < 0 ? undefined : Math.min(Math.floor(at / place), days.length - 1))
  }
  const reachedX =
    usedUpAt === undefined ? undefined : AXIS.left + ((usedUpAt - days[0]!.at) / DAY_MS) * place
  const sum = (of: "made" | "toCome" | "wouldWait") => days.reduce((total, day) => total + day[of], 0)
  const made = sum("made")
  const hasMore = days.some(({ toCome, wouldWait }) => toCome + wouldWait > 0)
  return (
    <Section
      title="Attempts by day"
      actions={
        <div className={charts["legend"]}>
          <b>{shown ? utcDay(shown.at) : "This month"}</b>
          <span>
            <i className={charts["key"]} />
            made <b>{count(shown?.made ?? made)}</b>
          </span>
          {hasMore && (
            <span>
              <i className={charts["key"]} data-forecast />
              to come at this pace <b>{count(Math.round(shown?.toCome ?? sum("toCome")))}</b>
            </span>
          )}
          {usedUpAt !== undefined && (
            <span>
              <i className={charts["key"]} data-wait />
              would wait <b>{count(Math.round(shown?.wouldWait ?? sum("wouldWait")))}</b>
            </span>
          )}
          <span className="note">days in UTC; retries and replays count, tests do not</span>
        </div>
      }
    >
      <div ref={ref}>
        <svg
          className={classes["plot"]}
          height={HEIGHT}
          role="img"
          aria-label={`Attempts by day of this month: ${count(made)} made so far.`}
          onPointerMove={move}
          onPointerLeave={() => setCursor(undefined)}
        >
          {marks.map((value) => (
            <g key={value}>
              <rect
                x={AXIS.left}
                y={y(value)}
                width={place * days.length}
                height={1}
                className={classes[value === 0 ? "line" : "grid"]}
              />
              <text x={AXIS.left - 8} y={y(value) + 4} textAnchor="end">
                {shortCount(value)}
              </text>
            </g>
          ))}
          {days.map((day, index) => {
            const x = AXIS.left + index * place + (place - bar) / 2
            const parts = [day.made, day.toCome, day.wouldWait]
            const names = ["made", "toCome", "wouldWait"] as const
            return (
              <g key={day.at}>
                {names.map((name, at) => {
                  const below = parts.slice(0, at).reduce((sum, part) => sum + part, 0)
                  const tall = y(below) - y(below + parts[at]!)
                  return (
                    tall > 0 && (
                      <rect
                        key={name}
                        x={x}
                        y={y(below + parts[at]!)}
                        width={bar}
                        height={tall}
                        rx={2}
                        className={classes[name]}
                      />
                    )
                  )
                })}
                <text
                  x={index === 0 ? x : x + bar / 2}
                  y={HEIGHT - 6}
                  textAnchor={index === 0 ? "start" : "middle"}
                  data-today={isToday(day, nowMs) || undefined}
                >
                  {labelOf(day, index, nowMs)}
                </text>
              </g>
            )
          })}
          {reachedX !== undefined && usedUpAt !== undefined && quota !== null && (
            <g className={classes["reached"]}>
              <rect x={reachedX} y={4} width={2} height={floor - 4} />
              <text x={reachedX - 8} y={14} textAnchor="end">
                {count(quota)} reached, {localDay(usedUpAt)}
              </text>
            </g>
          )}
        </svg>
      </div>
    </Section>
  )
}
