/**
 * Records for the log, written in the SQL transaction that changed what they tell. Ids commit in their own order: a
 * writer takes one lock until its transaction ends, so who has seen id n has seen all before it. `insert` therefore comes
 * last in a transaction, after every row lock, or two transactions could wait for each other.
 * storage/outbox/OutboxPublisher moves the rows to the log. The newest row is kept when it has been published: `headId`
 * needs it.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Limits } from "../../config/Limits.ts"
import { CONFIG_TOPIC } from "../../domain/Webhook.ts"
import type { NewRecord } from "../../log/EventLog.ts"
import { column } from "../Columns.ts"

export interface OutboxRow {
  readonly id: number
  readonly topic: string
  readonly key: string
  readonly value: string | null
}

/** The log's memory of what has been published: in this group's position stands the last published id + 1. */
export const OUTBOX_POSITION = { group: "outbox", topic: CONFIG_TOPIC, partition: 0 } as const

export class Outbox extends Context.Service<
  Outbox,
  {
    /** Only inside `sql.withTransaction`, and last in it. The publisher is told after the commit (storage/outbox/WorkNotices.ts). */
    readonly insert: (
      records: ReadonlyArray<Pick<NewRecord, "topic" | "key" | "value">>
    ) => Effect.Effect<void, SqlError.SqlError>
    /** The newest id that was ever committed; 0 when there is none. */
    readonly headId: Effect.Effect<number, SqlError.SqlError>
    /** Rows after `afterId`, in order; fewer than `limit` where they are large. */
    readonly next: (
      afterId: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<OutboxRow>, SqlError.SqlError>
    /** Drops rows up to `id`, but for the newest of all. */
    readonly removeUpTo: (id: number) => Effect.Effect<void, SqlError.SqlError>
  }
>()("ledgerhook/storage/Outbox") {
  static readonly layer = Layer.effect(
    Outbox,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      return Outbox.of({
        insert: (records) =>
          Effect.gen(function* () {
            yield* sql`SELECT pg_advisory_xact_lock(hashtextextended('ledgerhook.outbox-order', 0))`
            yield* sql`
              INSERT INTO outbox (topic, key, value)
              SELECT topic, key, value FROM unnest(
                ${column(records.map(({ topic }) => topic))}::text[],
                ${column(records.map(({ key }) => key))}::text[],
                ${column(records.map(({ value }) => value))}::text[]
              ) WITH ORDINALITY AS new (topic, key, value, n) ORDER BY n`
          }),
        headId: sql<{ readonly id: number }>`SELECT coalesce(max(id), 0)::float8 AS id FROM outbox`.pipe(
          Effect.map((rows) => rows[0]!.id)
        ),
        next: (afterId, limit) =>
          sql<OutboxRow>`
            SELECT id::float8 AS id, topic, key, value FROM (
              SELECT *, sum(bytes) OVER (ORDER BY id) - bytes AS bytes_before FROM (
                SELECT *, coalesce(pg_column_size(value), 0) AS bytes FROM outbox
                WHERE id > ${afterId}::bigint ORDER BY id LIMIT ${limit}
              ) AS next
            ) AS sized WHERE bytes_before < ${Limits.outboxBatchBytes}::int ORDER BY id`,
        removeUpTo: (id) =>
          sql`
            DELETE FROM outbox
            WHERE id <= ${id}::bigint AND id < (SELECT max(id) FROM outbox)`.pipe(Effect.asVoid)
      })
    })
  )
}
