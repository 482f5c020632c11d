/** What can be done with the selected deliveries, or with all that match: save them as a file, retry them. */
import { Button } from "@mantine/core"
import { IconDownload, IconRefresh } from "@tabler/icons-react"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useMay } from "../../../api/account.ts"
import { ApiFailure, call } from "../../../api/call.ts"
import { type Delivery, listDeliveries, type QueuedRetryJob, retryDelivery } from "../../../api/ledgerhook.ts"
import { PAGE_ROWS } from "../../../api/list.ts"
import { untilRequestsAreLeft } from "../../../api/refresh.ts"
import { EXPORT_ROWS, type FileFormat, fieldsOf, fileFormats, readAll } from "../../../ui/list/exporting.ts"
import { useSaving } from "../../../ui/list/useSaving.ts"
import { count, plural } from "../../../words/format.ts"
import { type DeliveryFilters, listQuery } from "./filters.ts"
import { RetryAll, useRetryJob } from "./RetryAll.tsx"
import { retryChoice, retryRequest } from "./retrying.ts"
import { SelectionBar } from "./SelectionBar.tsx"

/** Each is a request of its own. More are a job. */
const RETRIES_MOST = 100
const RETRIES_AT_ONCE = 4

const deliveries = (some: number) => plural(some, "delivery", "deliveries")

const fields = fieldsOf<Delivery>([
  "id",
  "created_at",
  "status",
  "event_type",
  "event_id",
  "webhook_id",
  "attempts",
  "response_status",
  "response_time_ms",
  "last_error",
  "next_attempt_at",
  "updated_at"
])

/** False: the service retried it by itself since it was loaded, so nothing is left to do. */
const retryOne = async (id: string): Promise<boolean> => {
  try {
    await call(retryDelivery(id, { idempotencyKey: crypto.randomUUID() }))
    return true
  } catch (thrown) {
    if (thrown instanceof ApiFailure && thrown.code === "DELIVERY_NOT_FAILED") return false
    throw thrown
  }
}

/** How many are retried. Stops at the first failure. */
const retryEach = async (ids: ReadonlyArray<string>): Promise<number> => {
  let retried = 0
  for (let at = 0; at < ids.length; at += RETRIES_AT_ONCE) {
    const some = await Promise.all(ids.slice(at, at + RETRIES_AT_ONCE).map(retryOne))
    retried += some.filter(Boolean).length
  }
  return retried
}

const retriedText = (asked: number, retried: number) =>
  [
    ...(retried > 0 ? [`${deliveries(retried)} retried: the next attempts are queued.`] : []),
    ...(retried < asked ? [`${deliveries(asked - retried)} needed no retry any more.`] : [])
  ].join(" ")

interface FilesProps {
  readonly read: Parameters<typeof useSaving<Delivery>>[2]
}

const Files = ({ read: readRows }: FilesProps) => {
  const { pending, read, save, text } = useSaving("deliveries", fields, readRows)
  return (
    <>
      <span role="status">{read > 0 ? `${deliveries(read)} read…` : text}</span>
      {(Object.keys(fileFormats) as ReadonlyArray<FileFormat>).map((format) => (
        <Button
          key={format}
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          loading={pending === format}
          disabled={pending !== undefined}
          onClick={() => save(format)}
        >
          {fileFormats[format].label}
        </Button>
      ))}
    </>
  )
}

interface Done {
  /** Shown above the list after the selection has ended. */
  readonly onDone: (what: ReactNode) => void
}

const RetrySelected = ({ rows, onDone }: Done & { readonly rows: ReadonlyArray<Delivery> }) => {
  const queries = useQueryClient()
  const ids = rows
    .filter(({ status }) => status === "failed" || status === "retrying")
    .map(({ id }) => id)
    .reverse()
  const retry = useMutation({
    mutationFn: () => retryEach(ids),
    onSuccess: (some) => onDone(retriedText(ids.length, some)),
    onSettled: () => queries.invalidateQueries({ queryKey: ["deliveries"] })
  })
  return (
    <>
      {retry.isError && <span role="alert">{retry.error.message}</span>}
      {ids.length > RETRIES_MOST && <span>To retry more than {RETRIES_MOST}, choose all that match.</span>}
      <Button
        leftSection={<IconRefresh size={16} aria-hidden />}
        disabled={ids.length === 0 || ids.length > RETRIES_MOST}
        loading={retry.isPending}
        onClick={() => retry.mutate()}
      >
        Retry {ids.length === 0 ? "" : count(ids.length)}
      </Button>
    </>
  )
}

const queuedText = (job: QueuedRetryJob) => (
  <>
    {deliveries(job.matched)} will be retried, oldest first.{" "}
    <Link to="/replay/$id" params={{ id: job.job_id }}>
      Watch the job
    </Link>
  </>
)

/** One job retries all of a webhook. Without one the dialog asks for it. */
const RetryMatching = ({ filters, onDone }: Done & { readonly filters: DeliveryFilters }) => {
  const isJobs = (filters.event_id ?? filters.job_id) === undefined && filters.status !== "delivered"
  const request = isJobs ? retryRequest(retryChoice(filters)) : undefined
  const { preview, retry } = useRetryJob(request, (job) => onDone(queuedText(job)))
  if (request === undefined) return <RetryAll filters={filters} />
  const matched = preview.data?.matched ?? 0
  const failure = retry.error ?? preview.error
  return (
    <>
      {failure !== null && <span role="alert">{failure.message}</span>}
      <Button
        leftSection={<IconRefresh size={16} aria-hidden />}
        disabled={matched === 0}
        loading={retry.isPending || preview.isPending}
        onClick={() => retry.mutate()}
      >
        Retry {count(matched)}
      </Button>
    </>
  )
}

interface SelectedDeliveriesProps extends Done {
  readonly filters: DeliveryFilters
  /** Those that are selected. */
  readonly rows: ReadonlyArray<Delivery>
  /** Whether all that match are meant, loaded or not. */
  readonly all: boolean
  readonly onAll: () => void
  readonly onClear: () => void
}

export const SelectedDeliveries = ({
  filters,
  rows,
  all,
  onAll,
  onClear,
  onDone
}: SelectedDeliveriesProps) => {
  const mayRetry = useMay("deliveries:write")
  const load = async (cursor: string | undefined) => {
    await untilRequestsAreLeft()
    return call(listDeliveries({ ...listQuery(filters), limit: PAGE_ROWS, cursor }))
  }
  const readMatching: FilesProps["read"] = async (onProgress, signal) => {
    const read = await readAll(load, onProgress, signal)
    const text = read.more
      ? `The newest ${count(EXPORT_ROWS)} are saved; there are more. Choose a shorter time.`
      : `${deliveries(read.rows.length)} saved.`
    return { rows: read.rows, text }
  }
  const readSelected: FilesProps["read"] = async () => ({ rows, text: `${deliveries(rows.length)} saved.` })
  return (
    <SelectionBar
      title={all ? "All that match" : `${count(rows.length)} selected`}
      note={
        all ? (
          "loaded here or not"
        ) : (
          <Button variant="subtle" size="xs" onClick={onAll}>
            All that match
          </Button>
        )
      }
      onClear={onClear}
    >
      <Files key={String(all)} read={all ? readMatching : readSelected} />
      {mayRetry &&
        (all ? (
          <RetryMatching filters={filters} onDone={onDone} />
        ) : (
          <RetrySelected rows={rows} onDone={onDone} />
        ))}
    </SelectionBar>
  )
}
