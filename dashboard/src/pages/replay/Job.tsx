/** A replay or a retry of many deliveries: how far it is, and its end. */
import { Alert, Button, Modal, Progress } from "@mantine/core"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useState } from "react"
import { useMay } from "../../api/account.ts"
import { call } from "../../api/call.ts"
import { cancelReplayJob, getReplayJob, type ReplayJobDetail } from "../../api/ledgerhook.ts"
import { liveRefresh } from "../../api/refresh.ts"
import { nameOf, useWebhook } from "../../api/webhooks.ts"
import { count } from "../../parts/format.ts"
import { Loading } from "../../parts/Loading.tsx"
import { FailureNotice } from "../../parts/Notices.tsx"
import { Page, Section } from "../../parts/Page.tsx"
import { PlainText } from "../../parts/PlainText.tsx"
import { Status } from "../../parts/Status.tsx"
import { Time } from "../../parts/Time.tsx"
import { hasEnded, kindOf, rateOf, stateOf } from "./progress.ts"

const route = getRouteApi("/shell/replay/$id")

const Cancel = ({ job }: { readonly job: ReplayJobDetail }) => {
  const [open, setOpen] = useState(false)
  const queries = useQueryClient()
  const cancel = useMutation({
    mutationFn: () => call(cancelReplayJob(job.job_id)),
    onSuccess: () => setOpen(false),
    // Also after a refusal: the job may have ended meanwhile.
    onSettled: () => queries.invalidateQueries({ queryKey: ["replay"] })
  })
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Cancel the job
      </Button>
      <Modal opened={open} onClose={() => setOpen(false)} title="Cancel this job?">
        <div className="stack">
          <p style={{ margin: 0 }}>
            It stops within a second. What it has queued may still be sent. It cannot be resumed, but a new
            one can be started.
          </p>
          {cancel.isError && <FailureNotice failure={cancel.error} />}
          <div className="row">
            <Button color="red" loading={cancel.isPending} onClick={() => cancel.mutate()}>
              Cancel the job
            </Button>
            <Button variant="default" onClick={() => setOpen(false)}>
              Keep it running
            </Button>
          </div>
        </div>
      </Modal>
    </>
  )
}

const Content = ({ job }: { readonly job: ReplayJobDetail }) => {
  const webhook = useWebhook(job.webhook_id)
  const rate = rateOf(job, Date.now())
  return (
    <>
      {job.error !== null && (
        <Alert color="red" variant="light" title="The job failed">
          <PlainText>{job.error}</PlainText>
        </Alert>
      )}
      <Section>
        <div className="row" style={{ justifyContent: "space-between" }}>
          <Status of={job.status} />
          <span className="figure-value">{Math.floor(job.progress_percent)}%</span>
        </div>
        <Progress
          value={job.progress_percent}
          color={job.status === "failed" ? "red" : "indigo"}
          aria-label="Progress"
          size="xl"
          my="sm"
        />
        <div role="status">{stateOf(job)}</div>
      </Section>
      <Section>
        <dl className="facts">
          <dt>Webhook</dt>
          <dd>
            <Link to="/webhooks/$id" params={{ id: job.webhook_id }}>
              <PlainText>{nameOf(webhook, job.webhook_id)}</PlainText>
            </Link>
          </dd>
          <dt>What it does</dt>
          <dd>
            {job.mode === "retry"
              ? "attempts again deliveries that have not succeeded"
              : "sends past events as new deliveries"}
          </dd>
          <dt>{job.mode === "retry" ? "Deliveries" : "Events"}</dt>
          <dd>
            {count(job.processed_events)} of {count(job.total_events)} queued
            {rate !== undefined && `, ${rate >= 10 ? count(Math.round(rate)) : rate.toFixed(1)} a second`}
          </dd>
          {job.failed_events > 0 && (
            <>
              <dt>Could not be queued</dt>
              <dd>{count(job.failed_events)}: unknown ids, or events that are no longer kept</dd>
            </>
          )}
          <dt>Started</dt>
          <dd>
            <Time at={job.created_at} />
          </dd>
          {job.completed_at !== null && (
            <>
              <dt>Completed</dt>
              <dd>
                <Time at={job.completed_at} />
              </dd>
            </>
          )}
          <dt>Id</dt>
          <dd className="mono">{job.job_id}</dd>
        </dl>
        <p style={{ margin: "0.75rem 0 0" }}>
          <Link to="/deliveries" search={{ webhook_id: job.webhook_id }}>
            Deliveries of the webhook
          </Link>
        </p>
      </Section>
    </>
  )
}

const Loaded = () => {
  const { id } = route.useParams()
  const mayWrite = useMay("deliveries:write")
  const job = useQuery({
    queryKey: ["replay", "one", id],
    queryFn: () => call(getReplayJob(id)),
    refetchInterval: ({ state }) => (state.data !== undefined && hasEnded(state.data) ? false : liveRefresh())
  })
  return (
    <Page
      within={{ to: "/replay", label: "Replays" }}
      title={job.data === undefined ? "Replay" : kindOf(job.data)}
      actions={mayWrite && job.data !== undefined && !hasEnded(job.data) && <Cancel job={job.data} />}
    >
      {job.isError && <FailureNotice failure={job.error} onRetry={() => job.refetch()} />}
      {job.data !== undefined ? <Content job={job.data} /> : !job.isError && <Loading />}
    </Page>
  )
}

export const Job = () =>
  useMay("deliveries:read") ? (
    <Loaded />
  ) : (
    <Page within={{ to: "/replay", label: "Replays" }} title="Replay">
      <Section>This key may not see replays (scope deliveries:read).</Section>
    </Page>
  )
