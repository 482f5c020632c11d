/** Where the deliveries of a replay or retry job are: a replay's are a range of ids, a retry job's a list. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { JobDeliveries } from "../../spine/deliveries/DeliveryPages.ts"
import type { Owner } from "../../spine/domain/ApiKey.ts"
import { firstReplayDeliveryId, lastReplayMoment } from "../../spine/domain/Replay.ts"
import { column } from "../../spine/store/Columns.ts"
import { firstIdAt, type WebhookId } from "../../spine/words/Ids.ts"

interface JobPlace {
  readonly webhookId: WebhookId
  readonly isRetry: boolean
  readonly startedAt: number
  readonly startOffset: number
  readonly endOffset: number
}

/** Undefined if there is no such job, or if it has no deliveries yet. */
export const jobDeliveries = (sql: SqlClient.SqlClient, { accountId, networks }: Owner, id: string) =>
  sql<JobPlace>`
    SELECT webhook_id AS "webhookId", retry IS NOT NULL AS "isRetry",
      (extract(epoch FROM started_at) * 1000)::float8 AS "startedAt",
      coalesce(start_offset, 0)::float8 AS "startOffset", end_offset::float8 AS "endOffset"
    FROM replay_jobs
    WHERE id = ${id} AND account_id = ${accountId} AND network = ANY(${column(networks)}::text[])
      AND (retry IS NOT NULL OR start_offset IS NOT NULL)`.pipe(
    Effect.map(([row]): JobDeliveries | undefined => {
      if (row === undefined) return undefined
      const { endOffset, isRetry, startOffset, startedAt, webhookId } = row
      if (isRetry) return { id, webhookId, ids: undefined }
      const origin = { id, startedAt, startOffset }
      return {
        id,
        webhookId,
        ids: {
          from: firstReplayDeliveryId(origin, startOffset),
          end: firstIdAt("dlv_", lastReplayMoment(origin, endOffset) + 1)
        }
      }
    })
  )
