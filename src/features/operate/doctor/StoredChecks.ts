/**
 * `doctor` checks the data in the database: whether its secrets can be decrypted, whether events were withheld or
 * dead letters, and which log it belongs to. A check returns undefined if its table does not exist yet.
 */

import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { type KafkaSettings, Settings, type SettingsShape } from "../../../spine/config/Config.ts"
import { loadKafka } from "../../../spine/log/kafka/LoadKafka.ts"
import { makeDeadLetters } from "../../../spine/store/DeadLetters.ts"
import {
  conflictOf,
  embeddedIdentity,
  knownLog,
  type LogIdentity,
  logText
} from "../../../spine/store/LogIdentity.ts"
import { readKeys } from "../../../spine/store/secrets/SecretKeys.ts"
import { counted } from "../../../spine/words/Words.ts"
import { hasTable } from "../../../terminal/Stores.ts"
import { AlertStore } from "../../events/AlertStore.ts"
import { examineSecrets } from "../../webhooks/SecretRotation.ts"
import { countByHealth } from "../../webhooks/WebhookHealthQueries.ts"
import { longestFailing } from "../../webhooks/WebhookOverview.ts"
import { operateLimits } from "../Limits.ts"
import { someRuns } from "../model/RoleStates.ts"
import { readCurrentReport } from "../report/CurrentReport.ts"
import { type Finding, fine } from "./Finding.ts"

/** Of the newest alerts and dead letters, and of the webhooks that fail for longest. */
const ALERTS_SHOWN = 3
const DEAD_LETTERS_SHOWN = 1
const WEBHOOKS_SHOWN = 5

const ifThere = <A, E, R>(table: string, check: Effect.Effect<A, E, R>) =>
  Effect.flatMap(hasTable(table), (there) => (there ? check : Effect.succeed(undefined)))

const warning = (check: string, detail: string, fix: string): Finding => ({
  check,
  status: "warning",
  detail,
  fix
})

export const alertFinding = ifThere(
  "detection_alerts",
  Effect.gen(function* () {
    const { alerts, total } = yield* (yield* AlertStore).newest(ALERTS_SHOWN)
    if (total === 0) return fine("detection", "no event was withheld")
    const newest = alerts.map(
      ({ network, ledger_index, tx_hash, code, event_type, reason }) =>
        `${network} ${ledger_index} ${tx_hash} ${event_type ?? "(any event)"}: ${reason}${code === null ? "" : ` (${code})`}`
    )
    return warning(
      "detection",
      `${counted(total, "event was", "events were")} withheld, wholly or in part, because the ledger's data is ambiguous or the event does not match its schema; newest: ${newest.join("; ")}`,
      "All other events were delivered. Look up the transactions by their hash, and report those that should have caused an event."
    )
  })
).pipe(Effect.provide(AlertStore.layer))

export const deadLettersFinding = ifThere(
  "quarantine",
  Effect.gen(function* () {
    const { rows, total } = yield* (yield* makeDeadLetters).newest(DEAD_LETTERS_SHOWN)
    if (total === 0) return fine("quarantine", "no record is a dead letter")
    const newest = rows.map(({ stage, source, reason }) => `${stage}, ${source}: ${reason}`)
    return warning(
      "quarantine",
      `${counted(total, "record is a dead letter", "records are dead letters")}, because the database refused them or they could not be read; newest: ${newest.join("; ")}`,
      "All other records were processed. The table quarantine contains each record with the reason; report those that come from the ledger."
    )
  })
)

/** Also undefined if no active webhook fails. The same webhooks as in `ledgerhook status`. */
export const failingFinding = ifThere(
  "incidents",
  Effect.gen(function* () {
    const { failing } = yield* countByHealth()
    if (failing === 0) return undefined
    const longest = yield* longestFailing(WEBHOOKS_SHOWN)
    return warning(
      "webhooks",
      `${counted(failing, "active webhook fails", "active webhooks fail")}; longest: ${longest.map(({ health, id }) => `${id}: ${health.sentence}`).join(" ")}`,
      "Their accounts see each attempt with its error in the dashboard and at GET /v1/deliveries?webhook_id=ID. If many fail with the same error, the cause may be here: check DNS, the firewall and the route to the internet."
    )
  })
)

/** Also undefined if no process runs. The same findings as in `ledgerhook status`. */
export const reportFinding = (settings: SettingsShape) =>
  ifThere(
    "report",
    Effect.gen(function* () {
      const { processes, report } = yield* Effect.provideService(readCurrentReport, Settings, settings)
      if (!someRuns(processes)) return undefined
      const fault = report.findings.some(({ level }) => level === "fault")
      const [first] = report.findings
      return first === undefined
        ? fine("report", "each role has a process, and no stage is late")
        : ({
            check: "report",
            status: fault ? "problem" : "warning",
            detail: report.findings.map(({ sentence }) => sentence).join(" "),
            fix: "`ledgerhook status` shows the processes, stages and parts. docs/runbook.md says what to do."
          } satisfies Finding)
    })
  )

/** Also undefined if there are no webhooks, or before the update from a version without notices. */
export const secretsFinding = (settings: SettingsShape) =>
  ifThere(
    "notice_urls",
    Effect.gen(function* () {
      const check = "secrets"
      const sql = yield* SqlClient.SqlClient
      const [stored] = yield* sql`SELECT 1 FROM webhooks WHERE deleted_at IS NULL LIMIT 1`
      if (stored === undefined) return undefined
      const problem = (detail: string): Finding => ({
        check,
        status: "problem",
        detail,
        fix: "Set SECRETS_KEY or SECRETS_KEY_PREVIOUS to the key that they were encrypted with."
      })
      const keys = readKeys(settings)
      if (Result.isFailure(keys)) return problem(keys.failure.message)
      const { webhooks, unreadable, ofPreviousKey } = yield* examineSecrets(keys.success)
      if (unreadable > 0)
        return problem(`the secrets of ${unreadable} of ${webhooks} webhooks cannot be decrypted`)
      return ofPreviousKey > 0
        ? warning(
            check,
            `the secrets of ${ofPreviousKey} of ${webhooks} webhooks are encrypted with a previous key`,
            "Once every process has the new key, run `ledgerhook secrets rotate`."
          )
        : fine(check, `the secrets of all ${webhooks} webhooks can be decrypted`)
    })
  )

/** Also undefined if no service has started on this database yet. */
export const storedLog = ifThere("log_identity", knownLog)

/** The log that the settings name; undefined if the cluster does not answer, which kafkaChecks reports. */
export const givenLog = (kafka: KafkaSettings | undefined): Effect.Effect<LogIdentity | undefined> =>
  kafka === undefined
    ? Effect.succeed(embeddedIdentity)
    : loadKafka.pipe(
        Effect.flatMap(({ identityOf }) => identityOf(kafka)),
        Effect.timeout(operateLimits.doctorCheckMs),
        Effect.orElseSucceed(() => undefined)
      )

export const logFinding = (known: LogIdentity, given: LogIdentity): Finding => {
  const conflict = conflictOf(known, given)
  return conflict === undefined
    ? fine("log", `${logText(given)}, which this database belongs to`)
    : {
        check: "log",
        status: "problem",
        detail: `the database belongs to ${logText(known)}, but the settings name ${logText(given)}; the service will not start`,
        fix: conflict
      }
}
