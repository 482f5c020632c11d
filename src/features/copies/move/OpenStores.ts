/**
 * Opens the two stores of a move. Nothing else may use them: a service is refused or detected on either side, and
 * refused while the move runs where the log is in the database.
 */
import { Context, Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { Settings, type SettingsShape } from "../../../spine/config/Config.ts"
import { Limits } from "../../../spine/config/Limits.ts"
import { logReaderLayer, unclaimedLogLayer } from "../../../spine/LogAdapter.ts"
import { loadKafka } from "../../../spine/log/kafka/LoadKafka.ts"
import { Log, LogReader } from "../../../spine/log/Log.ts"
import { trySessionLock } from "../../../spine/log/SessionLock.ts"
import { embeddedIdentity, requireLog } from "../../../spine/store/LogIdentity.ts"
import * as Sql from "../../../spine/store/Sql.ts"
import { failed } from "../../../terminal/Failure.ts"
import { hasTable } from "../../../terminal/Stores.ts"
import { isInUse } from "./MoveTables.ts"

const COMMAND = { command: "ledgerhook move", owner: true } as const

const inUse = (which: string) =>
  failed(`a service uses the ${which} store; stop all its processes, then run this command again.`)

/** With Kafka, processes share leases; with the embedded log, its only process holds the log's lock. */
export const refuseIfServed = (which: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    // A lease that ends later than it can was taken before the clock was set back.
    const leases = yield* sql`
      SELECT 1 FROM leases WHERE expires_at - clock_timestamp()
        BETWEEN interval '0' AND ${Limits.leaseMs} * interval '1 millisecond' LIMIT 1`
    if (leases.length > 0) return yield* inUse(which)
  })

/** Leases of a killed process end after `Limits.leaseMs`. */
const awaitUnserved = (which: string) =>
  Effect.retry(refuseIfServed(which), {
    schedule: Schedule.spaced(Limits.leaseTakeMs),
    times: Limits.leaseMs / Limits.leaseTakeMs
  })

/** The identity of the log that the settings name. */
export const identityIn = ({ kafka }: SettingsShape) =>
  kafka === undefined
    ? Effect.succeed(embeddedIdentity)
    : Effect.flatMap(loadKafka, ({ identityOf }) => identityOf(kafka))

const databaseOf = (settings: SettingsShape, open: typeof Sql.layer | typeof Sql.unmigratedLayer) =>
  Effect.map(
    Layer.build(Layer.provide(open(COMMAND), Layer.succeed(Settings, settings))),
    Context.get(SqlClient.SqlClient)
  )

/** The store of these settings, to read from. It stays open until the scope closes. */
export const openSource = Effect.fnUntraced(function* (settings: SettingsShape) {
  const sql = yield* databaseOf(settings, Sql.unmigratedLayer)
  const database = Layer.succeed(SqlClient.SqlClient, sql)
  return yield* Effect.gen(function* () {
    if (!(yield* hasTable("log_identity")) || !(yield* isInUse))
      return yield* failed("the present store is empty; there is nothing to move.")
    if (settings.kafka === undefined && !(yield* trySessionLock("log-owner"))) return yield* inUse("present")
    yield* awaitUnserved("present")
    yield* requireLog(yield* identityIn(settings))
    const log = Layer.provide(logReaderLayer(database), Layer.succeed(Settings, settings))
    return { sql, log: Context.get(yield* Layer.build(log), LogReader) }
  }).pipe(Effect.provide(database))
})

/** The empty store of these settings, migrated. */
export const openTarget = Effect.fnUntraced(function* (settings: SettingsShape) {
  const sql = yield* databaseOf(settings, Sql.layer)
  return yield* Effect.gen(function* () {
    if (yield* isInUse)
      return yield* failed("the other store contains data of Ledgerhook already; choose an empty database.")
    yield* awaitUnserved("other")
    return sql
  }).pipe(Effect.provideService(SqlClient.SqlClient, sql))
})

/** The target's log. Topics are created, and the database does not belong to the log before the move has ended. */
export const openTargetLog = (settings: SettingsShape, sql: SqlClient.SqlClient) =>
  Effect.map(
    Layer.build(
      Layer.provide(unclaimedLogLayer, [
        Layer.succeed(Settings, { ...settings, roles: ["ingest"] }),
        Layer.succeed(SqlClient.SqlClient, sql)
      ])
    ),
    Context.get(Log)
  )
