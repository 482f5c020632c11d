/** All webhooks of the account. */
import { Button } from "@mantine/core"
import { Link } from "@tanstack/react-router"
import { useMay } from "../../api/account.ts"
import { call } from "../../api/call.ts"
import { listWebhooks, type Webhook } from "../../api/ledgerhook.ts"
import { PAGE_ROWS, useList } from "../../api/list.ts"
import { columnsOf, DataTable } from "../../parts/DataTable.tsx"
import { count } from "../../parts/format.ts"
import { Empty } from "../../parts/Notices.tsx"
import { Page } from "../../parts/Page.tsx"
import { PlainText } from "../../parts/PlainText.tsx"
import { Status } from "../../parts/Status.tsx"

const column = columnsOf<Webhook>()

const columns = column.columns([
  column.accessor("url", {
    header: "Webhook",
    cell: ({ row: { original } }) => (
      <Link to="/webhooks/$id" params={{ id: original.id }} title={original.url}>
        <PlainText>{original.description ?? original.url}</PlainText>
      </Link>
    )
  }),
  column.accessor("status", {
    header: "Status",
    meta: { width: "7rem" },
    cell: ({ getValue }) => <Status>{getValue()}</Status>
  }),
  column.accessor("network", { header: "Network", meta: { width: "7rem", from: "sm" } }),
  column.accessor("event_types", {
    header: "Events",
    meta: { from: "md" },
    cell: ({ getValue }) => getValue().join(", ")
  }),
  column.accessor("consecutive_failures", {
    header: "Failed in a row",
    meta: { width: "9rem", from: "sm", align: "end" },
    cell: ({ getValue }) => count(getValue())
  })
])

export const Webhooks = () => {
  const mayWrite = useMay("webhooks:write")
  const list = useList(["webhooks"], (cursor) => call(listWebhooks({ limit: PAGE_ROWS, cursor })))
  const create = mayWrite && (
    <Button component={Link} to="/webhooks/new">
      New webhook
    </Button>
  )
  return (
    <Page title="Webhooks" actions={create}>
      <DataTable
        label="Webhooks"
        columns={columns}
        list={list}
        rowId={({ id }) => id}
        empty={
          <Empty title="No webhook yet">
            A webhook is an address of yours that gets events as they happen. {create}
          </Empty>
        }
      />
    </Page>
  )
}
