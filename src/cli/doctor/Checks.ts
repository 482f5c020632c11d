/**
 * What `doctor` looks at: the settings, the store, its secrets and what detection withheld, Kafka and its schema registry,
 * each ledger server, the API's port, the mail server, the receiver of traces and metrics. Every check ends within
 * `Limits.doctorCheckMs` with what it found and, where that is bad, how to mend it. Nothing is changed: no migration, no
 * new folder, no lasting connection.
 */
import { existsSync } from "node:fs"
import { mkdtemp, rmdir } from "node:fs/promises"
import { createServer } from "node:net"
import { dirname, join, resolve } from "node:path"
import { Effect, Ref } from "effect"
import { SqlClient } from "effect/sql"
import {
  type Environment,
  givenSettings,
  type KafkaSettings,
  loadSettings,
  Settings,
  type SettingsShape,
  settingsTable,
  watchedNetworks
} from "../../config/Config.ts"
import { Limits } from "../../config/Limits.ts"
import type { Network } from "../../domain/Network.ts"
import { formatRanges, type Ranges } from "../../ledger/Ranges.ts"
import { errorText } from "../../observability/Logging.ts"
import type { LogIdentity } from "../../storage/LogIdentity.ts"
import * as Sql from "../../storage/Sql.ts"
import { alertFinding, type Withheld, withheld } from "./AlertCheck.ts"
import type { Fault, Finding } from "./Finding.ts"
import { groupsFinding, kafkaCheck, START_KAFKA } from "./KafkaCheck.ts"
import { givenLog, logFinding, lookAtLog } from "./LogCheck.ts"
import { mailCheck, mailCheckName, START_MAIL_SERVER } from "./MailCheck.ts"
import { lookAtQuarantine, type QuarantineLook, quarantineFinding } from "./QuarantineCheck.ts"
import { START_SCHEMA_REGISTRY, schemaRegistryCheck, schemaRegistryCheckName } from "./SchemaRegistryCheck.ts"
import { lookAtSecrets, type SecretsLook, secretsFinding } from "./SecretsCheck.ts"
import { START_OTLP_RECEIVER, telemetryCheck } from "./TelemetryCheck.ts"

type Check = Effect.Effect<string, Fault>

const finding = (check: string, run: Check, mendTimeout: string): Effect.Effect<Finding> =>
  run.pipe(
    Effect.timeoutOrElse({
      duration: Limits.doctorCheckMs,
      orElse: () =>
        Effect.fail({ detail: `no answer within ${Limits.doctorCheckMs / 1_000} s`, mend: mendTimeout })
    }),
    Effect.match({
      onSuccess: (detail): Finding => ({ check, status: "ok", detail, mend: "" }),
      onFailure: ({ detail, mend }): Finding => ({ check, status: "problem", detail, mend })
    })
  )

const nearestExisting = (path: string): string => (existsSync(path) ? path : nearestExisting(dirname(path)))

const version = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly version: string }>`SELECT current_setting('server_version') AS version`
  return row?.version ?? "unknown version"
})

interface Looked {
  readonly version: string
  readonly withheld: Withheld | undefined
  readonly quarantined: QuarantineLook | undefined
  readonly log: LogIdentity | undefined
  readonly secrets: SecretsLook | undefined
}

const database = (settings: SettingsShape, mend: string): Effect.Effect<Looked, Fault> =>
  Effect.all({
    version,
    withheld,
    quarantined: lookAtQuarantine,
    log: lookAtLog,
    secrets: lookAtSecrets(settings)
  }).pipe(
    Effect.provide(Sql.unmigratedLayer({ command: "ledgerhook doctor", owner: false })),
    Effect.provideService(Settings, settings),
    Effect.mapError((error) => ({ detail: errorText(error), mend }))
  )

/** Tried for real: rights alone say little for root, on read-only disks and in containers. */
const writable = (folder: string): Effect.Effect<void, Fault> =>
  Effect.tryPromise({
    try: async () => rmdir(await mkdtemp(join(folder, ".ledgerhook-doctor-"))),
    catch: (error) => ({
      detail: `${folder} cannot be written (${(error as NodeJS.ErrnoException).code})`,
      mend: "Give this user the right to write there, or set DATA_DIR to another folder."
    })
  })

/** A folder that does not exist yet is not made here: it only has to be possible. */
const embeddedStore = Effect.fnUntraced(function* (
  settings: SettingsShape
): Effect.fn.Return<readonly [detail: string, looked: Looked | undefined], Fault> {
  const folder = resolve(settings.dataDir)
  yield* writable(nearestExisting(folder))
  if (!existsSync(join(folder, "postgres"))) return [`${folder} is made at the first start`, undefined]
  const looked = yield* database(settings, "Stop what uses the folder, or set DATA_DIR to another one.")
  return [`embedded PostgreSQL ${looked.version} in ${folder}`, looked]
})

const START_DATABASE = "Start that PostgreSQL, or correct DATABASE_URL."

/** One connection, since the embedded server may have to be started for it: the store, and what it says. */
const store = Effect.fnUntraced(function* (settings: SettingsShape) {
  let found: Looked | undefined
  const check = (
    settings.databaseUrl === undefined
      ? embeddedStore(settings)
      : Effect.map(
          database(settings, START_DATABASE),
          (looked) => [`PostgreSQL ${looked.version} at DATABASE_URL`, looked] as const
        )
  ).pipe(
    Effect.map(([detail, looked]) => {
      found = looked
      return detail
    })
  )
  const mendTimeout =
    settings.databaseUrl === undefined ? "Look at postgres.log in DATA_DIR." : START_DATABASE
  const ofStore = yield* finding("store", check, mendTimeout)
  const findings = [
    ofStore,
    ...(found?.secrets === undefined ? [] : [secretsFinding(found.secrets)]),
    ...(found?.withheld === undefined ? [] : [alertFinding(found.withheld)]),
    ...(found?.quarantined === undefined ? [] : [quarantineFinding(found.quarantined)])
  ]
  return { findings, log: found?.log }
})

const cluster = Effect.fnUntraced(function* (kafka: KafkaSettings, settings: SettingsShape) {
  const ofCluster = yield* finding("kafka", kafkaCheck(kafka, settings), START_KAFKA)
  return ofCluster.status === "ok" ? [ofCluster, yield* groupsFinding(kafka)] : [ofCluster]
})

const schemaRegistry = (url: string, { topicPrefix }: KafkaSettings, settings: SettingsShape) =>
  finding(
    schemaRegistryCheckName(url),
    schemaRegistryCheck(url, topicPrefix, watchedNetworks(settings)),
    START_SCHEMA_REGISTRY
  )

const ledgerServer = (
  network: Network,
  url: string,
  role: "feed" | "history" = "feed"
): Effect.Effect<Finding> => {
  const variable = `XRPL_${network.toUpperCase()}_${role === "feed" ? "" : "HISTORY_"}URLS`
  const { host } = new URL(url)
  const mend = `Check the address and the network's firewall, or put another server into ${variable}.`
  const check = Effect.gen(function* () {
    // Loaded when needed: the ledger's client library is large.
    const { connect } = yield* Effect.promise(() => import("../../ledger/Server.ts"))
    const newest = yield* Ref.make<number | undefined>(undefined)
    let claimed: Ranges | undefined
    yield* connect({
      network,
      url,
      announce: ({ ledgerIndex }) => Ref.set(newest, ledgerIndex),
      claim: (ranges) => {
        claimed = ranges
      }
    })
    const index = yield* Ref.get(newest)
    if (role === "history" && claimed !== undefined) return `reachable, with ledgers ${formatRanges(claimed)}`
    return index === undefined
      ? "reachable, no validated ledger announced yet"
      : `reachable, at ledger ${index}`
  }).pipe(
    Effect.scoped,
    Effect.mapError(({ reason, detail }) => ({
      detail,
      mend:
        reason === "wrong_network"
          ? `Move it to the setting of its own network, or remove it from ${variable}.`
          : mend
    }))
  )
  return finding(`${network}${role === "feed" ? "" : " history"} ${host}`, check, mend)
}

const listens = (host: string, port: number): Effect.Effect<void, NodeJS.ErrnoException> =>
  Effect.callback((resume) => {
    const server = createServer()
    server.once("error", (error) => resume(Effect.fail(error)))
    server.listen(port, host, () => server.close(() => resume(Effect.void)))
  })

/** Whether what holds the port is a service like this one. */
const isService = (host: string, port: number): Effect.Effect<boolean> =>
  Effect.tryPromise(async (signal) => {
    const reachable = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host
    const address = reachable.includes(":") ? `[${reachable}]` : reachable
    const response = await fetch(`http://${address}:${port}/healthz`, { signal })
    return response.ok && JSON.stringify(await response.json()) === JSON.stringify({ status: "ok" })
  }).pipe(Effect.orElseSucceed(() => false))

const port = ({ host, port: number }: SettingsShape): Effect.Effect<Finding> => {
  const where = `port ${number} of ${host}`
  const check = listens(host, number).pipe(
    Effect.as(number === 0 ? `${host}, any free port` : `${where} is free`),
    Effect.catch((error) =>
      error.code === "EADDRINUSE"
        ? Effect.flatMap(isService(host, number), (ours) =>
            ours
              ? Effect.succeed(`${where} is used by a service that runs already`)
              : Effect.fail({
                  detail: `${where} is in use by another program`,
                  mend: "Stop that program, or set PORT to another port."
                })
          )
        : Effect.fail({
            detail: `${where} cannot be used: ${error.message}`,
            mend:
              error.code === "EACCES"
                ? "Set PORT to 1024 or higher."
                : "Set HOST to an address of this machine."
          })
    )
  )
  return finding("API port", check, "Set PORT to another port.")
}

/** In the order of this list; all run at once. */
export const examine = (environment: Environment): Effect.Effect<ReadonlyArray<Finding>> => {
  const settings = loadSettings(environment)
  if (!("port" in settings)) {
    const wrong = settings.map(
      ({ name, message }): Finding => ({
        check: "settings",
        status: "problem",
        detail: message,
        mend: `Correct or unset ${name}; the connections are checked once all settings are accepted.`
      })
    )
    return Effect.succeed(wrong)
  }
  const { set, empty } = givenSettings(environment)
  const emptyNote = empty.length === 0 ? "" : `; empty, which means unset: ${empty.join(", ")}`
  const accepted: Finding = {
    check: "settings",
    status: "ok",
    detail: `${set.length} set, ${settingsTable.length - set.length} at their defaults${emptyNote}`,
    mend: ""
  }
  const servers = settings.networks.flatMap(({ network, urls, historyUrls }) => [
    ...urls.map((url) => ledgerServer(network, url)),
    ...historyUrls.map((url) => ledgerServer(network, url, "history"))
  ])
  const { smtpUrl, mailFrom } = settings
  const mail =
    smtpUrl === undefined
      ? []
      : [finding(mailCheckName(smtpUrl), mailCheck({ smtpUrl, mailFrom }), START_MAIL_SERVER)]
  const { kafka } = settings
  const log = kafka === undefined ? Effect.succeed([]) : cluster(kafka, settings)
  const schemas =
    kafka?.schemaRegistryUrl === undefined ? [] : [schemaRegistry(kafka.schemaRegistryUrl, kafka, settings)]
  const { telemetry } = settings
  const otlp =
    telemetry === undefined ? [] : [finding("telemetry", telemetryCheck(telemetry), START_OTLP_RECEIVER)]
  const others = Effect.all([...schemas, port(settings), ...servers, ...mail, ...otlp], {
    concurrency: "unbounded"
  })
  return Effect.all([store(settings), givenLog(kafka), log, others], { concurrency: "unbounded" }).pipe(
    Effect.map(([stored, given, ...rest]) => [
      accepted,
      ...stored.findings,
      ...(stored.log === undefined || given === undefined ? [] : [logFinding(stored.log, given)]),
      ...rest.flat()
    ])
  )
}
