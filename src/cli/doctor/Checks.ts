/**
 * What `doctor` checks: the settings, the database and its contents, Kafka and its schema registry, the API's port,
 * each ledger server, the mail server, and the endpoint for traces and metrics. Every check ends within
 * `Limits.doctorCheckMs`. Nothing is changed: no migration, no new folder, no lasting connection.
 */
import { Effect } from "effect"
import {
  type Environment,
  givenSettings,
  loadSettings,
  settingsTable,
  watchedNetworks
} from "../../config/Config.ts"
import { type Finding, fine } from "./Finding.ts"
import { kafkaChecks } from "./KafkaCheck.ts"
import { ledgerServerCheck } from "./LedgerServerCheck.ts"
import { mailCheck } from "./MailCheck.ts"
import { portChecks } from "./PortCheck.ts"
import { schemaRegistryCheck } from "./SchemaRegistryCheck.ts"
import { storeCheck } from "./StoreCheck.ts"
import { givenLog, logFinding } from "./StoredChecks.ts"
import { telemetryCheck } from "./TelemetryCheck.ts"

/** All checks run at the same time; the findings keep this order. */
export const examine = (environment: Environment): Effect.Effect<ReadonlyArray<Finding>> => {
  const settings = loadSettings(environment)
  if (!("port" in settings)) {
    const wrong = settings.map(
      ({ name, message }): Finding => ({
        check: "settings",
        status: "problem",
        detail: message,
        fix: `Correct or unset ${name}, then run doctor again: connections are checked only if all settings are valid.`
      })
    )
    return Effect.succeed(wrong)
  }
  const { kafka, mailFrom, networks, smtpUrl, telemetry } = settings
  const { set, empty } = givenSettings(environment)
  const emptyNote = empty.length === 0 ? "" : `; empty, and so unset: ${empty.join(", ")}`
  const accepted = fine(
    "settings",
    `${set.length} set, ${settingsTable.length - set.length} at their defaults${emptyNote}`
  )
  const others = [
    ...(kafka?.schemaRegistryUrl === undefined
      ? []
      : [schemaRegistryCheck(kafka.schemaRegistryUrl, kafka.topicPrefix, watchedNetworks(settings))]),
    ...portChecks(settings),
    ...networks.flatMap(({ network, urls, historyUrls }) => [
      ...urls.map((url) => ledgerServerCheck(network, url, "feed")),
      ...historyUrls.map((url) => ledgerServerCheck(network, url, "history"))
    ]),
    ...(smtpUrl === undefined ? [] : [mailCheck(smtpUrl, mailFrom)]),
    ...(telemetry === undefined ? [] : [telemetryCheck(telemetry)])
  ]
  return Effect.gen(function* () {
    const [store, given, ofKafka, rest] = yield* Effect.all(
      [
        storeCheck(settings),
        givenLog(kafka),
        kafka === undefined ? Effect.succeed([]) : kafkaChecks(kafka, settings),
        Effect.all(others, { concurrency: "unbounded" })
      ],
      { concurrency: "unbounded" }
    )
    const log = store.log === undefined || given === undefined ? [] : [logFinding(store.log, given)]
    return [accepted, ...store.findings, ...log, ...ofKafka, ...rest]
  })
}
