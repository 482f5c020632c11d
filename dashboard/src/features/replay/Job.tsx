/** A replay or a retry of many deliveries: the time left, how far it is, its deliveries. Live until nothing waits. */
import { useQuery } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useMay } from "../../api/account.ts"
import { call } from "../../api/call.ts"
import { getReplayJob, type ReplayJobDetail } from "../../api/ledgerhook.ts"
import { liveRefresh } from "../../api/refresh.ts"
import { nameOf, useWebhook } from "../../api/webhooks.ts"
import { Loading } from "../../ui/page/Loading.tsx"
import { FailureNotice, Notice } from "../../ui/page/Notices.tsx"
import { Page, Section } from "../../ui/page/Page.tsx"
import { PlainText } from "../../ui/value/PlainText.tsx"
import { Time } from "../../ui/value/Time.tsx"
import { count, duration, plural } from "../../words/format.ts"
import classes from "./Job.module.css"
import { JobBar } from "./JobBar.tsx"
import { JobDeliveries } from "./JobDeliveries.tsx"
import { PaceChart } from "./PaceChart.tsx"
import { allOf, canStop, detailOf, headlineOf, isUnderWay, timeLeft, titleOf, tookOf } from "./progress.ts"
import { Stop } from "./Stop.tsx"
import { usePace } from "./usePace.ts"

const route = getRouteApi("/shell/replay/$id")

const within = { to: "/replay", label: "Replays" } as const

interface FigureProps {
  readonly name: string
  readonly value: number | null
  readonly look?: "delivered" | "waiting" | "failed"
  readonly detail?: string | false
}

const Figure = ({ name, value, look, detail }: FigureProps) => (
  <div>
    <div className="figure-name">
      {look && <i className={classes["key"]} data-look={look} />}
      {name}
    </div>
    <div className="figure-value">
      <span className={value === 0 ? classes["zero"] : undefined}>{value === null ? "–" : count(value)}</span>{" "}
      {detail && <span className="figure-detail">{detail}</span>}
    </div>
  </div>
)

const Figures = ({ job, pace }: { readonly job: ReplayJobDetail; readonly pace: number | undefined }) => {
  const all = allOf(job)
  const isMoving = isUnderWay(job) && pace !== undefined
  return (
    <div className={classes["facts"]}>
      <Figure name="Sent" value={job.processed_events} detail={`of ${count(all)}`} />
      <Figure name="Delivered" look="delivered" value={job.delivered} />
      <Figure name="Waiting" look="waiting" value={job.waiting} />
      <Figure name="Failed" look="failed" value={job.failed} detail="for good" />
      {isMoving ? (
        <div>
          <div className="figure-name">Pace</div>
          <div className="figure-value">
            {pace >= 10 ? count(Math.round(pace)) : pace.toFixed(1)}{" "}
            <span className="figure-detail">a second</span>
          </div>
        </div>
      ) : (
        <Figure name="To send" value={canStop(job) ? all - job.processed_events : 0} />
      )}
    </div>
  )
}

const Facts = ({ job }: { readonly job: ReplayJobDetail }) => {
  const took = tookOf(job)
  const { failed_events, history, skipped_ledgers } = job
  return (
    <dl className="facts">
      <dt>Started</dt>
      <dd>
        <Time at={job.created_at} exact />
        {took !== undefined && `, took ${duration(Math.max(took, 1_000), true)}`}
      </dd>
      {failed_events > 0 && (
        <>
          <dt>Could not be queued</dt>
          <dd>{count(failed_events)}: unknown ids, or events that are no longer kept</dd>
        </>
      )}
      {history !== undefined && (
        <>
          <dt>Older ledgers</dt>
          <dd>
            {count(history.fetched_ledgers)}
            {history.ledgers !== null && ` of ${count(history.ledgers)}`} fetched
          </dd>
        </>
      )}
      {skipped_ledgers !== undefined && (
        <>
          <dt>Missing</dt>
          <dd>{plural(skipped_ledgers.length, "ledger")} that no server had</dd>
        </>
      )}
      <dt>Id</dt>
      <dd className="mono">{job.job_id}</dd>
    </dl>
  )
}

const Content = ({ job, at }: { readonly job: ReplayJobDetail; readonly at: number }) => {
  const webhook = useWebhook(job.webhook_id)
  const mayWrite = useMay("deliveries:write")
  const { pace, samples } = usePace(job, at)
  const left = timeLeft(job, pace)
  return (
    <Page
      within={within}
      title={headlineOf(job, left)}
      name={`${job.job_id.slice(0, 13)}…${job.job_id.slice(-4)}`}
      note={
        <>
          {titleOf(job)}, {detailOf(job)}, to{" "}
          <Link to="/webhooks/$id" params={{ id: job.webhook_id }}>
            <PlainText>{nameOf(webhook, job.webhook_id)}</PlainText>
          </Link>
        </>
      }
      actions={mayWrite && canStop(job) && <Stop job={job} icon />}
    >
      {job.error !== null && (
        <Notice>
          <strong className="bad">Why it failed</strong>
          <PlainText>{job.error}</PlainText>
        </Notice>
      )}
      <div role="status">
        <JobBar job={job} />
        <Figures job={job} pace={pace} />
      </div>
      {isUnderWay(job) && samples.length > 2 && (
        <Section title="Deliveries a second" note="answered or given up, since this page was opened">
          <PaceChart samples={samples} pace={pace} leftMs={left} />
        </Section>
      )}
      <Facts job={job} />
      <JobDeliveries job={job} />
    </Page>
  )
}

const Loaded = () => {
  const { id } = route.useParams()
  const job = useQuery({
    queryKey: ["replay", "one", id],
    queryFn: () => call(getReplayJob(id)),
    refetchInterval: ({ state }) =>
      state.data !== undefined && !isUnderWay(state.data) ? false : liveRefresh()
  })
  if (job.data !== undefined) return <Content key={id} job={job.data} at={job.dataUpdatedAt} />
  return (
    <Page within={within} title="Replay">
      {job.isError ? (
        <FailureNotice failure={job.error} onRetry={() => job.refetch()} />
      ) : (
        <Loading lines={8} height={20} />
      )}
    </Page>
  )
}

export const Job = () =>
  useMay("deliveries:read") ? (
    <Loaded />
  ) : (
    <Page within={within} title="Replay">
      This key may not see replays (scope deliveries:read).
    </Page>
  )
