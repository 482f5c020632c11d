/**
 * A time: relative within a day ("3 s ago"), otherwise with its date. Its tooltip has the exact time, in the viewer's
 * zone and in UTC.
 */
import { Tooltip } from "@mantine/core"
import { exactTime, localTime, relativeTime } from "./format.ts"
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

export const Time = ({ at, exact = false }: TimeProps) => {
  const date = new Date(at)
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
        {exact ? localTime(date) : <Relative date={date} />}
      </time>
    </Tooltip>
  )
}
