/**
 * Which log the database belongs to. Waiting retries, group offsets and the last ledger are in the log. With another
 * log, deliveries would never be retried and ingest would start a new chain of ledgers. So a start with another log
 * is refused, with one sentence that says what to do.
 */
import { Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

export type LogIdentity =
  | { readonly kind: "embedded" }
  | { readonly kind: "kafka"; readonly clusterId: string; readonly topicPrefix: string }

export const embeddedIdentity: LogIdentity = { kind: "embedded" }

export class OtherLog extends Schema.TaggedError<OtherLog>()("OtherLog", { message: Schema.String }) {}

const prefixText = (topicPrefix: string): string =>
  topicPrefix === "" ? "no KAFKA_TOPIC_PREFIX" : `the KAFKA_TOPIC_PREFIX ${JSON.stringify(topicPrefix)}`

export const logText = (log: LogIdentity): string =>
  log.kind === "embedded"
    ? "the embedded log"
    : `the Kafka cluster ${log.clusterId} with ${prefixText(log.topicPrefix)}`

const instead = (known: LogIdentity, given: LogIdentity): string => {
  if (known.kind === "embedded") return "unset KAFKA_BROKERS"
  if (given.kind === "embedded" || given.clusterId !== known.clusterId)
    return "set KAFKA_BROKERS to that cluster"
  return known.topicPrefix === ""
    ? "unset KAFKA_TOPIC_PREFIX"
    : `set KAFKA_TOPIC_PREFIX to ${JSON.stringify(known.topicPrefix)}`
}

/** One sentence for an operator; undefined if both are the same log. Pure. */
export const conflictOf = (known: LogIdentity, given: LogIdentity): string | undefined => {
  const isSame =
    known.kind === "embedded" || given.kind === "embedded"
      ? known.kind === given.kind
      : known.clusterId === given.clusterId && known.topicPrefix === given.topicPrefix
  if (isSame) return undefined
  const variable =
    known.kind === "kafka" && given.kind === "kafka" && known.clusterId === given.clusterId
      ? "KAFKA_TOPIC_PREFIX"
      : "KAFKA_BROKERS"
  // Both logs of a move have the present KAFKA_TOPIC_PREFIX.
  const move =
    variable === "KAFKA_TOPIC_PREFIX"
      ? ""
      : `, or run \`ledgerhook move --database-url-env NAME${given.kind === "kafka" ? " --kafka-brokers …" : ""}\` under the old settings`
  return `${variable}: what this database has queued is in ${logText(known)}, and would stay behind on ${logText(given)}; ${instead(known, given)}${move}, or use another database (DATA_DIR or DATABASE_URL).`
}

/** Undefined before the first start. */
export const knownLog: Effect.Effect<LogIdentity | undefined, SqlError.SqlError, SqlClient.SqlClient> =
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly cluster_id: string | null; readonly topic_prefix: string | null }>`
      SELECT cluster_id, topic_prefix FROM log_identity`
    if (row === undefined) return undefined
    return row.cluster_id === null
      ? embeddedIdentity
      : { kind: "kafka", clusterId: row.cluster_id, topicPrefix: row.topic_prefix ?? "" }
  })

/** Fails with `OtherLog` if the database belongs to another log. */
export const requireLog = Effect.fnUntraced(function* (given: LogIdentity) {
  const known = yield* knownLog
  const conflict = known === undefined ? undefined : conflictOf(known, given)
  if (conflict !== undefined) return yield* new OtherLog({ message: conflict })
})

/** Like `requireLog`, but records the log at the first start. Call it once the log could be opened. */
export const claimLog = Effect.fnUntraced(function* (given: LogIdentity) {
  const sql = yield* SqlClient.SqlClient
  const [clusterId, topicPrefix] =
    given.kind === "embedded" ? [null, null] : [given.clusterId, given.topicPrefix]
  yield* sql`
    INSERT INTO log_identity (only_row, cluster_id, topic_prefix) VALUES (true, ${clusterId}, ${topicPrefix})
    ON CONFLICT DO NOTHING`
  yield* requireLog(given)
})
