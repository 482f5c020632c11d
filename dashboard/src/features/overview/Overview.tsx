/** The state of things: which webhooks fail and what to do, how deliveries go, the incidents of 90 days, the ledgers. */
import { Button, Skeleton } from "@mantine/core"
import { IconCircleCheckFilled } from "@tabler/icons-react"
import { Link } from "@tanstack/react-router"
import { lazy, Suspense } from "react"
import { useMay } from "../../api/account.ts"
import type { WebhookCounts } from "../../api/ledgerhook.ts"
import { nameIn, useNewestWebhooks, useTroubledWebhooks, useWebhookCounts } from "../../api/webhooks.ts"
import { Loading } from "../../ui/page/Loading.tsx"
import { FailureNotice } from "../../ui/page/Notices.tsx"
import { Page, Section } from "../../ui/page/Page.tsx"
import { useNow } from "../../ui/value/now.ts"
import { duration, plural, relativeTime, totalOf } from "../../words/format.ts"
import { FailingWebhooks } from "../health/failing/FailingWebhooks.tsx"
import { totalLength } from "../health/incidents/calendar.ts"
import { CALENDAR_DAYS, IncidentCalendar } from "../health/incidents/IncidentCalendar.tsx"
import { useIncidents } from "../health/incidents/useIncidents.ts"
import { AnswerTimes } from "../statistics/AnswerTimes.tsx"
import { Deliveries, usePeriod } from "./Deliveries.tsx"
import { useFirstRun } from "./firstRun/isFirstRun.ts"
import { LedgerAges } from "./LedgerAges.tsx"
import { OtherWebhooks } from "./OtherWebhooks.tsx"
import { headlineOf, isCalm, othersOf } from "./state.ts"

/** Only a new account loads it. */
const FirstRun = lazy(() =>
  import("./firstRun/FirstRun.tsx").then((loaded) => ({ default: loaded.FirstRun }))
)

/** The page is shown before the picture is loaded. */
const LiveSection = lazy(() =>
  import("../ledgers/picture/LiveSection.tsx").then((loaded) => ({ default: loaded.LiveSection }))
)
/** The height of the picture, while it is loaded. */
const LIVE_PIXELS = 300

/** The panel of what fails, while it is loaded: at most so many rows, and their height. */
const SHOWN_FAILING = 5
const FAILING_PIXELS = 96

const LastIncident = () => {
  const incidents = useIncidents(CALENDAR_DAYS).data?.data ?? []
  const now = useNow()
  const ended = incidents.flatMap(({ ended_at }) => (ended_at === null ? [] : [Date.parse(ended_at)]))
  if (ended.length === 0) return null
  const last = Math.max(...ended)
  const days = Math.floor((now - last) / 86_400_000)
  return `The last incident ended ${relativeTime(last, now) ?? `${plural(days, "day")} ago`}.`
}

const Note = ({ states, waiting }: WebhookCounts & { readonly waiting: number }) => (
  <>
    {waiting > 0 &&
      `${plural(waiting, "delivery waits", "deliveries wait")} and ${waiting === 1 ? "is" : "are"} retried. `}
    {othersOf(states)}
    {isCalm(states) && <LastIncident />}
  </>
)

const Incidents = () => {
  const incidents = useIncidents(CALENDAR_DAYS)
  const webhooks = useNewestWebhooks()
  const now = useNow()
  if (incidents.isError)
    return <FailureNotice failure={incidents.error} onRetry={() => incidents.refetch()} />
  const all = incidents.data?.data ?? []
  const total = totalLength(all, now)
  return (
    <Section
      title={`${CALENDAR_DAYS} days`}
      note={
        all.length === 0
          ? "no incident"
          : `${plural(all.length, "incident")}, ${duration(total, true)} in all`
      }
      actions={<Link to="/incidents">All incidents</Link>}
    >
      {incidents.data === undefined ? (
        <Loading />
      ) : (
        <IncidentCalendar incidents={all} nameOf={(id) => nameIn(webhooks, id)} />
      )}
    </Section>
  )
}

const State = () => {
  const counts = useWebhookCounts()
  const troubled = useTroubledWebhooks()
  const firstRun = useFirstRun(counts.data?.states, troubled.data?.data ?? [])
  if (firstRun !== undefined) return <FirstRun {...firstRun} />
  if (counts.data === undefined)
    return (
      <Page title="Overview">
        {counts.isError ? (
          <FailureNotice failure={counts.error} onRetry={() => counts.refetch()} />
        ) : (
          <Loading lines={8} height={20} />
        )}
      </Page>
    )
  const { states } = counts.data
  const webhooks = troubled.data?.data ?? []
  // Those that have failed for longest first.
  const failing = webhooks
    .filter(({ health }) => health.state === "failing")
    .sort((one, other) => Date.parse(one.health.since) - Date.parse(other.health.since))
  const waiting = webhooks.reduce((sum, { stats }) => sum + (stats?.waiting ?? 0), 0)
  return (
    <Page
      title={headlineOf(states)}
      icon={
        isCalm(states) &&
        states.healthy > 0 && <IconCircleCheckFilled size={28} className="good" aria-hidden />
      }
      note={<Note states={states} waiting={waiting} />}
      actions={
        totalOf(states) === 0 && (
          <Button component={Link} to="/webhooks/new">
            New webhook
          </Button>
        )
      }
    >
      {troubled.isPending && states.failing > 0 && (
        <Skeleton height={Math.min(states.failing, SHOWN_FAILING) * FAILING_PIXELS} />
      )}
      {failing.length > 0 && <FailingWebhooks webhooks={failing} failing={states.failing} />}
      <OtherWebhooks webhooks={webhooks} />
      <Rest />
    </Page>
  )
}

const Rest = () => (
  <>
    {useMay("deliveries:read") && (
      <>
        <Suspense
          fallback={
            <Section title="Live ledger">
              <div style={{ height: LIVE_PIXELS }} />
            </Section>
          }
        >
          <LiveSection />
        </Suspense>
        <Deliveries />
      </>
    )}
    <div className="columns" style={{ "--column": "24rem" } as React.CSSProperties}>
      {useMay("webhooks:read") && <Incidents />}
      <AnswerTimes period={usePeriod()} />
      {useMay("events:read") && <LedgerAges />}
    </div>
  </>
)

export const Overview = () =>
  useMay("webhooks:read") ? (
    <State />
  ) : (
    <Page title="Overview" note="This key may not see webhooks (scope webhooks:read).">
      <Rest />
    </Page>
  )
