/** The account's API keys: who uses them, and until when. */
import { Button } from "@mantine/core"
import { useState } from "react"
import { useAccount, useMay } from "../../api/account.ts"
import { call } from "../../api/call.ts"
import { type ApiKey, listApiKeys } from "../../api/ledgerhook.ts"
import { PAGE_ROWS, useList } from "../../api/list.ts"
import { columnsOf, DataTable } from "../../parts/DataTable.tsx"
import { Empty } from "../../parts/Notices.tsx"
import { Page, Section } from "../../parts/Page.tsx"
import { PlainText } from "../../parts/PlainText.tsx"
import { Status } from "../../parts/Status.tsx"
import { Time } from "../../parts/Time.tsx"
import { NewKey } from "./NewKey.tsx"
import { RevokeKey } from "./RevokeKey.tsx"
import { statusOf } from "./statusOf.ts"

const column = columnsOf<ApiKey>()

const Name = ({ name, id }: Pick<ApiKey, "name" | "id">) => {
  const mine = useAccount().key.id === id
  return (
    <>
      <PlainText>{name}</PlainText>
      {mine && <span className="quiet"> (signed in)</span>}
    </>
  )
}

const columns = column.columns([
  column.accessor("name", { header: "Name", cell: ({ row: { original } }) => <Name {...original} /> }),
  column.accessor("key_hint", {
    header: "Key",
    meta: { width: "12rem", from: "sm" },
    cell: ({ getValue }) => <span className="mono">{getValue()}</span>
  }),
  column.accessor("scopes", {
    header: "May",
    meta: { from: "md" },
    cell: ({ getValue }) => getValue().join(", ")
  }),
  column.accessor("last_used_at", {
    header: "Last used",
    meta: { width: "12rem", from: "sm" },
    cell: ({ getValue }) => {
      const at = getValue()
      return at === null ? "never" : <Time at={at} />
    }
  }),
  column.accessor("expires_at", {
    header: "Expires",
    meta: { width: "12rem", from: "md" },
    cell: ({ getValue }) => {
      const at = getValue()
      return at === null ? "never" : <Time at={at} />
    }
  }),
  column.display({
    id: "status",
    header: "Status",
    meta: { width: "6.5rem" },
    cell: ({ row: { original } }) => <Status of={statusOf(original, Date.now())} />
  }),
  column.display({
    id: "actions",
    header: "Action",
    meta: { width: "6.5rem", align: "end" },
    cell: ({ row: { original } }) => <RevokeKey apiKey={original} />
  })
])

const List = () => (
  <DataTable
    label="API keys"
    columns={columns}
    list={useList(["keys"], (cursor) => call(listApiKeys({ limit: PAGE_ROWS, cursor })))}
    rowId={({ id }) => id}
    empty={<Empty title="No key that this one sees" />}
  />
)

export const Keys = () => {
  const [open, setOpen] = useState(false)
  const [mayRead, mayWrite] = [useMay("api_keys:read"), useMay("api_keys:write")]
  return (
    <Page title="API keys" actions={mayWrite && <Button onClick={() => setOpen(true)}>New key</Button>}>
      <NewKey opened={open} onClose={() => setOpen(false)} />
      {mayRead ? <List /> : <Section>This key may not see API keys (scope api_keys:read).</Section>}
    </Page>
  )
}
