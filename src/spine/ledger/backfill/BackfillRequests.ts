/**
 * Requests of replay jobs for history. A worker makes the request and ingest settles it. While it is open, the job
 * has no worker (ReplayWork.claim skips it). The request of a cancelled job is ignored.
 */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../config/Limits.ts"
import type { Network } from "../../event/Network.ts"
import { column } from "../../store/Columns.ts"
import { printable } from "../../words/Printable.ts"

export interface OpenRequest {
  readonly jobId: string
  /** Ledgers that closed after this are wanted. Unix milliseconds. */
  readonly sinceMs: number
  /** The lowest ledger needed, once it is known. */
  readonly firstLedger: number | null
  /** How many ledgers were missing when work on the request began. */
  readonly ledgers: number | null
}

export type SettledRequest =
  | {
      readonly state: "ready"
      /** The lowest ledger needed; `beforeLedger` is the service's first own one. */
      readonly firstLedger: number
      readonly beforeLedger: number
    }
  | { readonly state: "failed"; readonly error: string }

export class BackfillRequests extends Context.Service<BackfillRequests>()(
  "ledgerhook/storage/BackfillRequests",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const number = (value: number) => sql`${String(value)}::bigint`

      return {
        /** Requests the job's history. A second call changes nothing. */
        ask: ({ id, network }: { readonly id: string; readonly network: Network }, sinceMs: number) =>
          Effect.asVoid(sql`
          INSERT INTO history_requests (job_id, network, since_ms, state)
          VALUES (${id}, ${network}, ${number(Math.floor(sinceMs))}, 'open') ON CONFLICT DO NOTHING`),

        /** The settled request of a job; none while it is open, or if there is none. */
        find: (jobId: string) =>
          sql<SettledRequest>`
          SELECT state, first_ledger::float8 AS "firstLedger", before_ledger::float8 AS "beforeLedger", error
          FROM history_requests WHERE job_id = ${jobId} AND state <> 'open'`.pipe(
            Effect.map(([row]) => Option.fromNullishOr(row))
          ),

        /**
         * Returns the open requests of running jobs. Before that, it fails requests whose webhook is no longer
         * active.
         */
        open: Effect.fnUntraced(function* (network: Network) {
          // The worker that then claims the job ends it with the webhook's state as the reason, or with this one if
          // the webhook has been activated meanwhile.
          yield* sql`
          UPDATE history_requests SET state = 'failed', error = 'The webhook was disabled.',
            settled_at = clock_timestamp()
          WHERE state = 'open' AND network = ${network} AND EXISTS (
            SELECT 1 FROM replay_jobs j LEFT JOIN webhooks w ON w.id = j.webhook_id AND w.deleted_at IS NULL
            WHERE j.id = job_id AND w.status IS DISTINCT FROM 'active')`
          return yield* sql<OpenRequest>`
          SELECT job_id AS "jobId", since_ms::float8 AS "sinceMs", first_ledger::float8 AS "firstLedger",
            ledgers::float8 AS ledgers
          FROM history_requests r JOIN replay_jobs j ON j.id = r.job_id
          WHERE r.state = 'open' AND r.network = ${network} AND j.status IN ('queued', 'running')
            AND j.cancelled_at IS NULL
          ORDER BY r.job_id`
        }),

        /** Fails open requests of networks other than these: no server provides their history. */
        failOthers: (served: ReadonlyArray<Network>) =>
          Effect.asVoid(sql`
          UPDATE history_requests SET state = 'failed', settled_at = clock_timestamp(),
            error = 'The service has no servers for history any more.'
          WHERE state = 'open' AND network <> ALL(${column(served)}::text[])`),

        begin: (
          jobId: string,
          { firstLedger, ledgers }: { readonly firstLedger: number; readonly ledgers: number }
        ) =>
          Effect.asVoid(sql`
          UPDATE history_requests SET first_ledger = ${number(firstLedger)}, ledgers = ${number(ledgers)}
          WHERE job_id = ${jobId} AND state = 'open'`),

        advance: (jobId: string, fetched: number) =>
          Effect.asVoid(sql`
          UPDATE history_requests SET fetched = ${number(fetched)} WHERE job_id = ${jobId} AND state = 'open'`),

        settle: (jobId: string, outcome: SettledRequest, nowMs: number) => {
          const set =
            outcome.state === "ready"
              ? sql`first_ledger = ${number(outcome.firstLedger)}, before_ledger = ${number(outcome.beforeLedger)},
                ledgers = coalesce(ledgers, 0), fetched = coalesce(ledgers, 0)`
              : sql`error = ${printable(outcome.error, Limits.errorLength)}`
          return Effect.asVoid(sql`
          UPDATE history_requests SET state = ${outcome.state}, ${set},
            settled_at = ${new Date(nowMs).toISOString()}::timestamptz
          WHERE job_id = ${jobId} AND state = 'open'`)
        }
      }
    })
  }
) {
  static readonly layer = Layer.effect(BackfillRequests, BackfillRequests.make)
}
