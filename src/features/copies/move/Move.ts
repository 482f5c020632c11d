/**
 * `ledgerhook move`: moves everything from the store of the present settings to another one, which must be empty. The
 * old store stays as it is. Order: what the log has, then all tables in one transaction, at whose end the copy is
 * verified. So the other store is empty for a service until everything is there.
 */
import { resolve } from "node:path"
import { Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { SqlClient } from "effect/sql"
import { Settings, type SettingsShape } from "../../../spine/config/Config.ts"
import { networks } from "../../../spine/event/Network.ts"
import { readerLayer } from "../../../spine/log/embedded/EmbeddedLog.ts"
import { LogReader } from "../../../spine/log/Log.ts"
import { ledgerRanges } from "../../../spine/log/ledgers/LedgerMarkers.ts"
import { trySessionLock } from "../../../spine/log/SessionLock.ts"
import { claimLog } from "../../../spine/store/LogIdentity.ts"
import { keyFileTexts, restoreKeyFiles } from "../../../spine/store/secrets/SecretKeys.ts"
import { failed, wrongUsage } from "../../../terminal/Failure.ts"
import { optionalText } from "../../../terminal/Flags.ts"
import { about } from "../../../terminal/Help.ts"
import { Invocation, settings, settingsOf } from "../../../terminal/Invocation.ts"
import { showProgress } from "../../../terminal/ProgressLine.ts"
import { json, printOne } from "../../../terminal/Table.ts"
import { verifyChain } from "../../ledgerTools/VerifyChain.ts"
import { moveLog } from "./MoveLog.ts"
import { moveTables } from "./MoveTables.ts"
import { identityIn, openSource, openTarget, openTargetLog, refuseIfServed } from "./OpenStores.ts"
import { targetUrl, targetUrlFlags, targetUrlsGiven } from "./TargetUrl.ts"

/** Reads every ledger in the moved log; returns how many there are. */
const verifyLedgers = Effect.gen(function* () {
  const log = yield* LogReader
  let ledgers = 0
  for (const network of networks) {
    for (const { first, last } of yield* ledgerRanges(log, network)) {
      const [from, to] = [first.marker.ledger_index, last.marker.ledger_index]
      const { fault, ledgers: found } = yield* verifyChain({ network, from, to, against: undefined })
      if (fault !== null)
        return yield* failed(
          `the moved log of ${network} is broken, so nothing was moved: ${fault.message}. Check the present one with \`ledgerhook ledger verify --network ${network} --from ${from} --to ${to}\`.`
        )
      ledgers += found
    }
  }
  return ledgers
})

/** Moves the log with its own tables if both logs are embedded, else record by record. */
const moveStore = Effect.fnUntraced(function* (present: SettingsShape, other: SettingsShape) {
  const source = yield* openSource(present)
  const target = yield* openTarget(other)
  const inTarget = Effect.provideService(SqlClient.SqlClient, target)
  const together = present.kafka === undefined && other.kafka === undefined
  const log = together ? undefined : yield* openTargetLog(other, target)
  if (together && !(yield* inTarget(trySessionLock("log-owner"))))
    return yield* failed("a service uses the other store; stop it, or choose another database.")
  const moved = log === undefined ? undefined : yield* moveLog(source.log, log, source.sql, present)

  const finish = Effect.gen(function* () {
    yield* claimLog(yield* identityIn(other))
    const ledgers = yield* verifyLedgers.pipe(
      Effect.provide(log === undefined ? readerLayer : Layer.succeed(LogReader, log))
    )
    // In a fiber of its own: in this one, the source is read as it was when the copy began.
    const served = Effect.provideService(refuseIfServed("present"), SqlClient.SqlClient, source.sql)
    yield* Effect.flatten(Effect.promise(() => Effect.runPromiseExit(served)))
    if (other.databaseUrl === undefined) {
      const keys = yield* Effect.fromResult(keyFileTexts(present.dataDir))
      yield* Effect.fromResult(restoreKeyFiles(other.dataDir, keys))
    }
    return ledgers
  })
  const { rows, finished } = yield* moveTables({
    source: source.sql,
    target,
    runs: moved?.runs,
    progress: (total) => showProgress("copied", Math.max(1, total), "rows"),
    finish
  })
  if (moved !== undefined) yield* moved.finish
  return { rows, records: moved?.copied ?? 0, ledgers: finished }
}, Effect.scoped)

const storeOf = ({ databaseUrl, dataDir, kafka }: SettingsShape): string =>
  `${databaseUrl === undefined ? `the embedded store in ${resolve(dataDir)}` : "the PostgreSQL of that URL"}${kafka === undefined ? "" : " and Kafka"}`

/** The settings with which the service will use the other store. */
const settingsToStart = (
  { databaseUrl, dataDir, kafka, secretsKey }: SettingsShape,
  { dataDir: present }: SettingsShape
): string => {
  const given = [
    databaseUrl === undefined ? `DATA_DIR=${dataDir}` : "DATABASE_URL to that database",
    ...(kafka === undefined ? [] : [`KAFKA_BROKERS=${kafka.brokers.join(",")}`])
  ]
  const unset = [
    ...(databaseUrl === undefined ? ["DATABASE_URL"] : []),
    ...(kafka === undefined ? ["KAFKA_BROKERS"] : [])
  ]
  const key =
    databaseUrl === undefined || secretsKey !== undefined
      ? ""
      : ` The key of webhook secrets stays in ${resolve(present)}/secrets.key; give its content as SECRETS_KEY to processes with another DATA_DIR.`
  return `Set ${given.join(" and ")}${unset.length === 0 ? "" : `, unset ${unset.join(" and ")}`}, and start the service.${key} The old store is unchanged; do not start a service on it again: it would send the same deliveries.`
}

export const move = Command.make(
  "move",
  {
    ...targetUrlFlags,
    dataDir: optionalText("data-dir", "FOLDER", "Move to an embedded PostgreSQL in this folder"),
    kafkaBrokers: optionalText(
      "kafka-brokers",
      "LIST",
      "Move the log to this Kafka; the other KAFKA_ settings hold for it (default: the log embedded in the database)"
    ),
    json
  },
  ({ dataDir, kafkaBrokers, json: asJson, ...urls }) =>
    Effect.gen(function* () {
      if (targetUrlsGiven(urls) + (dataDir === undefined ? 0 : 1) !== 1)
        return yield* wrongUsage(
          "give one of --database-url-env, --database-url-file, --database-url and --data-dir."
        )
      const present = yield* Settings
      const { environment } = yield* Invocation
      const databaseUrl = yield* targetUrl(urls, environment)
      const other = yield* settingsOf({
        ...environment,
        DATABASE_URL: databaseUrl,
        DATA_DIR: dataDir ?? present.dataDir,
        KAFKA_BROKERS: kafkaBrokers,
        ...(kafkaBrokers === undefined && { SCHEMA_REGISTRY_URL: undefined })
      })
      const { rows, records, ledgers } = yield* moveStore(present, other)
      const next = settingsToStart(other, present)
      yield* printOne({
        json: asJson,
        fields: [
          ["moved to", storeOf(other)],
          ["rows", String(rows)],
          [
            "records",
            other.kafka === undefined && present.kafka === undefined ? "with the rows" : String(records)
          ],
          ["verified", `counts of all tables, and the chain of ${ledgers} ledgers`]
        ],
        value: { moved_to: storeOf(other), rows, records, ledgers_verified: ledgers, next },
        note: next
      })
    }).pipe(Effect.provide(settings))
).pipe(
  about(
    "Move everything to another store",
    "Copy accounts, webhooks, deliveries, retained events and ledgers, and unfinished work from the store of the present settings to another, empty one. Ids, statuses and retry schedules stay; the service continues at the next ledger. Stop the service first. If the command is interrupted, run it again: it continues with the log and begins anew with the tables. At the end it verifies the number of rows of each table and the chain of ledgers. The present store is not changed.",
    {
      "ledgerhook move --database-url-env NEW_DATABASE_URL":
        "From the embedded store to your own PostgreSQL, whose URL the variable has",
      "ledgerhook move --database-url-file ./new-database-url --kafka-brokers kafka.example:9092":
        "To your own PostgreSQL and Kafka",
      "ledgerhook move --data-dir ./laptop": "From the present settings to an embedded store"
    }
  )
)
