/** Facts of a failing webhook: why and since when, what waits, the next attempt. */
import type { ListedWebhook } from "../../../api/ledgerhook.ts"
import { useNow } from "../../../ui/value/now.ts"
import { PlainText } from "../../../ui/value/PlainText.tsx"
import { adviceFor, causeInFull, hostOf } from "../../../words/causes.ts"
import { count, dayTime, duration, plural } from "../../../words/format.ts"
import classes from "./Failing.module.css"

type Shown = Pick<ListedWebhook, "health" | "stats" | "url">

/** "since 09:41, for 4 h 51 min" */
export const Since = ({ since }: { readonly since: string }) => {
  const [now, at] = [useNow(), Date.parse(since)]
  return `since ${dayTime(at, now)}, for ${duration(Math.max(now - at, 1_000), true)}`
}

/** `withSince`: where no headline says it. */
export const Cause = ({ health, url, withSince }: Shown & { readonly withSince: boolean }) => {
  const { attempts_failed_in_a_row: failed, last_error, since } = health
  const advice = last_error === null ? undefined : adviceFor(last_error, hostOf(url))
  return (
    <>
      <p className={classes["why"]}>
        {last_error !== null && (
          <b>
            <PlainText>{causeInFull(last_error)}</PlainText>
          </b>
        )}{" "}
        {withSince && (
          <>
            <Since since={since} />,{" "}
          </>
        )}
        {plural(failed, "time")} in a row
      </p>
      {advice && <p className={classes["hint"]}>{advice}</p>}
    </>
  )
}

export const Waiting = ({ waiting }: { readonly waiting: number }) => (
  <div>
    <div className={classes["figure"]}>{count(waiting)}</div>
    <div className={classes["what"]}>{waiting === 1 ? "delivery waits" : "deliveries wait"}</div>
  </div>
)

export const NextAttempt = ({ health: { next_attempt_at }, stats }: Shown) => {
  const now = useNow()
  if (next_attempt_at === null) return null
  const at = Date.parse(next_attempt_at)
  const from = stats?.last_answer ? Date.parse(stats.last_answer.at) : at
  const passed = at > from ? Math.min(Math.max((now - from) / (at - from), 0), 1) : 1
  return (
    <div>
      <div className={classes["figure"]}>{at - now < 1_000 ? "now" : duration(at - now, true)}</div>
      {/* A full bar would look stuck, while attempts for what waits follow one another. */}
      {at > now && (
        <div className={classes["bar"]}>
          <i style={{ width: `${passed * 100}%` }} />
        </div>
      )}
      <div className={classes["what"]}>{at - now < 1_000 ? "the next attempt" : "to the next attempt"}</div>
    </div>
  )
}
