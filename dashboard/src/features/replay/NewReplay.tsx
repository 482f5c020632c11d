/** Creates a replay. It is counted while it is chosen, and the button names the number. */
import { SegmentedControl, Textarea } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { getRouteApi, useNavigate } from "@tanstack/react-router"
import { useMemo, useState } from "react"
import { useMay } from "../../api/account.ts"
import { call } from "../../api/call.ts"
import {
  type CountedReplay,
  createReplayJob,
  getWebhook,
  getWebhookProgress,
  type NewReplayJob,
  type QueuedReplayJob
} from "../../api/ledgerhook.ts"
import { WebhookSelect } from "../../ui/filter/WebhookSelect.tsx"
import { Loading } from "../../ui/page/Loading.tsx"
import { FailureNotice } from "../../ui/page/Notices.tsx"
import { Page, Section } from "../../ui/page/Page.tsx"
import { plural } from "../../words/format.ts"
import { localInput } from "../../words/localInput.ts"
import { useIncidents } from "../health/incidents/useIncidents.ts"
import { Counted, Start } from "./Estimate.tsx"
import { type FieldsProps, Filters } from "./Filters.tsx"
import classes from "./NewReplay.module.css"
import { spansOf } from "./spans.ts"
import { eventIdsIn, filtersOfWebhook, newReplay, problemsOf, type ReplayValues, replayOf } from "./wanted.ts"

const route = getRouteApi("/shell/replay/new")
const within = { to: "/replay", label: "Replays" } as const

/** Counting begins when nothing was changed for this long. */
const PAUSE_MS = 500
/** Incidents that are offered are not older. */
const INCIDENT_DAYS = 90

const send = (job: NewReplayJob, dryRun: boolean) =>
  call(createReplayJob({ ...job, dry_run: dryRun }, { idempotencyKey: crypto.randomUUID() }))

const Ids = ({ values, set }: FieldsProps) => (
  <div>
    <Textarea
      label="Event ids"
      description="Up to 10,000, with any separators. Copy them from the list of events, or from your own records."
      placeholder="xrpl:94084608:4692464C…:payment.xrp"
      rows={6}
      resize="vertical"
      spellCheck={false}
      value={values.event_ids}
      onChange={(event) => set({ event_ids: event.currentTarget.value })}
    />
    <div className="note" role="status">
      {values.event_ids.trim() !== "" && `${plural(eventIdsIn(values.event_ids).length, "id")}.`}
    </div>
  </div>
)

/** The webhook with all its account filters, and what happened to it. */
const useChosen = (id: string | undefined) => {
  const mayRead = useMay("webhooks:read")
  const webhook = useQuery({
    queryKey: ["webhook", id],
    queryFn: () => call(getWebhook(id!)),
    enabled: mayRead && id !== undefined
  })
  const progress = useQuery({
    queryKey: ["progress", id],
    queryFn: () => call(getWebhookProgress(id!)),
    enabled: mayRead && id !== undefined
  })
  const incidents = useIncidents(INCIDENT_DAYS, id)
  const [gaps, failed] = [progress.data?.gaps, incidents.data?.data]
  const spans = useMemo(
    () => spansOf(id === undefined ? [] : (gaps ?? []), id === undefined ? [] : (failed ?? []), Date.now()),
    [id, gaps, failed]
  )
  return { webhook: webhook.data, spans }
}

/** What `job` would send; undefined: something must be chosen first. */
const useCounted = (job: NewReplayJob | undefined) => {
  const [counted] = useDebouncedValue(job, PAUSE_MS)
  const query = useQuery({
    queryKey: ["replay count", counted],
    queryFn: () => send(counted!, true) as Promise<CountedReplay>,
    enabled: counted !== undefined && job !== undefined,
    placeholderData: keepPreviousData,
    retry: false
  })
  const isCurrent = counted === job && !query.isFetching && !query.isPlaceholderData
  return { query, counted: isCurrent && !query.isError ? query.data : undefined }
}

const Form = () => {
  const { since, until, webhook_id } = route.useSearch()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [chosen, setValues] = useState<Partial<ReplayValues>>({
    webhook_id,
    ...(since === undefined ? {} : { since: localInput(since) }),
    ...(until === undefined ? {} : { until: localInput(until) })
  })
  const { spans, webhook } = useChosen(chosen.webhook_id)
  const first = spans[0]?.happened ? { since: spans[0].since, until: spans[0].until } : {}
  // What the viewer has not changed is as the webhook has it.
  const values: ReplayValues = {
    ...newReplay(undefined),
    ...(webhook === undefined ? {} : filtersOfWebhook(webhook)),
    ...(chosen.since === undefined && chosen.until === undefined ? first : {}),
    ...chosen
  }
  const problems = problemsOf(values)
  const problem = Object.values(problems)[0]
  const text = problem === undefined ? JSON.stringify(replayOf(values)) : undefined
  const job = useMemo(() => (text === undefined ? undefined : (JSON.parse(text) as NewReplayJob)), [text])
  const { query, counted } = useCounted(job)
  const create = useMutation({
    mutationFn: async (wanted: NewReplayJob) => (await send(wanted, false)) as QueuedReplayJob,
    onSuccess: async ({ job_id }) => {
      queries.invalidateQueries({ queryKey: ["replay"] })
      await navigate({ to: "/replay/$id", params: { id: job_id } })
    }
  })
  const set = (change: Partial<ReplayValues>) => {
    // A bound that is changed makes the other one the viewer's too.
    const bounds = "since" in change || "until" in change ? { since: values.since, until: values.until } : {}
    setValues((before) => ({ ...before, ...bounds, ...change }))
    create.reset()
  }
  const failure = create.error ?? (job === undefined ? null : query.error)
  return (
    <div className="with-side">
      <div className={classes["form"]}>
        <WebhookSelect
          placeholder="Choose one"
          value={values.webhook_id}
          onChange={(id) => {
            setValues(({ by, event_ids }) => ({
              webhook_id: id,
              by: by ?? "filters",
              event_ids: event_ids ?? ""
            }))
            create.reset()
          }}
        />
        <div>
          <SegmentedControl
            aria-label="Choose events by"
            withItemsBorders={false}
            data={[
              { value: "filters", label: "By time and filters" },
              { value: "ids", label: "By event ids" }
            ]}
            value={values.by}
            onChange={(by) => set({ by: by as ReplayValues["by"] })}
          />
        </div>
        {values.by === "filters" ? (
          <Filters
            key={values.webhook_id}
            values={values}
            problems={problems}
            set={set}
            spans={spans}
            isFilledIn={webhook !== undefined}
          />
        ) : (
          <Ids values={values} problems={problems} set={set} />
        )}
      </div>
      <aside className={classes["side"]} aria-label="What it would send">
        <Section title="It would send">
          {problem !== undefined ? (
            <p className="quiet" role="status">
              {problem}
            </p>
          ) : failure !== null ? (
            <FailureNotice failure={failure} />
          ) : query.data === undefined ? (
            <Loading lines={3} />
          ) : (
            <div data-old={counted === undefined}>
              <Counted
                counted={query.data}
                webhook={webhook}
                hasPayloadFilter={job?.filters?.payload_filter != null}
              />
            </div>
          )}
        </Section>
        <Start
          counted={job === undefined ? undefined : counted}
          isPending={create.isPending}
          onClick={() => job && create.mutate(job)}
        />
      </aside>
    </div>
  )
}

export const NewReplay = () => {
  const mayWrite = useMay("deliveries:write")
  return (
    <Page
      within={within}
      title="New replay"
      note="Sends past events again, as new deliveries with the same event ids."
    >
      {mayWrite ? <Form /> : <p>This key may not replay events (scope deliveries:write).</p>}
    </Page>
  )
}
