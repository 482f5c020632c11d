/**
 * What `doctor` checks: the settings, the database and its contents, Kafka and its schema registry, each ledger server
 * and the next ledger of its network, the ports and the service that is running, the mail server, and the endpoint for
 * traces and metrics. Every check ends within `operateLimits.doctorCheckMs`. Nothing is changed: no migration, no new folder,
 * no lasting connection.
 */

import { Effect } from "effect"
import {
  type Environment,
  FeatureSettings,
  givenSettings,
  loadSettings,
  type NetworkSettings,
  type OfFeatures,
  settingsTableOf,
  watchedNetworks
} from "../../../spine/config/Config.ts"
import { unknownSettings } from "../../../spine/config/UnknownSettings.ts"
import { mailServerOf } from "../../health/notify/Settings.ts"
import { type Finding, fine } from "./Finding.ts"
import { kafkaChecks } from "./KafkaCheck.ts"
import { type LastTaken, lastInKafka, oldestSchemaIds } from "./LastTaken.ts"
import { ledgerServerCheck } from "./LedgerServerCheck.ts"
import { mailCheck } from "./MailCheck.ts"
import { type NextLedger, nextLedger, nextLedgerFinding } from "./NextLedger.ts"
import { portChecks } from "./PortCheck.ts"
import { proxyFindings } from "./ProxyCheck.ts"
import { runningService } from "./RunningService.ts"
import { schemaRegistryCheck } from "./SchemaRegistryCheck.ts"
import { serviceChecks } from "./ServiceCheck.ts"
import { storeCheck } from "./StoreCheck.ts"
import { givenLog, logFinding } from "./StoredChecks.ts"
import { telemetryCheck } from "./TelemetryCheck.ts"

/** The checks run at the same time, those of ledger servers after the last taken ledgers are read. */
export const examine = (environment: Environment) =>
  Effect.flatMap(FeatureSettings, (ofFeatures) => examineWith(environment, ofFeatures))

const examineWith = (
  environment: Environment,
  ofFeatures: OfFeatures
): Effect.Effect<ReadonlyArray<Finding>> => {
  const settings = loadSettings(environment, ofFeatures)
  const settingsTable = settingsTableOf(ofFeatures)
  const unknown = unknownSettings(environment, settingsTable).map(
    ({ message, name }): Finding => ({
      check: "settings",
      status: "problem",
      detail: message,
      fix: `Correct the name, or unset ${name}: it has no effect.`
    })
  )
  if (!("port" in settings)) {
    const wrong = settings.map(
      ({ name, message }): Finding => ({
        check: "settings",
        status: "problem",
        detail: message,
        fix: `Correct or unset ${name}, then run doctor again: connections are checked only if all settings are valid.`
      })
    )
    return Effect.succeed([...wrong, ...unknown, ...proxyFindings(environment)])
  }
  const { kafka, networks, telemetry, verify } = settings
  const mailServer = mailServerOf(settings)
  const { set, empty } = givenSettings(environment, ofFeatures)
  const emptyNote = empty.length === 0 ? "" : `; empty, and so unset: ${empty.join(", ")}`
  const accepted = fine(
    "settings",
    `${set.length} set, ${settingsTable.length - set.length} at their defaults${emptyNote}`
  )
  const running = runningService(environment, settings, ofFeatures)
  /** The settings of the service that runs, so that its ports are checked. */
  const served = running?.settings ?? settings
  const others = [
    ...(kafka?.schemaRegistryUrl === undefined
      ? []
      : [
          schemaRegistryCheck(
            kafka.schemaRegistryUrl,
            kafka.topicPrefix,
            watchedNetworks(settings),
            lastInKafka(kafka, watchedNetworks(settings)),
            oldestSchemaIds(kafka, watchedNetworks(settings)),
            settings
          )
        ]),
    ...portChecks(served, running?.pid),
    ...(mailServer === undefined ? [] : [mailCheck(mailServer)]),
    ...(telemetry === undefined ? [] : [telemetryCheck(telemetry)])
  ]
  /** The servers of a network, and whether ingest can take the next ledger. `taken`: undefined if it is not known. */
  const serversOf = Effect.fnUntraced(function* (
    of: NetworkSettings,
    taken: LastTaken | undefined,
    ended: ReadonlySet<string>
  ) {
    const { historyUrls, network, start, urls } = of
    const last = taken?.get(network)
    const next = nextLedger(last !== undefined && ended.has(last.ledger_hash) ? undefined : last, start)
    const check = (wanted: NextLedger | undefined) => (url: string) =>
      ledgerServerCheck(network, url, verify, wanted)
    const found = yield* Effect.all([...urls.map(check(next)), ...historyUrls.map(check(undefined))], {
      concurrency: "unbounded"
    })
    const reports = found.slice(0, urls.length).flatMap(({ report }) => report ?? [])
    const judged = taken === undefined ? undefined : nextLedgerFinding(of, next, reports)
    return [...found.map(({ finding }) => finding), ...(judged === undefined ? [] : [judged])]
  })

  return Effect.gen(function* () {
    const checkedStore = yield* Effect.cached(storeCheck(settings))
    const taken =
      kafka === undefined
        ? Effect.map(checkedStore, (store) => store.taken)
        : lastInKafka(kafka, watchedNetworks(settings))
    const servers = Effect.flatMap(
      Effect.all([taken, checkedStore], { concurrency: "unbounded" }),
      ([known, { ended }]) =>
        Effect.all(
          networks.map((of) => serversOf(of, known, ended)),
          { concurrency: "unbounded" }
        )
    )
    const [store, given, ofKafka, rest, ofServers, ofService] = yield* Effect.all(
      [
        checkedStore,
        givenLog(kafka),
        kafka === undefined ? Effect.succeed([]) : kafkaChecks(kafka, settings),
        Effect.all(others, { concurrency: "unbounded" }),
        servers,
        serviceChecks(served, running)
      ],
      { concurrency: "unbounded" }
    )
    const log = store.log === undefined || given === undefined ? [] : [logFinding(store.log, given)]
    return [
      accepted,
      ...unknown,
      ...proxyFindings(environment),
      ...store.findings,
      ...log,
      ...ofKafka,
      ...ofServers.flat(),
      ...rest,
      ...ofService
    ]
  })
}
