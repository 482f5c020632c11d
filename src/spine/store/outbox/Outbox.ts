/**
 * Records for the log, inserted in the SQL transaction that changes what they describe. Ids become visible in order:
 * a writer holds one lock until its transaction ends, so a reader that sees id n has seen all lower ones. `insert` is
 * therefore the last statement of a transaction: row locks after it could deadlock. OutboxPublisher.ts moves the rows
 * to the log. The newest row stays when it is published, because `headId` reads it.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../config/Limits.ts"
import { CONFIG_TOPIC } from "../../domain/Webhook.ts"
import { type NewRecord, OUTBOX_GROUP } from "../../log/Log.ts"
import { column } from "../Columns.ts"

export interface OutboxRow {
  readonly id: number
  readonly topic: string
  readonly key: string
  readonly value: string | null
}

/** The group whose committed offset is the last published id + 1. */
export const OUTBOX_POSITION = { group: OUTBOX_GROUP, topic: CONFIG_TOPIC, partition: 0 } as const

export class Outbox extends Context.Service<Outbox>()("ledgerhook/storage/Outbox", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    /** In a transaction: until it ends, no other one inserts. */
    const lock = Effect.asVoid(
      sql`SELECT pg_advisory_xact_lock(hashtextextended('ledgerhook.outbox-order', 0))`
    )

    return {
      lock,
      /**
       * Call it last in a `sql.withTransaction`. The commit notifies the publisher (store/outbox/WorkNotices.ts).
       */
      insert: Effect.fnUntraced(function* (
        records: ReadonlyArray<Pick<NewRecord, "topic" | "key" | "value">>
      ) {
        yield* lock
        yield* sql`
          INSERT INTO outbox (topic, key, value)
          SELECT topic, key, value FROM unnest(
            ${column(records.map(({ topic }) => topic))}::text[],
            ${column(records.map(({ key }) => key))}::text[],
            ${column(records.map(({ value }) => value))}::text[]
          ) WITH ORDINALITY AS new (topic, key, value, n) ORDER BY n`
      }),
      /** The newest committed id; 0 if there is none. */
      headId: sql<{ readonly id: number }>`SELECT coalesce(max(id), 0)::float8 AS id FROM outbox`.pipe(
        Effect.map((rows) => rows[0]!.id)
      ),
      /** Rows after `afterId`, in order. Fewer than `limit` if they are large. */
      next: (afterId: number, limit: number) =>
        sql<OutboxRow>`
          SELECT id::float8 AS id, topic, key, value FROM (
            SELECT *, sum(bytes) OVER (ORDER BY id) - bytes AS bytes_before FROM (
              SELECT *, coalesce(pg_column_size(value), 0) AS bytes FROM outbox
              WHERE id > ${afterId}::bigint ORDER BY id LIMIT ${limit}
            ) AS next
          ) AS sized WHERE bytes_before < ${Limits.recordsBytes}::int ORDER BY id`,
      /** Deletes rows up to `id`, except the newest row. */
      removeUpTo: (id: number) =>
        sql`
          DELETE FROM outbox
          WHERE id <= ${id}::bigint AND id < (SELECT max(id) FROM outbox)`.pipe(Effect.asVoid)
    }
  })
}) {
  static readonly layer = Layer.effect(Outbox, Outbox.make)
}
