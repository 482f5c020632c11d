/** One incident: how long, why, how attempts went, what waited and what became of it, and what is to do. */
import { Button, CopyButton } from "@mantine/core"
import { IconCopy } from "@tabler/icons-react"
import { useQuery } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useMay } from "../../../api/account.ts"
import { call } from "../../../api/call.ts"
import { getIncident, type IncidentDetail, type Webhook } from "../../../api/ledgerhook.ts"
import { autoRefresh } from "../../../api/refresh.ts"
import { nameOf, useWebhook } from "../../../api/webhooks.ts"
import { Loading } from "../../../ui/page/Loading.tsx"
import { FailureNotice, Notice } from "../../../ui/page/Notices.tsx"
import { Page, Section } from "../../../ui/page/Page.tsx"
import { useNow } from "../../../ui/value/now.ts"
import { PlainText } from "../../../ui/value/PlainText.tsx"
import { StatusIcon } from "../../../ui/value/Status.tsx"
import { adviceFor, causeInFull, hostOf } from "../../../words/causes.ts"
import { clockTime, count, localDay, localTime } from "../../../words/format.ts"
import { CourseChart, type CoursePoint } from "./CourseChart.tsx"
import classes from "./Incident.module.css"
import { type Axis, Lanes } from "./Lanes.tsx"
import { Repair } from "./Repair.tsx"
import { happeningsOf, headlineOf } from "./words.ts"

const route = getRouteApi("/shell/incidents/$id")
const within = { to: "/incidents", label: "Incidents" } as const

/** The part of the axis that a forecast may add. */
const FORECAST = 0.25

const Sentence = ({ incident, webhook }: ShownProps) => {
  const { began_at, ended_at, webhook_id } = incident
  const [began, ended] = [new Date(began_at), ended_at === null ? undefined : new Date(ended_at)]
  const isSameDay = ended === undefined || localDay(began) === localDay(ended)
  return (
    <span className={classes["sentence"]}>
      <StatusIcon of={ended === undefined ? "failing" : "healthy"} />
      <span>
        <Link to="/webhooks/$id" params={{ id: webhook_id }}>
          <PlainText>{nameOf(webhook, webhook_id)}</PlainText>
        </Link>{" "}
        {ended === undefined
          ? `has not answered since ${localTime(began)}.`
          : `did not answer from ${localTime(began)} to ${isSameDay ? clockTime(ended) : localTime(ended)}.`}
      </span>
    </span>
  )
}

interface ShownProps {
  readonly incident: IncidentDetail
  /** Undefined if it is deleted. */
  readonly webhook: Webhook | undefined
}

const Figures = ({ attempts_failed, cause, outcome, waited }: IncidentDetail) => (
  <div className={classes["figures"]}>
    <div>
      <div className="figure-name">Cause</div>
      <div className="figure-value">
        <PlainText>{cause === null ? "–" : causeInFull(cause)}</PlainText>
      </div>
    </div>
    <div>
      <div className="figure-name">Requests that failed</div>
      <div className="figure-value">{count(attempts_failed)}</div>
    </div>
    <div>
      <div className="figure-name">Deliveries concerned</div>
      <div className="figure-value">{outcome === null ? "–" : count(waited)}</div>
    </div>
    <div>
      <div className="figure-name">Delivered in the end</div>
      <div className="figure-value">
        {outcome === null ? "–" : count(outcome.delivered)}{" "}
        <span className="figure-detail">
          {outcome !== null &&
            (outcome.failed > 0
              ? `${count(outcome.failed)} failed`
              : outcome.waiting > 0
                ? `${count(outcome.waiting)} wait`
                : "none failed")}
        </span>
      </div>
    </div>
  </div>
)

const Happened = ({ incident }: { readonly incident: IncidentDetail }) => (
  <Section title="What happened">
    <ol className={classes["happened"]}>
      {happeningsOf(incident, incident.cause ?? "").map(({ at, detail, isAbout, look, what }) => (
        <li key={what}>
          <span className="quiet">
            {at === undefined ? "until now" : `${isAbout ? "about " : ""}${clockTime(at)}`}
          </span>
          <i data-look={look} />
          <div>
            <strong>{what}</strong>
            {detail && (
              <div className="quiet">
                <PlainText>{detail}</PlainText>
              </div>
            )}
          </div>
        </li>
      ))}
    </ol>
  </Section>
)

const Why = ({ incident: { cause, webhook_id }, webhook }: ShownProps) => {
  const advice = cause === null || webhook === undefined ? undefined : adviceFor(cause, hostOf(webhook.url))
  return (
    <Section title="Why, and what to do">
      <div className="stack-small">
        <p>
          <PlainText>
            {cause === null ? "An earlier version did not record the cause." : causeInFull(cause)}
          </PlainText>
        </p>
        {advice && (
          <p className="quiet">
            <PlainText>{advice}</PlainText>
          </p>
        )}
        <div>
          <Button component={Link} to={`/incidents?webhook_id=${webhook_id}`} size="xs" variant="default">
            All incidents of the webhook
          </Button>
        </div>
      </div>
    </Section>
  )
}

const Words = (shown: ShownProps) => (
  <div className="columns" style={{ "--column": "22rem" } as React.CSSProperties}>
    <Happened incident={shown.incident} />
    <Why {...shown} />
  </div>
)

/** The axis of the chart and of the lanes. A forecast makes it a little longer. */
const axisOf = (points: ReadonlyArray<CoursePoint>, pointMs: number, next: number | undefined): Axis => {
  const [from, to] = [points[0]?.at ?? 0, (points.at(-1)?.at ?? 0) + pointMs]
  const most = to + (to - from) * FORECAST
  return { from, to: next === undefined || next <= to ? to : next + pointMs <= most ? next + pointMs : to }
}

const Course = ({ incident, webhook }: ShownProps) => {
  const mayRead = useMay("deliveries:read")
  const now = useNow()
  const { began_at, course, ended_at, outcome } = incident
  if (course === null)
    return (
      <>
        <Notice>
          The attempts of that time are no longer kept. The setting RETENTION_DELIVERIES of the service says
          for how long they are.
        </Notice>
        <Words incident={incident} webhook={webhook} />
      </>
    )
  const points = course.points.map((point) => ({ ...point, at: Date.parse(point.at) }))
  const pointMs = course.point_seconds * 1_000
  const nextAt = webhook?.health.next_attempt_at ?? null
  const isOver = ended_at !== null && (outcome?.waiting ?? 0) === 0
  const next = nextAt === null || isOver || Date.parse(nextAt) < now ? undefined : Date.parse(nextAt)
  const axis = axisOf(points, pointMs, next)
  const width = course.point_seconds === 60 ? "a minute" : `in ${course.point_seconds / 60} minutes`
  return (
    <>
      <Section title={`Attempts ${width}`}>
        <CourseChart
          points={points}
          pointMs={pointMs}
          {...axis}
          began={Date.parse(began_at)}
          ended={ended_at === null ? undefined : Date.parse(ended_at)}
          next={next}
        />
      </Section>
      <Words incident={incident} webhook={webhook} />
      {mayRead ? (
        <Lanes incident={incident} axis={axis} />
      ) : (
        <p className="quiet">This key may not see deliveries (scope deliveries:read).</p>
      )}
    </>
  )
}

const Content = ({ incident }: { readonly incident: IncidentDetail }) => {
  const now = useNow()
  const webhook = useWebhook(incident.webhook_id)
  return (
    <Page
      within={within}
      title={headlineOf(incident, now)}
      name={localTime(new Date(incident.began_at))}
      note={<Sentence incident={incident} webhook={webhook} />}
      actions={
        <>
          <CopyButton value={window.location.href} timeout={2_000}>
            {({ copied, copy }) => (
              <Button variant="default" leftSection={<IconCopy size={16} aria-hidden />} onClick={copy}>
                {copied ? "Copied" : "Copy link"}
              </Button>
            )}
          </CopyButton>
          <Repair incident={incident} />
        </>
      }
    >
      <Figures {...incident} />
      <Course incident={incident} webhook={webhook} />
    </Page>
  )
}

const Loaded = () => {
  const { id } = route.useParams()
  const incident = useQuery({
    queryKey: ["incidents", "one", id],
    queryFn: () => call(getIncident(id)),
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && data.ended_at !== null && (data.outcome?.waiting ?? 0) === 0
        ? false
        : autoRefresh()
  })
  if (incident.data !== undefined) return <Content key={id} incident={incident.data} />
  return (
    <Page within={within} title="Incident">
      {incident.isError ? (
        <FailureNotice failure={incident.error} onRetry={() => incident.refetch()} />
      ) : (
        <Loading lines={8} height={20} />
      )}
    </Page>
  )
}

export const Incident = () =>
  useMay("webhooks:read") ? (
    <Loaded />
  ) : (
    <Page within={within} title="Incident">
      This key may not see incidents (scope webhooks:read).
    </Page>
  )
