/** What a webhook would send in a day, from the last one. Pure. */
import type { DayPreview } from "../../../api/ledgerhook.ts"
import { count, plural } from "../../../words/format.ts"

const HOURS = 24
const DAYS = 30

/** Events a day. `least`: there may be more. */
export const perDay = ({ at_least, candidates, examined, matched }: DayPreview) => ({
  events: examined === 0 ? 0 : Math.round((candidates * matched) / examined),
  least: at_least === true,
  /** Whether it is computed from a part of the day. */
  estimated: examined < candidates
})

/** "About 412 events a day, 17 an hour". Bold first, then the rest. */
export const costOf = (day: DayPreview, quota: number | null): readonly [string, string] => {
  const { events, least, estimated } = perDay(day)
  if (events === 0) return ["No event of the last 24 h would be sent.", ""]
  const hourly = Math.round(events / HOURS)
  const about = least ? "At least" : "About"
  const rate = hourly === 0 ? "less than one an hour" : `${count(hourly)} an hour`
  const month = events * DAYS
  const cost =
    day.network !== "mainnet"
      ? `attempts on ${day.network} do not count towards the quota`
      : quota === null
        ? "the plan has no quota"
        : `each attempt counts towards the quota: ${count(month)} of ${count(quota)} a month`
  const doubt = estimated ? ", as far as the newest say" : ""
  return [`${about} ${plural(events, "event")} a day,`, `${rate}${doubt}; ${cost}.`]
}
