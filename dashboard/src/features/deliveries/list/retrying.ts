/** Which deliveries a retry of many takes. Pure. */
import type { NewRetryJob } from "../../../api/ledgerhook.ts"
import { patternsIn } from "../../../words/eventTypes.ts"
import type { DeliveryFilters } from "./filters.ts"

type RetryStatus = NonNullable<NewRetryJob["statuses"]>[number]

export interface RetryChoice {
  readonly webhook_id: string | undefined
  readonly statuses: ReadonlyArray<RetryStatus>
  readonly event_type: string | undefined
  readonly since: string | undefined
  readonly until: string | undefined
}

/** What the list's filters mean for a retry. A delivered delivery is not retried. */
export const retryChoice = (filters: DeliveryFilters): RetryChoice => ({
  webhook_id: filters.webhook_id,
  statuses:
    filters.status === "failed" || filters.status === "retrying" ? [filters.status] : ["failed", "retrying"],
  event_type: filters.event_type,
  since: filters.since,
  until: filters.until
})

/** Undefined if something must still be chosen. */
export const retryRequest = (choice: RetryChoice): NewRetryJob | undefined =>
  choice.webhook_id === undefined || choice.statuses.length === 0
    ? undefined
    : {
        webhook_id: choice.webhook_id,
        statuses: [...choice.statuses],
        ...(choice.event_type === undefined ? {} : { event_types: patternsIn([choice.event_type]) }),
        ...(choice.since === undefined ? {} : { since: choice.since }),
        ...(choice.until === undefined ? {} : { until: choice.until })
      }
