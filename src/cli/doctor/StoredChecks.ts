/**
 * What `doctor` reads in the database: whether its secrets can be opened, what detection withheld, what the store could
 * not take, and which log it belongs to. Each check is undefined when the database is not migrated that far.
 */
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { KafkaSettings, SettingsShape } from "../../config/Config.ts"
import { Limits } from "../../config/Limits.ts"
import { loadKafka } from "../../log/kafka/LoadKafka.ts"
import { AlertStore } from "../../storage/events/AlertStore.ts"
import {
  conflictOf,
  embeddedIdentity,
  knownLog,
  type LogIdentity,
  logText
} from "../../storage/LogIdentity.ts"
import { makeQuarantine } from "../../storage/Quarantine.ts"
import { readKeys } from "../../storage/webhooks/SecretKeys.ts"
import { examineSecrets } from "../../storage/webhooks/SecretRotation.ts"
import { hasTable } from "../Stores.ts"
import { type Finding, fine } from "./Finding.ts"

const ifThere = <A, E, R>(table: string, check: Effect.Effect<A, E, R>) =>
  Effect.flatMap(hasTable(table), (there) => (there ? check : Effect.succeed(undefined)))

const warning = (check: string, detail: string, mend: string): Finding => ({
  check,
  status: "warning",
  detail,
  mend
})

export const alertFinding = ifThere(
  "detection_alerts",
  Effect.gen(function* () {
    const { alerts, total } = yield* (yield* AlertStore).newest(Limits.doctorAlerts)
    if (total === 0) return fine("detection", "no event was withheld")
    const newest = alerts.map(
      ({ network, ledger_index, tx_hash, event_type, reason }) =>
        `${network} ${ledger_index} ${tx_hash} ${event_type ?? "(any event)"}: ${reason}`
    )
    return warning(
      "detection",
      `${total} on record where an event, or a part of one, was withheld: the ledger's data do not decide it, or it does not match its published schema; newest: ${newest.join("; ")}`,
      "Everything else was delivered. Look the transactions up by their hash, and report those that should have become an event."
    )
  })
).pipe(Effect.provide(AlertStore.layer))

export const quarantineFinding = ifThere(
  "quarantine",
  Effect.gen(function* () {
    const { rows, total } = yield* (yield* makeQuarantine).newest(Limits.doctorQuarantined)
    if (total === 0) return fine("quarantine", "the store could take every record")
    const newest = rows.map(({ stage, source, reason }) => `${stage}, ${source}: ${reason}`)
    return warning(
      "quarantine",
      `${total} ${total === 1 ? "record is" : "records are"} in quarantine, since the store cannot take them; newest: ${newest.join("; ")}`,
      "All other records were written. The table quarantine holds each with its reason; report those that come from the ledger."
    )
  })
)

/** Undefined also where there are no secrets to open: no webhooks. */
export const secretsFinding = (settings: SettingsShape) =>
  ifThere(
    "webhooks",
    Effect.gen(function* () {
      const check = "secrets"
      const sql = yield* SqlClient.SqlClient
      const [stored] = yield* sql`SELECT 1 FROM webhooks WHERE deleted_at IS NULL LIMIT 1`
      if (stored === undefined) return undefined
      const problem = (detail: string): Finding => ({
        check,
        status: "problem",
        detail,
        mend: "Give the key they were sealed with, as SECRETS_KEY or as SECRETS_KEY_PREVIOUS."
      })
      const keys = readKeys(settings)
      if (Result.isFailure(keys)) return problem(keys.failure.message)
      const { webhooks, unreadable, ofPreviousKey } = yield* examineSecrets(keys.success)
      if (unreadable > 0)
        return problem(`the secrets of ${unreadable} of ${webhooks} webhooks cannot be opened`)
      return ofPreviousKey > 0
        ? warning(
            check,
            `the secrets of ${ofPreviousKey} of ${webhooks} webhooks are sealed with a previous key`,
            "Run `ledgerhook secrets rotate` when every process has the new key."
          )
        : fine(check, `the secrets of all ${webhooks} webhooks open`)
    })
  )

/** Undefined also when the database was not started on yet. */
export const storedLog = ifThere("log_identity", knownLog)

/** The log that the settings name; undefined when the cluster does not answer, which its own check says. */
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
    ? fine("log", `${logText(given)}, as before`)
    : {
        check: "log",
        status: "problem",
        detail: `the database belongs to ${logText(known)}, and the settings name ${logText(given)}: no start is possible`,
        mend: conflict
      }
}
