/**
 * What was last seen of a topic, kept in the database: the id that the cluster gave it, and where it ended. A topic that
 * was deleted and made again has another id, and one that lost its newest records ends earlier.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export interface LogPlace {
  readonly id: string
  readonly end: number
}

export const makeLogPlaces = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** Undefined if the topic was not looked at yet. */
  last: (topic: string) =>
    Effect.map(
      sql<LogPlace>`SELECT topic_id AS id, end_offset::float8 AS end FROM log_places WHERE topic = ${topic}`,
      ([place]) => place
    ),
  keep: (topic: string, { end, id }: LogPlace) =>
    Effect.asVoid(sql`
      INSERT INTO log_places (topic, topic_id, end_offset) VALUES (${topic}, ${id}, ${end})
      ON CONFLICT (topic) DO UPDATE SET topic_id = excluded.topic_id, end_offset = excluded.end_offset`)
}))
