/** When a webhook was failing: 90 days as a calendar, and the newest incidents in words. */
import { Button } from "@mantine/core"
import { Link } from "@tanstack/react-router"
import type { Incident, Webhook } from "../../../api/ledgerhook.ts"
import { Table } from "../../../ui/list/Table.tsx"
import { Loading } from "../../../ui/page/Loading.tsx"
import { FailureNotice } from "../../../ui/page/Notices.tsx"
import { Section } from "../../../ui/page/Page.tsx"
import { useNow } from "../../../ui/value/now.ts"
import { PlainText } from "../../../ui/value/PlainText.tsx"
import { Status } from "../../../ui/value/Status.tsx"
import { Time } from "../../../ui/value/Time.tsx"
import { count, duration, plural } from "../../../words/format.ts"
import { lengthOf, totalLength } from "../../health/incidents/calendar.ts"
import { CALENDAR_DAYS, IncidentCalendar } from "../../health/incidents/IncidentCalendar.tsx"
import { useIncidents } from "../../health/incidents/useIncidents.ts"
import { endOf } from "../../health/incidents/words.ts"

const SHOWN = 5

const End = (incident: Incident) =>
  incident.ended_at === null ? (
    <Status of="failing" label="still failing" />
  ) : (
    <span className="quiet">{endOf(incident)}</span>
  )

const Newest = ({ incidents }: { readonly incidents: ReadonlyArray<Incident> }) => {
  const now = useNow()
  return (
    <Table
      label="Incidents"
      heads={["Began", "Lasted", "Cause", "Waited", "End"]}
      ends={[1, 3]}
      hidden={[1, 3]}
    >
      {incidents.slice(0, SHOWN).map((incident) => (
        <tr key={incident.id}>
          <td>
            <Link to="/incidents/$id" params={{ id: incident.id }}>
              <Time at={incident.began_at} exact />
            </Link>
          </td>
          <td data-align="end" data-narrow="hidden">
            {duration(lengthOf(incident, now), true)}
          </td>
          <td className={incident.ended_at === null ? "bad" : undefined}>
            <PlainText>{incident.cause ?? "–"}</PlainText>
          </td>
          <td data-align="end" data-narrow="hidden">
            {count(incident.waited)}
          </td>
          <td>
            <End {...incident} />
          </td>
        </tr>
      ))}
    </Table>
  )
}

export const Incidents = ({ webhook: { id } }: { readonly webhook: Webhook }) => {
  const incidents = useIncidents(CALENDAR_DAYS, id)
  const now = useNow()
  if (incidents.isError)
    return <FailureNotice failure={incidents.error} onRetry={() => incidents.refetch()} />
  const all = incidents.data?.data ?? []
  const total = totalLength(all, now)
  return (
    <Section
      title="Incidents"
      note={
        all.length === 0
          ? `none in ${CALENDAR_DAYS} days`
          : `${plural(all.length, "incident")} in ${CALENDAR_DAYS} days, ${duration(total, true)} in all`
      }
      actions={
        all.length > SHOWN && (
          <Button component={Link} to={`/incidents?webhook_id=${id}`} size="xs" variant="default">
            All incidents
          </Button>
        )
      }
    >
      {incidents.data === undefined ? (
        <Loading lines={6} height={20} />
      ) : (
        <div className="stack-small">
          <IncidentCalendar incidents={all} />
          {all.length > 0 && <Newest incidents={all} />}
        </div>
      )}
    </Section>
  )
}
