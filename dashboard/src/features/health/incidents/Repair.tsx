/** What is to do about an incident: one action, while something of it is not delivered. */
import { Button } from "@mantine/core"
import { IconHistory, IconRefresh } from "@tabler/icons-react"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { Link, useNavigate } from "@tanstack/react-router"
import { useMay } from "../../../api/account.ts"
import { call } from "../../../api/call.ts"
import { type Incident, type QueuedRetryJob, retryDeliveries } from "../../../api/ledgerhook.ts"
import { count } from "../../../words/format.ts"

/** A delivery is older than its failed attempt, at most by this. */
const EARLIER_MS = 5 * 60_000

export const Repair = ({ incident }: { readonly incident: Incident }) => {
  const { began_at, ended_at, ended_by, outcome, webhook_id } = incident
  const mayRetry = useMay("deliveries:write")
  const queries = useQueryClient()
  const navigate = useNavigate()
  const since = new Date(Date.parse(began_at) - EARLIER_MS).toISOString()
  const retry = useMutation({
    mutationFn: () =>
      call(
        retryDeliveries(
          { webhook_id, since, ...(ended_at === null ? {} : { until: ended_at }) },
          { idempotencyKey: crypto.randomUUID() }
        )
      ) as Promise<QueuedRetryJob>,
    onSuccess: async ({ job_id }) => {
      queries.invalidateQueries({ queryKey: ["replay"] })
      await navigate({ to: "/replay/$id", params: { id: job_id } })
    }
  })
  if (!mayRetry || ended_by === "deleted") return null
  if (outcome === null)
    return (
      <Button
        component={Link}
        to={`/replay/new?webhook_id=${webhook_id}&since=${encodeURIComponent(since)}&until=${encodeURIComponent(ended_at ?? "")}`}
        leftSection={<IconHistory size={16} aria-hidden />}
      >
        Replay this time
      </Button>
    )
  const { failed, waiting } = outcome
  if (failed + waiting === 0) return null
  return (
    <>
      <Button
        leftSection={<IconRefresh size={16} aria-hidden />}
        loading={retry.isPending}
        onClick={() => retry.mutate()}
      >
        {failed === 0
          ? `Retry ${count(waiting)} now`
          : `Retry ${count(failed + waiting)} that ${waiting === 0 ? "failed" : "failed or wait"}`}
      </Button>
      {retry.isError && (
        <span className="bad" role="alert">
          {retry.error.message}
        </span>
      )}
    </>
  )
}
