/** All replays, and retries of many deliveries: those under way with their bar, the others as a list. */
import { Button } from "@mantine/core"
import { IconPlus } from "@tabler/icons-react"
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router"
import { useMemo, useRef } from "react"
import { useMay } from "../../api/account.ts"
import { call } from "../../api/call.ts"
import { listReplayJobs, type ReplayJob, type Webhook } from "../../api/ledgerhook.ts"
import { type List, PAGE_ROWS, useList } from "../../api/list.ts"
import { autoRefresh, liveRefresh } from "../../api/refresh.ts"
import { nameIn, useNewestWebhooks } from "../../api/webhooks.ts"
import { Chips } from "../../ui/filter/Chips.tsx"
import { WebhookSelect } from "../../ui/filter/WebhookSelect.tsx"
import { columnsOf, DataTable } from "../../ui/list/DataTable.tsx"
import { Empty } from "../../ui/page/Notices.tsx"
import { Page } from "../../ui/page/Page.tsx"
import { PlainText } from "../../ui/value/PlainText.tsx"
import { Status } from "../../ui/value/Status.tsx"
import { Time } from "../../ui/value/Time.tsx"
import { count, duration } from "../../words/format.ts"
import type { JobFilters } from "./filters.ts"
import classes from "./Job.module.css"
import { JobBar } from "./JobBar.tsx"
import { LiveJob } from "./LiveJob.tsx"
import {
  allOf,
  detailOf,
  headlineOfAll,
  isUnderWay,
  outcomeOf,
  statusOf,
  titleOf,
  tookOf
} from "./progress.ts"

const route = getRouteApi("/shell/replay")
const column = columnsOf<ReplayJob>()

const labels = { cancelled: "Stopped", completed: "Completed" } as const

const JobStatus = ({ job }: { readonly job: ReplayJob }) => {
  const label = labels[job.status as keyof typeof labels]
  return <Status of={statusOf(job)} {...(label === undefined ? {} : { label })} />
}

const Words = ({ job }: { readonly job: ReplayJob }) => {
  const { look, text } = outcomeOf(job)
  return (
    <span className={look === "bad" ? "bad" : look === "wait" ? classes["wait"] : undefined} title={text}>
      <PlainText>{text}</PlainText>
    </span>
  )
}

const What = ({ job }: { readonly job: ReplayJob }) => (
  <>
    <Link to="/replay/$id" params={{ id: job.job_id }}>
      {titleOf(job)}
    </Link>
    <span className={classes["two"]}>{detailOf(job)}</span>
  </>
)

const columnsWith = (webhookName: (id: string) => string) =>
  column.columns([
    column.accessor("status", {
      header: "State",
      meta: { width: "8.25rem" },
      cell: ({ row: { original } }) => <JobStatus job={original} />
    }),
    column.display({ id: "what", header: "What", cell: ({ row: { original } }) => <What job={original} /> }),
    column.accessor("webhook_id", {
      header: "Webhook",
      meta: { width: "11rem", from: "md" },
      cell: ({ getValue }) => <PlainText>{webhookName(getValue())}</PlainText>
    }),
    column.display({
      id: "events",
      header: "Events",
      meta: { width: "5rem", align: "end", from: "sm" },
      cell: ({ row: { original } }) => count(allOf(original))
    }),
    column.display({
      id: "outcome",
      header: "Outcome",
      meta: { width: "17rem", from: "sm" },
      cell: ({ row: { original } }) => (
        <div className={classes["outcome"]}>
          <JobBar job={original} small />
          <Words job={original} />
        </div>
      )
    }),
    column.accessor("created_at", {
      header: "Started",
      meta: { width: "8rem", align: "end" },
      cell: ({ getValue }) => <Time at={getValue()} />
    }),
    column.display({
      id: "took",
      header: "Took",
      meta: { width: "6.5rem", align: "end", from: "md" },
      cell: ({ row: { original } }) => {
        const took = tookOf(original)
        return took === undefined ? "–" : duration(Math.max(took, 1_000), true)
      }
    })
  ])

/** Above the list there are at most this many. */
const SHOWN = 3

/** Whether its counts change: nothing of a job waits for a webhook that answers. */
const isMoving = (job: ReplayJob, webhook: Webhook | undefined) =>
  isUnderWay(job) &&
  (job.status === "running" ||
    (job.status === "completed" &&
      (webhook === undefined || ["healthy", "waiting", "new"].includes(webhook.health.state))))

const useJobs = () => {
  const isLive = useRef(false)
  const list = useList(
    ["replay", "list"],
    (cursor) => call(listReplayJobs({ limit: PAGE_ROWS, cursor })),
    () => (isLive.current ? liveRefresh() : autoRefresh())
  )
  isLive.current = list.data?.some(isUnderWay) ?? false
  return list
}

const matching =
  ({ mode, webhook_id }: JobFilters) =>
  (job: ReplayJob) =>
    (mode === undefined || job.mode === mode) && (webhook_id === undefined || job.webhook_id === webhook_id)

const Rows = () => {
  const mayWrite = useMay("deliveries:write")
  const webhooks = useNewestWebhooks()
  const columns = useMemo(() => columnsWith((id) => nameIn(webhooks, id)), [webhooks])
  const filters = route.useSearch()
  const navigate = useNavigate()
  const filter = (next: JobFilters) =>
    navigate({ to: "/replay", search: { ...filters, ...next }, replace: true })
  const list = useJobs()
  const all = list.data ?? []
  const moving = all.filter((job) =>
    isMoving(
      job,
      webhooks.find(({ id }) => id === job.webhook_id)
    )
  )
  const shown = all.filter(matching(filters)).filter((job) => !moving.slice(0, SHOWN).includes(job))
  const rowsOf = (mode: JobFilters["mode"]) =>
    list.hasNextPage ? undefined : all.filter(matching({ ...filters, mode })).length
  const create = mayWrite && (
    <Button component={Link} to="/replay/new" leftSection={<IconPlus size={16} aria-hidden />}>
      New replay
    </Button>
  )
  return (
    <Page
      title={headlineOfAll(moving, all.filter(({ status }) => status === "queued").length)}
      actions={create}
    >
      {moving.slice(0, SHOWN).map((job) => (
        <LiveJob
          key={job.job_id}
          job={job}
          at={list.dataUpdatedAt}
          webhook={nameIn(webhooks, job.webhook_id)}
        />
      ))}
      {list.data?.length === 0 ? (
        <Empty title="No replay yet">
          <p>
            A replay sends past events to a webhook again: after an outage of your server, or to fill a new
            one. A retry of many deliveries is in this list too.
          </p>
        </Empty>
      ) : (
        <div className="stack-small">
          <search className={classes["filters"]} aria-label="Filters">
            <Chips
              label="Kind"
              chips={[
                { value: undefined, label: "All", rows: rowsOf(undefined) },
                { value: "replay", label: "Replays", rows: rowsOf("replay") },
                { value: "retry", label: "Retries", rows: rowsOf("retry") }
              ]}
              chosen={filters.mode}
              choose={(mode) => filter({ mode })}
            />
            <WebhookSelect
              placeholder="Any webhook"
              value={filters.webhook_id}
              onChange={(webhook_id) => filter({ webhook_id })}
            />
          </search>
          <DataTable
            label="Replays and retries"
            columns={columns}
            list={{ ...list, data: list.data && shown } as List<ReplayJob>}
            rowId={({ job_id }) => job_id}
            lines={2}
            narrow={(job) => (
              <div className={classes["narrow"]}>
                <Link to="/replay/$id" params={{ id: job.job_id }}>
                  {titleOf(job)}
                </Link>
                <JobStatus job={job} />
                <span className="note">
                  <PlainText>{nameIn(webhooks, job.webhook_id)}</PlainText>, <Words job={job} />
                </span>
                <span className="note">
                  <Time at={job.created_at} />
                </span>
                <JobBar job={job} small />
              </div>
            )}
            empty={
              moving.length > 0 && filters.mode === undefined ? (
                <p className="quiet">No other job.</p>
              ) : (
                <Empty title="No job matches">Choose another kind or another webhook.</Empty>
              )
            }
          />
        </div>
      )}
    </Page>
  )
}

export const Replay = () =>
  useMay("deliveries:read") ? (
    <Rows />
  ) : (
    <Page title="Replays">This key may not see replays (scope deliveries:read).</Page>
  )
