/** A job that is under way, above the list: its bar, its counts, the time left. */
import { Button } from "@mantine/core"
import { Link } from "@tanstack/react-router"
import { useMay } from "../../api/account.ts"
import type { ReplayJob } from "../../api/ledgerhook.ts"
import { PlainText } from "../../ui/value/PlainText.tsx"
import { count, duration } from "../../words/format.ts"
import classes from "./Job.module.css"
import { JobBar } from "./JobBar.tsx"
import { allOf, canStop, detailOf, timeLeft, titleOf } from "./progress.ts"
import { Stop } from "./Stop.tsx"
import { usePace } from "./usePace.ts"

const keys = ["delivered", "waiting", "failed"] as const

interface LiveJobProps {
  readonly job: ReplayJob
  /** When it was read. */
  readonly at: number
  readonly webhook: string
}

export const LiveJob = ({ job, at, webhook }: LiveJobProps) => {
  const mayWrite = useMay("deliveries:write")
  const left = timeLeft(job, usePace(job, at).pace)
  const toSend = allOf(job) - job.processed_events
  return (
    <section className={classes["live"]} aria-label={titleOf(job)}>
      <div>
        <h2>
          <Link to="/replay/$id" params={{ id: job.job_id }} className={classes["title"]}>
            {titleOf(job)}
          </Link>
          <span>
            to{" "}
            <Link to="/webhooks/$id" params={{ id: job.webhook_id }}>
              <PlainText>{webhook}</PlainText>
            </Link>
          </span>
        </h2>
        <div className="quiet">{detailOf(job)}</div>
      </div>
      <div className={`row ${classes["act"]}`}>
        <Button component={Link} to={`/replay/${job.job_id}`} variant="default">
          Open
        </Button>
        {mayWrite && canStop(job) && <Stop job={job} />}
      </div>
      <div className={classes["progress"]}>
        <JobBar job={job} />
      </div>
      <div className={`figure-value ${classes["left"]}`}>
        {left === undefined ? (
          <span className="figure-detail">{job.status === "running" ? "counting" : "under way"}</span>
        ) : (
          duration(Math.max(left, 1_000), true)
        )}
      </div>
      <div className={classes["counts"]}>
        {keys.map((look) => (
          <span key={look}>
            <i className={classes["key"]} data-look={look} />
            {count(job[look] ?? 0)} {look}
          </span>
        ))}
        <span>{count(toSend)} to send</span>
      </div>
      <div className={classes["left"]} style={{ margin: 0 }}>
        {left !== undefined && <span className="note">left</span>}
      </div>
    </section>
  )
}
