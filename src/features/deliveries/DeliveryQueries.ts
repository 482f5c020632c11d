/**
 * Deliveries as the API sees them: pages, one with its attempts, and the manual retry. A customer sees only
 * deliveries of their own account on the networks of the calling key. Pages are in id order, newest first. An id begins
 * with its creation time, so bounds of time are bounds of ids and exclude whole partitions.
 */

import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Limits } from "../../spine/config/Limits.ts"
import { type DeliveryFilter, deliveryPage } from "../../spine/deliveries/DeliveryPages.ts"
import { detailsOf } from "../../spine/deliveries/StoredDetails.ts"
import { retryNow } from "../../spine/deliveries/Transitions.ts"
import { quotaUsedUp } from "../../spine/deliveries/UsageStore.ts"
import type { Owner } from "../../spine/domain/ApiKey.ts"
import type { Compression } from "../../spine/domain/Compression.ts"
import {
  DELIVERIES_TOPIC,
  type DeliveryStatus,
  type DeliveryWork,
  type ExchangeDetails,
  newWork
} from "../../spine/domain/Delivery.ts"
import { CHARGED_NETWORK } from "../../spine/domain/Quota.ts"
import type { SigningScheme } from "../../spine/domain/Signing.ts"
import type { Includable } from "../../spine/event/Include.ts"
import type { LedgerEvent } from "../../spine/event/LedgerEvent.ts"
import type { Network } from "../../spine/event/Network.ts"
import type { RequestFormat } from "../../spine/event/RequestFormat.ts"
import { Outbox } from "../../spine/store/outbox/Outbox.ts"
import { ReadSql } from "../../spine/store/Sql.ts"
import type { AccountId, EventId, WebhookId } from "../../spine/words/Ids.ts"
import { makeDeliveryStats } from "../statistics/DeliveryStats.ts"
import { jobDeliveries } from "./JobDeliveries.ts"
import { type LedgerAnswers, ledgerAnswers } from "./LedgerAnswers.ts"

const COLUMNS =
  "id, webhook_id, event_id, event_type, status, attempts, last_error, response_status, response_time_ms, next_attempt_at, updated_at"

export interface DeliveryRow {
  readonly id: string
  readonly webhook_id: WebhookId
  readonly event_id: EventId
  readonly event_type: string
  readonly status: DeliveryStatus
  readonly attempts: number
  readonly last_error: string | null
  readonly response_status: number | null
  readonly response_time_ms: number | null
  readonly next_attempt_at: string | null
  readonly updated_at: string
}

/** One delivery with the fields that a page leaves out. */
export interface DeliveryDetailRow extends DeliveryRow {
  readonly network: Network
  /** Null for test deliveries: they have `test_event` instead. */
  readonly event_offset: number | null
  /** Whether `event_offset` is in the topic of history events. */
  readonly from_history: boolean
  /** A `LedgerEvent` in JSON. */
  readonly test_event: string | null
  readonly response_body: string | null
  /** The present request settings of the webhook. */
  readonly request: {
    /** Names of the webhook's own headers. */
    readonly headerNames: ReadonlyArray<string>
    readonly signing: ReadonlyArray<SigningScheme>
    readonly format: RequestFormat
    readonly include: ReadonlyArray<Includable>
    readonly compression: Compression | null
  }
}

export interface AttemptRow {
  readonly attempt: number
  readonly status: "failed" | "delivered"
  readonly response_status: number | null
  readonly response_time_ms: number | null
  readonly error: string | null
  readonly attempted_at: string
  readonly response_body: string | null
  readonly details: ExchangeDetails | null
}

type StoredAttempt = Omit<AttemptRow, "details"> & { readonly details: string | null }

export class DeliveryQueries extends Context.Service<DeliveryQueries>()(
  "ledgerhook/storage/DeliveryQueries",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const read = yield* ReadSql
      const outbox = yield* Outbox
      const columns = read.literal(COLUMNS)

      return {
        /** Returns deliveries with an id below `beforeId`, newest first. */
        list: (owner: Owner, filter: DeliveryFilter, beforeId: string | undefined, limit: number) =>
          deliveryPage<DeliveryRow>(read, columns, owner, filter, beforeId, limit),

        /** Of a replay or retry job; undefined if there is no such job, or if it has none yet. */
        ofJob: (owner: Owner, jobId: string) => jobDeliveries(sql, owner, jobId),

        ...makeDeliveryStats(read),

        ledgerAnswers: (
          accountId: AccountId,
          network: Network,
          takenAt: ReadonlyArray<number>
        ): Effect.Effect<ReadonlyArray<LedgerAnswers>, SqlError.SqlError> =>
          ledgerAnswers(read, accountId, network, takenAt),

        find: (owner: Owner, id: string) =>
          read<DeliveryDetailRow>`
          SELECT ${columns}, network, event_offset::float8 AS event_offset, from_history, test_event,
                 response_body,
                 (SELECT json_build_object(
                    'headerNames', ARRAY(SELECT jsonb_object_keys(headers)), 'signing', signing, 'format', format,
                    'include', include, 'compression', compression
                  ) FROM webhooks WHERE webhooks.id = webhook_id) AS request
          FROM deliveries
          WHERE id = ${id} AND account_id = ${owner.accountId} AND network = ANY(${owner.networks}::text[])`.pipe(
            Effect.map((rows) => Option.fromNullishOr(rows[0]))
          ),

        // The attempt that delivered is stored in the delivery's row.
        /** First attempt first. */
        attempts: (id: string) =>
          read<StoredAttempt>`
          SELECT attempt, status, response_status, response_time_ms, error, attempted_at,
                 left(response_body, ${Limits.attemptBodyCharacters}) AS response_body, details
          FROM attempts WHERE delivery_id = ${id}
          UNION ALL
          SELECT attempts, status, response_status, response_time_ms, last_error, attempted_at,
                 left(response_body, ${Limits.attemptBodyCharacters}), details
          FROM deliveries WHERE id = ${id} AND attempted_at IS NOT NULL
          ORDER BY attempt`.pipe(
            Effect.map((rows) =>
              rows.map(
                ({ details, ...row }): AttemptRow => ({
                  ...row,
                  details: details === null ? null : detailsOf(details)
                })
              )
            )
          ),

        /**
         * Queues the next attempt of a failed or retrying delivery of `event`. A failed one starts a new series. The
         * record that waits for a retrying one's due time arrives later and is dropped by its attempt number.
         */
        retry: Effect.fnUntraced(function* (owner: Owner, id: string, event: LedgerEvent, nowMs: number) {
          // Lock the webhook too (FOR SHARE): a concurrent delete or disable waits, and then sees the new state.
          const [row] = yield* sql<{
            readonly webhook_id: WebhookId
            readonly status: DeliveryStatus
            readonly charged: boolean
          }>`
          SELECT webhook_id, status,
                 network = ${CHARGED_NETWORK} AND test_event IS NULL AS charged FROM deliveries
          WHERE id = ${id} AND account_id = ${owner.accountId} AND network = ANY(${owner.networks}::text[])
          FOR UPDATE`
          if (row === undefined) return { is: "not found" } as const
          const [webhook] = yield* sql<{ readonly status: string }>`
          SELECT status FROM webhooks WHERE id = ${row.webhook_id} AND deleted_at IS NULL FOR SHARE`
          if (webhook === undefined) return { is: "webhook deleted" } as const
          const { status } = row
          if (status !== "failed" && status !== "retrying") return { is: "not failed", status } as const
          if (webhook.status !== "active") return { is: "webhook disabled" } as const
          if (row.charged && (yield* quotaUsedUp(sql, owner.accountId, nowMs)))
            return { is: "quota used up" } as const
          const key = row.webhook_id
          for (const { attempt, seriesAttempt } of yield* retryNow(sql, [id], nowMs)) {
            const work: DeliveryWork = { ...newWork(id, key, event, attempt, seriesAttempt), manual: true }
            yield* outbox.insert([{ topic: DELIVERIES_TOPIC, key, value: JSON.stringify(work) }])
          }
          return { is: "queued", status: status === "failed" ? "pending" : status } as const
        }, sql.withTransaction)
      }
    })
  }
) {
  static readonly layer = Layer.effect(DeliveryQueries, DeliveryQueries.make)
}
