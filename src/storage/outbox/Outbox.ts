/**
 * Records for the log, written in the SQL transaction that changed what they tell. Ids commit in their own order: a
 * writer takes one lock until its transaction ends, so who has seen id n has seen all before it. `insert` therefore comes
 * last in a transaction, after every row lock, or two transactions could wait for each other.
 * storage/outbox/OutboxPublisher moves the rows to the log. The newest row is kept when it has been published: `headId`
 * needs it.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
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

export class Outbox extends Context.Service<Outbox>()("ledgerhook/storage/Outbox", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    return {
      /** Only inside `sql.withTransaction`, and last in it. The publisher is told after the commit (storage/outbox/WorkNotices.ts). */
      insert: Effect.fnUntraced(function* (
        records: ReadonlyArray<Pick<NewRecord, "topic" | "key" | "value">>
      ) {
        yield* sql`SELECT pg_advisory_xact_lock(hashtextextended('ledgerhook.outbox-order', 0))`
        yield* sql`
          INSERT INTO outbox (topic, key, value)
          SELECT topic, key, value FROM unnest(
            ${column(records.map(({ topic }) => topic))}::text[],
            ${column(records.map(({ key }) => key))}::text[],
            ${column(records.map(({ value }) => value))}::text[]
          ) WITH ORDINALITY AS new (topic, key, value, n) ORDER BY n`
      }),
      /** The newest id that was ever committed; 0 when there is none. */
      headId: sql<{ readonly id: number }>`SELECT coalesce(max(id), 0)::float8 AS id FROM outbox`.pipe(
        Effect.map((rows) => rows[0]!.id)
      ),
      /** Rows after `afterId`, in order; fewer than `limit` where they are large. */
      next: (afterId: number, limit: number) =>
        sql<OutboxRow>`
          SELECT id::float8 AS id, topic, key, value FROM (
            SELECT *, sum(bytes) OVER (ORDER BY id) - bytes AS bytes_before FROM (
              SELECT *, coalesce(pg_column_size(value), 0) AS bytes FROM outbox
              WHERE id > ${afterId}::bigint ORDER BY id LIMIT ${limit}
            ) AS next
          ) AS sized WHERE bytes_before < ${Limits.outboxBatchBytes}::int ORDER BY id`,
      /** Drops rows up to `id`, but for the newest of all. */
      removeUpTo: (id: number) =>
        sql`
          DELETE FROM outbox
          WHERE id <= ${id}::bigint AND id < (SELECT max(id) FROM outbox)`.pipe(Effect.asVoid)
    }
  })
}) {
  static readonly layer = Layer.effect(Outbox, Outbox.make)
}
