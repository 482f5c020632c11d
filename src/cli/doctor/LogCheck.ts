/** What `doctor` says of the log that the settings name: whether it is the one that the database remembers. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { KafkaSettings } from "../../config/Config.ts"
import { Limits } from "../../config/Limits.ts"
import { loadKafka } from "../../log/kafka/LoadKafka.ts"
import {
  conflictOf,
  embeddedIdentity,
  knownLog,
  type LogIdentity,
  logText
} from "../../storage/LogIdentity.ts"
import type { Finding } from "./Finding.ts"

/** Undefined when the database was not started on yet, or is not migrated that far. */
export const lookAtLog: Effect.Effect<LogIdentity | undefined, SqlError.SqlError, SqlClient.SqlClient> =
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [table] = yield* sql<{ readonly found: boolean }>`
      SELECT to_regclass('log_identity') IS NOT NULL AS found`
    return table?.found === true ? yield* knownLog : undefined
  })

/** Undefined when the cluster does not answer, which its own check says. */
export const givenLog = (kafka: KafkaSettings | undefined): Effect.Effect<LogIdentity | undefined> =>
  kafka === undefined
    ? Effect.succeed(embeddedIdentity)
    : loadKafka.pipe(
        Effect.flatMap(({ identityOf }) => identityOf(kafka)),
        Effect.timeout(Limits.doctorCheckMs),
        Effect.orElseSucceed(() => undefined)
      )

export const logFinding = (known: LogIdentity, given: LogIdentity): Finding => {
  const conflict = conflictOf(known, given)
  return conflict === undefined
    ? { check: "log", status: "ok", detail: `${logText(given)}, as before`, mend: "" }
    : {
        check: "log",
        status: "problem",
        detail: `the database belongs to ${logText(known)}, and the settings name ${logText(given)}: no start is possible`,
        mend: conflict
      }
}
