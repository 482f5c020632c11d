/**
 * Measures the least that recording can cost: bare POSTs, and one updated row of a plain table for each, in batches,
 * over the program's own pool. It omits the log, order, windows, partitions, second index, usage, failure counter and
 * statistics.
 */

import { Effect, Latch } from "effect"
import { SqlClient } from "effect/sql"
import { deliverLimits } from "../../src/spine/deliver/Limits.ts"
import type { SignedRequest } from "../../src/spine/deliver/send/Signer.ts"
import { column } from "../../src/spine/store/Columns.ts"
import type { Posts } from "./posts.ts"

const idOf = ({ headers }: SignedRequest): string => headers["X-Service-Delivery-Id"] ?? ""

export const makePlainRecording = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE bench_recorded (
      id text COLLATE "C" PRIMARY KEY, webhook_id text NOT NULL, event_id text NOT NULL, status text NOT NULL,
      attempts integer NOT NULL, response_status integer, response_time_ms integer, response_body text,
      updated_at timestamptz NOT NULL
    ) WITH (fillfactor = 50)`

  const record = (ids: ReadonlyArray<string>) => sql`
    UPDATE bench_recorded r SET status = 'delivered', attempts = 1, response_status = new.status,
           response_time_ms = new.ms, response_body = new.body, updated_at = now()
    FROM unnest(${column(ids)}::text[], ${column(ids.map(() => 200))}::int[], ${column(ids.map(() => 1))}::int[],
                ${column(ids.map(() => "ok"))}::text[]) AS new (id, status, ms, body)
    WHERE r.id = new.id AND r.attempts < 1`

  return {
    /** Pending rows. */
    queue: (lists: ReadonlyArray<ReadonlyArray<SignedRequest>>) =>
      sql`
        INSERT INTO bench_recorded SELECT *, 'pending', 0, NULL, NULL, NULL, now()
        FROM unnest(${column(lists.flat().map(idOf))}::text[],
                    ${column(lists.flat().map((_, i) => `wh_${i % lists.length}`))}::text[],
                    ${column(lists.flat().map(({ headers }) => headers["X-Service-Event-Id"] ?? ""))}::text[])`,
    /** Ends when the last one is recorded. */
    send: Effect.fnUntraced(function* (
      posts: Posts,
      lists: ReadonlyArray<ReadonlyArray<SignedRequest>>,
      atOnce: number
    ) {
      let left = lists.flat().length
      let ended: Array<string> = []
      const some = Latch.makeUnsafe()
      const recording = Effect.gen(function* () {
        while (left > 0) {
          yield* Latch.await(some)
          const ids = ended.slice(0, deliverLimits.rowsAtOnce)
          ended = ended.slice(deliverLimits.rowsAtOnce)
          if (ended.length === 0) some.closeUnsafe()
          yield* record(ids)
          left -= ids.length
        }
      })
      const sending = posts.send(lists, atOnce, (request) => {
        ended.push(idOf(request))
        some.openUnsafe()
      })
      yield* Effect.all([sending, recording], { concurrency: "unbounded" })
    })
  }
})
