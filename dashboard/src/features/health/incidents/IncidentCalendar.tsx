/**
 * Incidents of 90 days: a column for each day, midnight on top. A failure is at least 3 pixels high, and a link to its
 * incident: hover and focus say what it was.
 */
import { Tooltip } from "@mantine/core"
import { useElementSize } from "@mantine/hooks"
import { useRouter } from "@tanstack/react-router"
import { type MouseEvent, useMemo } from "react"
import type { Incident } from "../../../api/ledgerhook.ts"
import classes from "../../../charts/charts.module.css"
import { useNow } from "../../../ui/value/now.ts"
import { duration, hourMinute, localDay, localTime, plural } from "../../../words/format.ts"
import { visible } from "../../../words/visible.ts"
import { calendarDays, lengthOf, totalLength } from "./calendar.ts"

export const CALENDAR_DAYS = 90

const [LEFT, HEIGHT, FOOT] = [44, 96, 22]
const LEAST_PIXELS = 3
/** A pointer hits a failure that is at least this high. */
const REACH_PIXELS = 12
const MINUTE_MS = 60_000

const hours = [
  ["00:00", 0],
  ["12:00", 0.5],
  ["24:00", 1]
] as const

interface IncidentCalendarProps {
  readonly incidents: ReadonlyArray<Incident>
  /** Names the webhook of an incident. By default it is not named. */
  readonly nameOf?: (webhookId: string) => string
}

/** "Treasury payouts, 19 Nov, 08:18:40, 18 min: HTTP 503" */
const sentenceOf = (incident: Incident, name: string | undefined, now: number): string => {
  const lasted = duration(Math.max(lengthOf(incident, now), 1_000), true)
  return [
    name && visible(name),
    localTime(new Date(incident.began_at)),
    `${lasted}${incident.ended_at === null ? " so far" : ""}${incident.cause === null ? "" : `: ${visible(incident.cause)}`}`
  ]
    .filter(Boolean)
    .join(", ")
}

interface Part {
  /** The day's place. */
  readonly day: number
  readonly from: number
  readonly to: number
}

interface CellProps {
  readonly incident: Incident
  readonly parts: ReadonlyArray<Part>
  readonly label: string
  readonly step: number
}

const Cell = ({ incident: { id }, parts, label, step }: CellProps) => {
  const router = useRouter()
  const { href } = router.buildLocation({ to: "/incidents/$id", params: { id } })
  const open = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    router.navigate({ to: "/incidents/$id", params: { id } })
  }
  return (
    <Tooltip label={label} events={{ hover: true, focus: true, touch: true }}>
      <a href={href} aria-label={label} className={classes["incidentLink"]} onClick={open}>
        {parts.map(({ day, from, to }) => {
          const height = Math.max((to - from) * HEIGHT, LEAST_PIXELS)
          const y = Math.min(from * HEIGHT, HEIGHT - LEAST_PIXELS)
          const spare = Math.max(REACH_PIXELS - height, 0) / 2
          const [x, width] = [LEFT + day * step, Math.max(step - 1.5, 1)]
          return (
            <g key={day}>
              <rect x={x} y={y} width={width} height={height} rx={1.5} className={classes["incident"]} />
              <rect
                x={x}
                y={y - spare}
                width={step}
                height={height + 2 * spare}
                className={classes["reach"]}
              />
            </g>
          )
        })}
      </a>
    </Tooltip>
  )
}

export const IncidentCalendar = ({ incidents, nameOf }: IncidentCalendarProps) => {
  const { ref, width } = useElementSize()
  // The calendar changes slowly.
  const now = Math.floor(useNow() / MINUTE_MS) * MINUTE_MS
  const days = useMemo(() => calendarDays([], now, CALENDAR_DAYS), [now])
  const cells = useMemo(
    () =>
      incidents.map((incident) => ({
        incident,
        parts: calendarDays([incident], now, CALENDAR_DAYS).flatMap(({ failing }, day) =>
          failing.map(({ from, to }): Part => ({ day, from, to }))
        )
      })),
    [incidents, now]
  )
  const step = Math.max(width - LEFT, 1) / days.length
  const total = totalLength(incidents, now)
  const today = new Date(now)
  const passed = (today.getHours() * 60 + today.getMinutes()) / (24 * 60)
  return (
    <div ref={ref}>
      {/* biome-ignore lint/a11y/useSemanticElements: a picture is no fieldset. */}
      <svg
        className={classes["plot"]}
        height={HEIGHT + FOOT}
        role="group"
        aria-label={`The last ${CALENDAR_DAYS} days until ${hourMinute(now)}: ${plural(incidents.length, "incident")}, ${duration(total, true)} in all.`}
      >
        <g className={classes["axis"]} aria-hidden>
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
        {days.map(({ at }, index) => (
          <rect
            key={at}
            x={LEFT + index * step}
            width={Math.max(step - 1.5, 1)}
            height={index === days.length - 1 ? Math.max(passed * HEIGHT, 1) : HEIGHT}
            rx={1.5}
            className={classes["day"]}
          />
        ))}
        {cells.map(({ incident, parts }) => (
          <Cell
            key={incident.id}
            incident={incident}
            parts={parts}
            label={sentenceOf(incident, nameOf?.(incident.webhook_id), now)}
            step={step}
          />
        ))}
      </svg>
    </div>
  )
}
