/**
 * A time: relative within a day ("3 s ago"), otherwise with its date. Its tooltip has the exact time, in the viewer's
 * zone and in UTC.
 */
import { Tooltip } from "@mantine/core"
import type { ReactNode } from "react"
import { exactTime, localDate, localTime, relativeTime } from "../../words/format.ts"
import { useNow } from "./now.ts"
import classes from "./Time.module.css"

interface TimeProps {
  /** An ISO 8601 time or Unix milliseconds. */
  readonly at: string | number
  /** Shows the time of day even if it is not long ago. */
  readonly exact?: boolean
}

const Relative = ({ date }: { readonly date: Date }) =>
  relativeTime(date.getTime(), useNow()) ?? localTime(date)

/** The text of a time, with the exact one at hand. */
const Shown = ({ date, children }: { readonly date: Date; readonly children: ReactNode }) => {
  const iso = date.toISOString()
  return (
    <Tooltip
      label={
        <>
          {exactTime(date)}
          <br />
          <span className={classes["utc"]}>{iso}</span>
        </>
      }
      events={{ hover: true, focus: true, touch: true }}
    >
      <time dateTime={iso} className={classes["time"]}>
        {children}
      </time>
    </Tooltip>
  )
}

export const Time = ({ at, exact = false }: TimeProps) => {
  const date = new Date(at)
  return <Shown date={date}>{exact ? localTime(date) : <Relative date={date} />}</Shown>
}

/** Only the day is shown: "31 Dec". */
export const Day = ({ at }: Pick<TimeProps, "at">) => (
  <Shown date={new Date(at)}>{localDate(new Date(at))}</Shown>
)
