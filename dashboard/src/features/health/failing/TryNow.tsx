/** Makes the next attempt of a webhook's oldest waiting delivery now, and shows its answer in place. */
import { Button } from "@mantine/core"
import { IconRefresh } from "@tabler/icons-react"
import { skipToken, useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useMay } from "../../../api/account.ts"
import { call } from "../../../api/call.ts"
import {
  type Attempt,
  getDelivery,
  getWebhookProgress,
  type QueuedRetryJob,
  retryDeliveries,
  retryDelivery
} from "../../../api/ledgerhook.ts"
import { autoRefresh } from "../../../api/refresh.ts"
import { useNow } from "../../../ui/value/now.ts"
import { StatusIcon } from "../../../ui/value/Status.tsx"
import { Time } from "../../../ui/value/Time.tsx"
import { count, duration } from "../../../words/format.ts"
import classes from "./Failing.module.css"

/** Longer than an attempt takes unless the operator allows more. */
const WAIT_MS = 12_000
const ASK_MS = 400

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

interface Tried {
  /** When it was asked for. */
  readonly at: number
  readonly deliveryId: string
  /** Undefined: it did not end in time. */
  readonly attempt: Attempt | undefined
  /** The job that retries all the others, once it was asked for. */
  readonly jobId?: string
}

/** An answer says nothing of the webhook after this time. */
const KEPT_MS = 10 * 60_000

/** What the last try showed. It is kept when the webhook no longer fails because of it. */
const triedKey = (webhookId: string) => ["tried", webhookId]

const useTried = (webhookId: string) =>
  useQuery<Tried | null>({ queryKey: triedKey(webhookId), queryFn: skipToken }).data ?? undefined

/** Undefined if nothing waits. */
const tryOldest = async (webhookId: string): Promise<Tried | undefined> => {
  const at = Date.now()
  const { oldest_waiting } = await call(getWebhookProgress(webhookId))
  if (oldest_waiting === null) return undefined
  const { delivery_id: deliveryId } = oldest_waiting
  const before = await call(getDelivery(deliveryId))
  // Its own retry was quicker.
  if (before.status === "delivered") return { at, deliveryId, attempt: before.attempt_history.at(-1) }
  if (before.status === "retrying")
    await call(retryDelivery(deliveryId, { idempotencyKey: crypto.randomUUID() }))
  const until = at + WAIT_MS
  while (Date.now() < until) {
    await pause(ASK_MS)
    const { attempt_history, attempts } = await call(getDelivery(deliveryId))
    if (attempts > before.attempts) return { at, deliveryId, attempt: attempt_history.at(-1) }
  }
  return { at, deliveryId, attempt: undefined }
}

const Answer = ({ attempt, deliveryId }: Tried) => {
  const link = (text: string) => (
    <Link to="/deliveries/$id" params={{ id: deliveryId }}>
      {text}
    </Link>
  )
  if (attempt === undefined) return <>It has not ended yet. {link("Watch it")}</>
  const { attempted_at, error, response_status, response_time_ms, status } = attempt
  return (
    <>
      <StatusIcon of={status} />
      <span>
        <b>{status === "delivered" ? `Delivered: HTTP ${response_status}` : error}</b>
        {response_time_ms !== null && ` in ${duration(response_time_ms)}`}, <Time at={attempted_at} />.{" "}
        {link("Show it")}
      </span>
    </>
  )
}

const RetryAll = ({ webhookId, waiting }: { readonly webhookId: string; readonly waiting: number }) => {
  const queries = useQueryClient()
  const retry = useMutation({
    mutationFn: () =>
      call(
        retryDeliveries(
          { webhook_id: webhookId, statuses: ["retrying"] },
          { idempotencyKey: crypto.randomUUID() }
        )
      ) as Promise<QueuedRetryJob>,
    onSuccess: ({ job_id }) =>
      queries.setQueryData<Tried>(triedKey(webhookId), (tried) => tried && { ...tried, jobId: job_id })
  })
  return (
    <Button size="xs" variant="default" loading={retry.isPending} onClick={() => retry.mutate()}>
      {retry.isError ? retry.error.message : `Retry all ${count(waiting)}`}
    </Button>
  )
}

/** The answer to the last try, and the way on from it. */
export const AfterTry = ({ webhookId }: { readonly webhookId: string }) => {
  const tried = useTried(webhookId)
  const now = useNow()
  const works = tried?.attempt?.status === "delivered"
  const progress = useQuery({
    queryKey: ["progress", webhookId],
    queryFn: () => call(getWebhookProgress(webhookId)),
    enabled: works,
    refetchInterval: autoRefresh
  })
  const waiting = progress.data?.waiting ?? 0
  if (tried === undefined || now - tried.at > KEPT_MS) return null
  return (
    <>
      <Answer {...tried} />
      {tried.jobId === undefined ? (
        works && waiting > 0 && <RetryAll webhookId={webhookId} waiting={waiting} />
      ) : (
        <Link to="/replay/$id" params={{ id: tried.jobId }}>
          Watch the job
        </Link>
      )}
    </>
  )
}

interface TryNowProps {
  readonly webhookId: string
  /** The page's main button. */
  readonly main?: boolean
}

export const TryNow = ({ webhookId, main = false }: TryNowProps) => {
  const queries = useQueryClient()
  const attempt = useMutation({
    mutationFn: () => tryOldest(webhookId),
    onMutate: () => queries.setQueryData(triedKey(webhookId), null),
    onSuccess: (tried) => queries.setQueryData(triedKey(webhookId), tried ?? null),
    onSettled: () => queries.invalidateQueries()
  })
  const [mayRead, mayRetry] = [useMay("deliveries:read"), useMay("deliveries:write")]
  if (!mayRead || !mayRetry) return null
  return (
    <>
      <div className={classes["act"]}>
        <Button
          variant={main ? "filled" : "default"}
          leftSection={<IconRefresh size={16} aria-hidden />}
          loading={attempt.isPending}
          onClick={() => attempt.mutate()}
        >
          Try now
        </Button>
      </div>
      <div className={classes["answer"]} role="status">
        {attempt.isPending && "Trying the oldest delivery that waits…"}
        {attempt.isError && attempt.error.message}
        {attempt.isSuccess && attempt.data === undefined && "Nothing waits for it any more."}
        <AfterTry webhookId={webhookId} />
      </div>
    </>
  )
}
