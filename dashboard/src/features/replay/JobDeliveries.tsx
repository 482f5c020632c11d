/** The deliveries of a job, by what has become of them. */
import { Button } from "@mantine/core"
import { Link } from "@tanstack/react-router"
import { useMemo, useState } from "react"
import { call } from "../../api/call.ts"
import { listDeliveries, type ReplayJob } from "../../api/ledgerhook.ts"
import { PAGE_ROWS, useList } from "../../api/list.ts"
import { autoRefresh } from "../../api/refresh.ts"
import { useWebhook } from "../../api/webhooks.ts"
import { Chips } from "../../ui/filter/Chips.tsx"
import { DataTable } from "../../ui/list/DataTable.tsx"
import { Section } from "../../ui/page/Page.tsx"
import { StatusIcon } from "../../ui/value/Status.tsx"
import { columnsWith, narrowWith } from "../deliveries/list/columns.tsx"
import { isUnderWay } from "./progress.ts"

const statuses = {
  waiting: ["pending", "retrying"],
  delivered: ["delivered"],
  failed: ["failed"]
} as const

type Choice = keyof typeof statuses | undefined

export const JobDeliveries = ({ job }: { readonly job: ReplayJob }) => {
  const [choice, choose] = useState<Choice>()
  const webhook = useWebhook(job.webhook_id)
  // All of them are of one webhook.
  const columns = useMemo(
    () =>
      columnsWith(() => webhook).filter((one) => !("accessorKey" in one && one.accessorKey === "webhook_id")),
    [webhook]
  )
  const refresh = useMemo(() => (isUnderWay(job) ? autoRefresh : () => false as const), [job])
  const list = useList(
    ["replay", "deliveries", job.job_id, choice],
    (cursor) =>
      call(
        listDeliveries({
          jobId: job.job_id,
          limit: PAGE_ROWS,
          cursor,
          ...(choice === undefined ? {} : { status: [...statuses[choice]] })
        })
      ),
    refresh
  )
  const { delivered, failed, waiting } = job
  const sum = (delivered ?? 0) + (waiting ?? 0) + (failed ?? 0)
  return (
    <Section
      title="Deliveries"
      actions={
        <Button component={Link} to={`/deliveries?job_id=${job.job_id}`} size="xs" variant="default">
          Export or retry in the list
        </Button>
      }
    >
      <div className="stack-small">
        <Chips
          label="Status"
          chips={[
            { value: undefined, label: "All", rows: sum },
            { value: "waiting", label: "Waiting", rows: waiting ?? 0, icon: <StatusIcon of="waiting" /> },
            {
              value: "delivered",
              label: "Delivered",
              rows: delivered ?? 0,
              icon: <StatusIcon of="delivered" />
            },
            { value: "failed", label: "Failed", rows: failed ?? 0, icon: <StatusIcon of="failed" /> }
          ]}
          chosen={choice}
          choose={choose}
        />
        <DataTable
          label="Deliveries"
          columns={columns}
          list={list}
          rowId={({ id }) => id}
          narrow={narrowWith(() => webhook)}
          empty={
            <p className="quiet">
              {choice === undefined
                ? isUnderWay(job)
                  ? "None yet."
                  : job.processed_events === 0
                    ? "There are none."
                    : "They are no longer kept."
                : `None ${choice === "waiting" ? "waits" : `is ${choice}`}.`}
            </p>
          }
        />
      </div>
    </Section>
  )
}
