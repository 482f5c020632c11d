/** How far a job is: delivered, waiting (hatched), failed, the rest empty. */
import type { ReplayJob } from "../../api/ledgerhook.ts"
import { count } from "../../words/format.ts"
import classes from "./Job.module.css"
import { allOf } from "./progress.ts"

interface JobBarProps {
  readonly job: ReplayJob
  /** 8 pixels high instead of 12. */
  readonly small?: boolean
}

export const JobBar = ({ job, small = false }: JobBarProps) => {
  const { delivered, failed, processed_events, waiting } = job
  const all = allOf(job)
  // Jobs from before release 0.3 know only what was queued.
  const parts =
    delivered === null
      ? [{ look: "delivered", events: processed_events }]
      : [
          { look: "delivered", events: delivered },
          { look: "waiting", events: waiting ?? 0 },
          { look: "failed", events: failed ?? 0 }
        ]
  const words = parts.map(({ events, look }) => `${count(events)} ${look}`).join(", ")
  return (
    <div className={classes["bar"]} data-small={small} role="img" aria-label={`Of ${count(all)}: ${words}.`}>
      {parts.map(({ events, look }) =>
        events === 0 ? null : (
          <i key={look} data-look={look} style={{ width: `${(100 * events) / Math.max(all, 1)}%` }} />
        )
      )}
    </div>
  )
}
