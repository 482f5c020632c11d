/** Incidents of 90 days: a column for each day, midnight on top. A failure is at least 3 pixels high. */
import { useElementSize } from "@mantine/hooks"
import type { Incident } from "../api/ledgerhook.ts"
import { duration, localDay, plural } from "../parts/format.ts"
import { useNow } from "../parts/now.ts"
import { calendarDays, totalLength } from "./calendar.ts"
import classes from "./charts.module.css"

export const CALENDAR_DAYS = 90

const [LEFT, HEIGHT, FOOT] = [44, 96, 22]
const LEAST_PIXELS = 3
const MINUTE_MS = 60_000

const hours = [
  ["00:00", 0],
  ["12:00", 0.5],
  ["24:00", 1]
] as const

export const IncidentCalendar = ({ incidents }: { readonly incidents: ReadonlyArray<Incident> }) => {
  const { ref, width } = useElementSize()
  // The calendar changes slowly.
  const now = Math.floor(useNow() / MINUTE_MS) * MINUTE_MS
  const days = calendarDays(incidents, now, CALENDAR_DAYS)
  const step = Math.max(width - LEFT, 1) / days.length
  const total = totalLength(incidents, now)
  return (
    <div ref={ref}>
      <svg
        className={classes["plot"]}
        height={HEIGHT + FOOT}
        role="img"
        aria-label={`The last ${CALENDAR_DAYS} days: ${plural(incidents.length, "incident")}, ${duration(total, true)} in all.`}
      >
        <g className={classes["axis"]}>
          {hours.map(([text, at]) => (
            <text key={text} x={LEFT - 8} y={at * (HEIGHT - 8) + 8} textAnchor="end">
              {text}
            </text>
          ))}
          {days.map(({ at }, index) =>
            index % 30 === 0 ? (
              <text key={at} x={LEFT + index * step} y={HEIGHT + FOOT - 4}>
                {localDay(at)}
              </text>
            ) : null
          )}
          <text x={width} y={HEIGHT + FOOT - 4} textAnchor="end">
            today
          </text>
        </g>
        {days.map(({ at, failing }, index) => (
          <g key={at}>
            <rect
              x={LEFT + index * step}
              width={Math.max(step - 1.5, 1)}
              height={HEIGHT}
              rx={1.5}
              className={classes["day"]}
            />
            {failing.map(({ from, to }) => (
              <rect
                key={from}
                x={LEFT + index * step}
                y={Math.min(from * HEIGHT, HEIGHT - LEAST_PIXELS)}
                width={Math.max(step - 1.5, 1)}
                height={Math.max((to - from) * HEIGHT, LEAST_PIXELS)}
                rx={1.5}
                className={classes["incident"]}
              />
            ))}
          </g>
        ))}
      </svg>
    </div>
  )
}
