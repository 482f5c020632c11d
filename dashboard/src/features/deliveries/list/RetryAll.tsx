/** Retries every delivery of a webhook that matches. It shows first how many there are of each event type. */
import { Alert, Button, Checkbox, Modal, TextInput } from "@mantine/core"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { call } from "../../../api/call.ts"
import {
  type CountedRetries,
  type NewRetryJob,
  type QueuedRetryJob,
  retryDeliveries
} from "../../../api/ledgerhook.ts"
import { autoRefresh } from "../../../api/refresh.ts"
import { useNewestWebhooks } from "../../../api/webhooks.ts"
import { EventTypeSelect } from "../../../ui/filter/EventTypeSelect.tsx"
import { WebhookSelect } from "../../../ui/filter/WebhookSelect.tsx"
import { Loading } from "../../../ui/page/Loading.tsx"
import { FailureNotice } from "../../../ui/page/Notices.tsx"
import { count, plural } from "../../../words/format.ts"
import { fromLocalInput, localInput } from "../../../words/localInput.ts"
import type { DeliveryFilters } from "./filters.ts"
import classes from "./RetryAll.module.css"
import { type RetryChoice, retryChoice, retryRequest } from "./retrying.ts"

const ByType = ({ by_type }: CountedRetries) => (
  <dl className={classes["types"]}>
    {Object.entries(by_type)
      .sort(([, a], [, b]) => b - a)
      .map(([type, matched]) => (
        <div key={type}>
          <dt>{type}</dt>
          <dd>{count(matched)}</dd>
        </div>
      ))}
  </dl>
)

/** Counts what a retry job takes, and makes it. Nothing is counted without a request. */
export const useRetryJob = (request: NewRetryJob | undefined, onQueued: (job: QueuedRetryJob) => void) => {
  const queries = useQueryClient()
  const preview = useQuery({
    queryKey: ["retry preview", request],
    queryFn: () => call(retryDeliveries({ ...request!, dry_run: true })) as Promise<CountedRetries>,
    enabled: request !== undefined,
    staleTime: 0,
    refetchInterval: autoRefresh
  })
  const retry = useMutation({
    mutationFn: () =>
      call(retryDeliveries(request!, { idempotencyKey: crypto.randomUUID() })) as Promise<QueuedRetryJob>,
    onSuccess: (job) => {
      queries.invalidateQueries({ queryKey: ["deliveries"] })
      queries.invalidateQueries({ queryKey: ["replay"] })
      onQueued(job)
    }
  })
  return { preview, retry }
}

interface FormProps {
  readonly filters: DeliveryFilters
  readonly onQueued: (job: QueuedRetryJob) => void
}

const Form = ({ filters, onQueued }: FormProps) => {
  const [chosen, setChoice] = useState<RetryChoice>(() => retryChoice(filters))
  const webhooks = useNewestWebhooks()
  const only = webhooks.length === 1 ? webhooks[0]!.id : undefined
  const choice = { ...chosen, webhook_id: chosen.webhook_id ?? only }
  const change = (changed: Partial<RetryChoice>) => setChoice({ ...choice, ...changed })
  const request = retryRequest(choice)
  const { preview, retry } = useRetryJob(request, onQueued)
  const matched = request === undefined ? 0 : (preview.data?.matched ?? 0)
  return (
    <div className="stack-small">
      <WebhookSelect
        placeholder="Choose one"
        value={choice.webhook_id}
        onChange={(webhook_id) => change({ webhook_id })}
      />
      <Checkbox.Group
        label="Which deliveries"
        value={[...choice.statuses]}
        onChange={(statuses) => change({ statuses: statuses as RetryChoice["statuses"] })}
      >
        <div className="stack-small" style={{ gap: "0.5rem", marginTop: "0.4rem" }}>
          <Checkbox
            value="failed"
            label="Failed: all attempts failed. They start the retry schedule again."
          />
          <Checkbox value="retrying" label="Retrying: make their next attempt now." />
        </div>
      </Checkbox.Group>
      <EventTypeSelect value={choice.event_type} onChange={(event_type) => change({ event_type })} />
      <div className="columns" style={{ "--column": "12rem" } as React.CSSProperties}>
        <TextInput
          type="datetime-local"
          label="Created after"
          defaultValue={localInput(choice.since)}
          onBlur={(event) => change({ since: fromLocalInput(event.currentTarget.value) })}
        />
        <TextInput
          type="datetime-local"
          label="Created before"
          defaultValue={localInput(choice.until)}
          onBlur={(event) => change({ until: fromLocalInput(event.currentTarget.value) })}
        />
      </div>
      {(filters.event_id ?? filters.job_id) !== undefined && (
        <p className="quiet">The list's filter by event id or by job does not apply here.</p>
      )}
      <div role="status">
        {choice.webhook_id === undefined ? (
          <span className="quiet">Choose a webhook to see how many of its deliveries match.</span>
        ) : request === undefined ? (
          <span className="quiet">Choose failed deliveries, retrying ones, or both.</span>
        ) : preview.isError ? (
          <FailureNotice failure={preview.error} onRetry={() => preview.refetch()} />
        ) : preview.data === undefined ? (
          <Loading />
        ) : matched === 0 ? (
          "No delivery matches: there is nothing to retry."
        ) : (
          <strong>{plural(matched, "delivery matches", "deliveries match")}</strong>
        )}
      </div>
      <Button disabled={matched === 0} loading={retry.isPending} onClick={() => retry.mutate()}>
        {matched === 0 ? "Retry" : `Retry ${plural(matched, "delivery", "deliveries")}`}
      </Button>
      {retry.isError && <FailureNotice failure={retry.error} />}
      {matched > 0 && preview.data && <ByType {...preview.data} />}
    </div>
  )
}

export const RetryAll = ({ filters }: { readonly filters: DeliveryFilters }) => {
  const [open, setOpen] = useState(false)
  const [job, setJob] = useState<QueuedRetryJob>()
  const close = () => {
    setOpen(false)
    setJob(undefined)
  }
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Retry all that match…
      </Button>
      <Modal opened={open} onClose={close} title="Retry deliveries" size="lg">
        {job === undefined ? (
          <Form filters={filters} onQueued={setJob} />
        ) : (
          <Alert
            color="indigo"
            role="status"
            title={`${plural(job.matched, "delivery", "deliveries")} will be retried`}
          >
            One job retries them, oldest first. New deliveries go before them.{" "}
            <Link to="/replay/$id" params={{ id: job.job_id }}>
              Watch the job
            </Link>
          </Alert>
        )}
      </Modal>
    </>
  )
}
