/** The attempts of each day of the month, which the quota counts. */
import { Spark } from "../../charts/Spark.tsx"
import { count, localDay } from "../../parts/format.ts"
import classes from "./UsageByDay.module.css"

interface UsageByDayProps {
  readonly days: ReadonlyArray<{ readonly date: string; readonly deliveries: number }>
}

/** Days are UTC, as the quota is; noon is that day in most zones. */
const dayOf = (date: string) => localDay(new Date(`${date}T12:00:00Z`))

export const UsageByDay = ({ days }: UsageByDayProps) => {
  const total = days.reduce((sum, { deliveries }) => sum + deliveries, 0)
  const most = Math.max(...days.map(({ deliveries }) => deliveries), 0)
  if (total === 0) return null
  return (
    <div>
      <div className={classes["bars"]}>
        <Spark
          kind="bars"
          description={`Attempts by day of this month: ${count(total)} in all.`}
          values={days.map(({ deliveries }) => deliveries)}
        />
        <div className={classes["ends"]}>
          <span>{days[0] && dayOf(days[0].date)}</span>
          <span>at most {count(most)} on a day</span>
          <span>today</span>
        </div>
      </div>
    </div>
  )
}
