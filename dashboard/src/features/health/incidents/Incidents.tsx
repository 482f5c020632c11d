/** Incidents of all webhooks or of one: 90 days as a calendar, and all that are kept as a list. */
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router"
import { useMemo } from "react"
import { useMay } from "../../../api/account.ts"
import { call } from "../../../api/call.ts"
import { type Incident, listIncidents, listWebhookIncidents } from "../../../api/ledgerhook.ts"
import { PAGE_ROWS, useList } from "../../../api/list.ts"
import { nameIn, useNewestWebhooks } from "../../../api/webhooks.ts"
import { FilterBar, FilterTime } from "../../../ui/filter/FilterBar.tsx"
import { WebhookSelect } from "../../../ui/filter/WebhookSelect.tsx"
import { columnsOf, DataTable } from "../../../ui/list/DataTable.tsx"
import { ExportMenu } from "../../../ui/list/ExportMenu.tsx"
import { type Fields, fieldsOf } from "../../../ui/list/exporting.ts"
import { Loading } from "../../../ui/page/Loading.tsx"
import { Empty } from "../../../ui/page/Notices.tsx"
import { Page, Section } from "../../../ui/page/Page.tsx"
import { useNow } from "../../../ui/value/now.ts"
import { PlainText } from "../../../ui/value/PlainText.tsx"
import { Status } from "../../../ui/value/Status.tsx"
import { Time } from "../../../ui/value/Time.tsx"
import { count, duration, plural } from "../../../words/format.ts"
import { setIn } from "../../../words/search.ts"
import { totalLength } from "./calendar.ts"
import type { IncidentFilters } from "./filters.ts"
import classes from "./Incident.module.css"
import { CALENDAR_DAYS, IncidentCalendar } from "./IncidentCalendar.tsx"
import { useIncidents } from "./useIncidents.ts"
import { endOf, lastedOf } from "./words.ts"

const route = getRouteApi("/shell/incidents")
const column = columnsOf<Incident>()

const Lasted = ({ incident }: { readonly incident: Incident }) => lastedOf(incident, useNow())

const End = ({ incident }: { readonly incident: Incident }) =>
  incident.ended_at === null ? (
    <Status of="failing" label="still failing" />
  ) : (
    <span className="quiet">{endOf(incident)}</span>
  )

const Began = ({ incident: { began_at, id } }: { readonly incident: Incident }) => (
  <Link to="/incidents/$id" params={{ id }}>
    <Time at={began_at} exact />
  </Link>
)

const Cause = ({ incident: { cause, ended_at } }: { readonly incident: Incident }) => (
  <span className={ended_at === null ? "bad" : undefined}>
    <PlainText>{cause ?? "–"}</PlainText>
  </span>
)

const columnsWith = (webhookName: (id: string) => string) =>
  column.columns([
    column.accessor("began_at", {
      header: "Began",
      meta: { width: "9.5rem" },
      cell: ({ row: { original } }) => <Began incident={original} />
    }),
    column.accessor("webhook_id", {
      header: "Webhook",
      meta: { from: "sm" },
      cell: ({ getValue }) => <PlainText>{webhookName(getValue())}</PlainText>
    }),
    column.accessor("cause", {
      header: "Cause",
      cell: ({ row: { original } }) => <Cause incident={original} />
    }),
    column.display({
      id: "lasted",
      header: "Lasted",
      meta: { width: "7rem", align: "end" },
      cell: ({ row: { original } }) => <Lasted incident={original} />
    }),
    column.accessor("waited", {
      header: "Waited",
      meta: { width: "5.5rem", align: "end", from: "sm" },
      cell: ({ getValue }) => count(getValue())
    }),
    column.display({
      id: "end",
      header: "End",
      meta: { width: "22rem", from: "md" },
      cell: ({ row: { original } }) => <End incident={original} />
    })
  ])

const Calendar = ({ webhookId }: { readonly webhookId: string | undefined }) => {
  const incidents = useIncidents(CALENDAR_DAYS, webhookId)
  const webhooks = useNewestWebhooks()
  const now = useNow()
  const all = incidents.data?.data
  return (
    <Section
      title={`${CALENDAR_DAYS} days`}
      note={
        all !== undefined &&
        (all.length === 0
          ? "no incident"
          : `${plural(all.length, "incident")}, ${duration(totalLength(all, now), true)} in all`)
      }
    >
      {all === undefined ? (
        <Loading />
      ) : (
        <IncidentCalendar incidents={all} nameOf={(id) => nameIn(webhooks, id)} />
      )}
    </Section>
  )
}

const fields: Fields<Incident> = {
  ...fieldsOf(["id", "webhook_id", "began_at", "ended_at", "cause", "attempts_failed", "waited"]),
  delivered: ({ outcome }) => outcome?.delivered,
  failed: ({ outcome }) => outcome?.failed,
  ended_by: ({ ended_by }) => ended_by
}

const Rows = () => {
  const filters = route.useSearch()
  const { since, until, webhook_id } = filters
  const navigate = useNavigate()
  const filter = (next: IncidentFilters) =>
    navigate({ to: "/incidents", search: { ...filters, ...next }, replace: true })
  const webhooks = useNewestWebhooks()
  const columns = useMemo(() => columnsWith((id) => nameIn(webhooks, id)), [webhooks])
  const load = (cursor: string | undefined) => {
    const asked = { since, until, limit: PAGE_ROWS, cursor }
    return call(webhook_id === undefined ? listIncidents(asked) : listWebhookIncidents(webhook_id, asked))
  }
  const list = useList(["incidents", "list", webhook_id, since, until], load)
  const open = list.data?.filter(({ ended_at }) => ended_at === null).length ?? 0
  return (
    <Page
      title={open === 0 ? "Incidents" : `${plural(open, "incident")} ${open === 1 ? "is" : "are"} open`}
      actions={<ExportMenu what="incidents" fields={fields} load={load} />}
    >
      <Calendar webhookId={webhook_id} />
      <div className="stack-small">
        <FilterBar
          active={setIn(filters)}
          onClear={() => navigate({ to: "/incidents", search: {}, replace: true })}
        >
          <WebhookSelect
            size="xs"
            placeholder="Any webhook"
            value={webhook_id}
            onChange={(next) => filter({ webhook_id: next })}
          />
          <FilterTime label="Began after" value={since} onChange={(next) => filter({ since: next })} />
          <FilterTime label="Began before" value={until} onChange={(next) => filter({ until: next })} />
        </FilterBar>
        <DataTable
          label="Incidents"
          columns={columns}
          list={list}
          rowId={({ id }) => id}
          narrow={(incident) => (
            <div className={classes["narrow"]}>
              <Began incident={incident} />
              <Cause incident={incident} />
              <span className="note">
                <PlainText>{nameIn(webhooks, incident.webhook_id)}</PlainText>
              </span>
              <span className="note">
                <Lasted incident={incident} />
              </span>
            </div>
          )}
          empty={
            setIn(filters) === 0 ? (
              <Empty title="No incident yet">
                An incident is a span in which a webhook does not answer. They are kept for 400 days.
              </Empty>
            ) : (
              <Empty title="No incident matches">Choose another webhook or another time.</Empty>
            )
          }
        />
      </div>
    </Page>
  )
}

export const Incidents = () =>
  useMay("webhooks:read") ? (
    <Rows />
  ) : (
    <Page title="Incidents">This key may not see incidents (scope webhooks:read).</Page>
  )
