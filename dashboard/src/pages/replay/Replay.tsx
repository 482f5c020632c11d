/** All replays, and retries of many deliveries. */
import { Button } from "@mantine/core"
import { Link } from "@tanstack/react-router"
import { useMemo } from "react"
import { useMay } from "../../api/account.ts"
import { call } from "../../api/call.ts"
import { listReplayJobs, type ReplayJob } from "../../api/ledgerhook.ts"
import { PAGE_ROWS, useList } from "../../api/list.ts"
import { nameIn, useNewestWebhooks } from "../../api/webhooks.ts"
import { columnsOf, DataTable } from "../../parts/DataTable.tsx"
import { shortCount } from "../../parts/format.ts"
import { NarrowOnly } from "../../parts/Narrow.tsx"
import { Empty } from "../../parts/Notices.tsx"
import { Page, Section } from "../../parts/Page.tsx"
import { PlainText } from "../../parts/PlainText.tsx"
import { Status } from "../../parts/Status.tsx"
import { Time } from "../../parts/Time.tsx"
import { kindOf } from "./progress.ts"

const column = columnsOf<ReplayJob>()

const columnsWith = (webhookName: (id: string) => string) =>
  column.columns([
    column.accessor("status", {
      header: "Status",
      meta: { width: "8rem" },
      cell: ({ getValue }) => <Status of={getValue()} />
    }),
    column.accessor("created_at", {
      header: "Job",
      cell: ({ row: { original } }) => (
        <>
          <Link to="/replay/$id" params={{ id: original.job_id }}>
            {kindOf(original)}, <Time at={original.created_at} />
          </Link>
          <NarrowOnly>
            {shortCount(original.processed_events)} of {shortCount(original.total_events)}
          </NarrowOnly>
        </>
      )
    }),
    column.accessor("webhook_id", {
      header: "Webhook",
      meta: { from: "sm" },
      cell: ({ getValue }) => <PlainText>{webhookName(getValue())}</PlainText>
    }),
    column.accessor("processed_events", {
      header: "Queued",
      meta: { width: "11rem", from: "sm", align: "end" },
      cell: ({ row: { original } }) =>
        `${shortCount(original.processed_events)} of ${shortCount(original.total_events)}`
    }),
    column.accessor("error", {
      header: "Error",
      meta: { from: "lg" },
      cell: ({ getValue }) => <PlainText>{getValue() ?? ""}</PlainText>
    })
  ])

const Rows = () => {
  const mayWrite = useMay("deliveries:write")
  const webhooks = useNewestWebhooks()
  const columns = useMemo(() => columnsWith((id) => nameIn(webhooks, id)), [webhooks])
  const list = useList(["replay", "list"], (cursor) => call(listReplayJobs({ limit: PAGE_ROWS, cursor })))
  const create = mayWrite && (
    <Button component={Link} to="/replay/new">
      New replay
    </Button>
  )
  return (
    <Page title="Replays" actions={create}>
      <DataTable
        label="Replays"
        columns={columns}
        list={list}
        rowId={({ job_id }) => job_id}
        empty={
          <Empty title="No replay yet">
            <div className="stack" style={{ alignItems: "center" }}>
              A replay sends past events to a webhook again: after an outage of your server, or to fill a new
              one.
              {create}
            </div>
          </Empty>
        }
      />
    </Page>
  )
}

export const Replay = () =>
  useMay("deliveries:read") ? (
    <Rows />
  ) : (
    <Page title="Replays">
      <Section>This key may not see replays (scope deliveries:read).</Section>
    </Page>
  )
