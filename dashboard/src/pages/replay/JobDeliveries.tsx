/** The deliveries of a job, by what has become of them. */
import { Link } from "@tanstack/react-router"
import { useMemo, useState } from "react"
import { call } from "../../api/call.ts"
import { type Delivery, listDeliveries, type ReplayJob } from "../../api/ledgerhook.ts"
import { PAGE_ROWS, useList } from "../../api/list.ts"
import { autoRefresh } from "../../api/refresh.ts"
import { Chips } from "../../parts/Chips.tsx"
import { columnsOf, DataTable } from "../../parts/DataTable.tsx"
import { EventTypeName } from "../../parts/EventTypeName.tsx"
import { count } from "../../parts/format.ts"
import { NarrowOnly } from "../../parts/Narrow.tsx"
import { Section } from "../../parts/Page.tsx"
import { PlainText } from "../../parts/PlainText.tsx"
import { Status, StatusIcon } from "../../parts/Status.tsx"
import { Time } from "../../parts/Time.tsx"
import { ledgerOf } from "./ledgers.ts"
import { isUnderWay } from "./progress.ts"

const statuses = {
  waiting: ["pending", "retrying"],
  delivered: ["delivered"],
  failed: ["failed"]
} as const

type Choice = keyof typeof statuses | undefined

const column = columnsOf<Delivery>()

const columns = column.columns([
  column.accessor("status", {
    header: "Status",
    meta: { width: "8rem" },
    cell: ({ getValue }) => <Status of={getValue()} />
  }),
  column.accessor("event_type", {
    header: "Event",
    meta: { width: "min(15rem, 100cqw - 8rem)" },
    cell: ({ row: { original } }) => (
      <>
        <Link to="/deliveries/$id" params={{ id: original.id }}>
          <EventTypeName>{original.event_type}</EventTypeName>
        </Link>
        <NarrowOnly>{original.last_error ?? <Time at={original.updated_at} />}</NarrowOnly>
      </>
    )
  }),
  column.accessor("event_id", {
    header: "Ledger",
    meta: { width: "9rem", from: "sm" },
    cell: ({ getValue }) => {
      const ledger = ledgerOf(getValue())
      return <span className="quiet">{ledger === undefined ? "–" : count(ledger)}</span>
    }
  }),
  column.accessor("last_error", {
    header: "Last error",
    meta: { from: "sm" },
    cell: ({ getValue }) => {
      const error = getValue()
      return error === null ? <span className="quiet">–</span> : <PlainText>{error}</PlainText>
    }
  }),
  column.accessor("attempts", {
    header: "Attempts",
    meta: { width: "6rem", from: "sm", align: "end" },
    cell: ({ getValue }) => count(getValue())
  }),
  column.accessor("updated_at", {
    header: "Changed",
    meta: { width: "9rem", from: "sm", align: "end" },
    cell: ({ getValue }) => <Time at={getValue()} />
  })
])

export const JobDeliveries = ({ job }: { readonly job: ReplayJob }) => {
  const [choice, choose] = useState<Choice>()
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
    <Section title="Deliveries">
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
          empty={
            <p className="quiet">
              {choice === undefined
                ? isUnderWay(job)
                  ? "None yet."
                  : "None are kept."
                : `None ${choice === "waiting" ? "waits" : `is ${choice}`}.`}
            </p>
          }
        />
      </div>
    </Section>
  )
}
