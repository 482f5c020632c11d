/** The filters of the list of deliveries, as the page's address has them. Pure. */

import { patternsIn } from "../../../words/eventTypes.ts"
import { oneOf, periodIn, text } from "../../../words/search.ts"

export const statuses = ["retrying", "pending", "failed", "delivered"] as const

export interface DeliveryFilters {
  readonly webhook_id?: string | undefined
  readonly event_type?: string | undefined
  readonly status?: (typeof statuses)[number] | undefined
  readonly event_id?: string | undefined
  /** A replay or a job that retries. */
  readonly job_id?: string | undefined
  /** ISO 8601 with an offset, as the API wants it. */
  readonly since?: string | undefined
  readonly until?: string | undefined
}

export interface DeliverySearch extends DeliveryFilters {
  /** Of the chart above the list; it filters nothing. */
  readonly period?: ReturnType<typeof periodIn>
}

export const deliveryFilters = (search: Record<string, unknown>): DeliverySearch => ({
  webhook_id: text(search["webhook_id"]),
  event_type: text(search["event_type"]),
  status: oneOf(statuses)(search["status"]),
  event_id: text(search["event_id"]),
  job_id: text(search["job_id"]),
  since: text(search["since"]),
  until: text(search["until"]),
  period: periodIn(search["period"])
})

/** The filters as the client's parameters. */
export const listQuery = ({
  webhook_id,
  event_type,
  status,
  event_id,
  job_id,
  since,
  until
}: DeliveryFilters) => ({
  webhookId: webhook_id,
  jobId: job_id,
  eventType: event_type === undefined ? undefined : patternsIn([event_type])[0],
  status: status === undefined ? undefined : [status],
  eventId: event_id,
  since,
  until
})
