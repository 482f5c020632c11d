/** Says, above every page, that the service does not answer, and of when the data on the page is. */
import { IconWifiOff } from "@tabler/icons-react"
import { useConnection } from "../api/connection.ts"
import { useNow } from "../ui/value/now.ts"
import { clockTime, duration } from "../words/format.ts"
import classes from "./Shell.module.css"

export const NoConnection = () => {
  const { lostAt, answeredAt } = useConnection()
  const now = useNow()
  if (lostAt === undefined) return null
  return (
    <div className={classes["away"]} role="status">
      <IconWifiOff size={16} aria-hidden />
      <span>
        <b>No connection for {duration(Math.max(now - lostAt, 1_000), true)}.</b>{" "}
        {answeredAt !== undefined && `This page shows the state of ${clockTime(answeredAt)}. `}
        It asks again by itself.
      </span>
    </div>
  )
}
