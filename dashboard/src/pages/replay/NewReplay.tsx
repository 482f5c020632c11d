/** Creates a replay, after it was counted what it would send. */
import { Button, SegmentedControl, Textarea, TextInput } from "@mantine/core"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useMay } from "../../api/account.ts"
import { call } from "../../api/call.ts"
import { type CountedReplay, createReplayJob, type QueuedReplayJob } from "../../api/ledgerhook.ts"
import { AddressesField } from "../../parts/AddressesField.tsx"
import { plural } from "../../parts/format.ts"
import { FailureNotice } from "../../parts/Notices.tsx"
import { Page, Section } from "../../parts/Page.tsx"
import { WebhookSelect } from "../../parts/WebhookSelect.tsx"
import { PayloadFilterInput } from "../webhooks/form/FilterField.tsx"
import { TypeTree } from "../webhooks/form/TypeTree.tsx"
import { DryRun } from "./DryRun.tsx"
import { eventIdsIn, newReplay, problemsOf, type ReplayValues, replayOf } from "./wanted.ts"

const route = getRouteApi("/shell/replay/new")

const send = (values: ReplayValues, dryRun: boolean) =>
  call(createReplayJob({ ...replayOf(values), dry_run: dryRun }, { idempotencyKey: crypto.randomUUID() }))

const Filters = ({ values, problems, set }: FieldsProps) => (
  <>
    <div className="columns">
      <TextInput
        type="datetime-local"
        label="Ledgers closed after"
        description="In your time zone. Empty: from the first one that is kept."
        value={values.since}
        onChange={(event) => set({ since: event.currentTarget.value })}
      />
      <TextInput
        type="datetime-local"
        label="Ledgers closed before"
        description="In your time zone. Empty: until now."
        value={values.until}
        onChange={(event) => set({ until: event.currentTarget.value })}
        error={problems.until}
      />
    </div>
    <TypeTree
      value={values.event_types}
      onChange={(event_types) => set({ event_types })}
      error={problems.event_types}
    />
    <AddressesField
      label="Accounts"
      description="Only events that involve at least one of these addresses. Empty: events of every address."
      value={values.accounts}
      onChange={(accounts) => set({ accounts })}
      error={problems.accounts}
    />
    <PayloadFilterInput
      value={values.payload_filter}
      onChange={(payload_filter) => set({ payload_filter })}
      error={problems.payload_filter}
    />
  </>
)

const Ids = ({ values, problems, set }: FieldsProps) => (
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
      error={problems.event_ids}
    />
    <div className="quiet" role="status" style={{ fontSize: "0.8rem" }}>
      {values.event_ids.trim() !== "" && `${plural(eventIdsIn(values.event_ids).length, "id")}.`}
    </div>
  </div>
)

interface FieldsProps {
  readonly values: ReplayValues
  readonly problems: Partial<Record<keyof ReplayValues, string>>
  readonly set: (change: Partial<ReplayValues>) => void
}

const Form = () => {
  const { webhook_id } = route.useSearch()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [values, setValues] = useState(() => newReplay(webhook_id))
  const [problems, setProblems] = useState<FieldsProps["problems"]>({})
  const count = useMutation({ mutationFn: async () => (await send(values, true)) as CountedReplay })
  const create = useMutation({
    mutationFn: async () => (await send(values, false)) as QueuedReplayJob,
    onSuccess: async ({ job_id }) => {
      queries.invalidateQueries({ queryKey: ["replay"] })
      await navigate({ to: "/replay/$id", params: { id: job_id } })
    }
  })
  const set = (change: Partial<ReplayValues>) => {
    setValues((before) => ({ ...before, ...change }))
    setProblems({})
    // The count was of other events.
    count.reset()
    create.reset()
  }
  const ifRight = (then: () => void) => () => {
    const found = problemsOf(values)
    setProblems(found)
    if (Object.keys(found).length === 0) then()
  }
  const failure = create.error ?? count.error
  return (
    <>
      <Section>
        <div className="stack-small">
          <div>
            <WebhookSelect
              placeholder="Choose one"
              value={values.webhook_id}
              onChange={(chosen) => set({ webhook_id: chosen })}
            />
            {problems.webhook_id !== undefined && (
              <div role="alert" style={{ color: "var(--bad)", fontSize: "0.85rem" }}>
                {problems.webhook_id}
              </div>
            )}
          </div>
          <p className="quiet" style={{ margin: 0 }}>
            The events are sent to it as new deliveries, whatever its own filters. Your server may get events
            again that it has; their ids are the same. On mainnet each attempt counts towards the quota.
          </p>
          <div>
            <SegmentedControl
              aria-label="Choose events by"
              data={[
                { value: "filters", label: "By time and filters" },
                { value: "ids", label: "By event ids" }
              ]}
              value={values.by}
              onChange={(by) => set({ by: by as ReplayValues["by"] })}
            />
          </div>
          {values.by === "filters" ? (
            <Filters values={values} problems={problems} set={set} />
          ) : (
            <Ids values={values} problems={problems} set={set} />
          )}
        </div>
      </Section>
      {count.data && <DryRun counted={count.data} />}
      {failure !== null && <FailureNotice failure={failure} />}
      <div className="row">
        <Button
          variant={count.data ? "default" : "filled"}
          loading={count.isPending}
          onClick={ifRight(() => count.mutate())}
        >
          Count the events first
        </Button>
        <Button
          variant={count.data ? "filled" : "default"}
          loading={create.isPending}
          onClick={ifRight(() => create.mutate())}
        >
          Start the replay
        </Button>
        <Button component={Link} to="/replay" variant="subtle">
          Cancel
        </Button>
      </div>
    </>
  )
}

export const NewReplay = () => {
  const mayWrite = useMay("deliveries:write")
  return (
    <Page within={{ to: "/replay", label: "Replays" }} title="New replay">
      {mayWrite ? <Form /> : <Section>This key may not replay events (scope deliveries:write).</Section>}
    </Page>
  )
}
