/**
 * Shared by the commands that read and change stored data: the database of the settings, which a running service may be
 * using; flags and arguments that take ids; the error for a missing database.
 */
import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { Effect, Layer } from "effect"
import { Argument, Flag, Param } from "effect/cli"
import { SqlClient } from "effect/sql"
import { Settings } from "../spine/config/Config.ts"
import { logReaderLayer } from "../spine/LogAdapter.ts"
import * as Sql from "../spine/store/Sql.ts"
import { type IdPrefix, isId } from "../spine/words/Ids.ts"
import { failed } from "./Failure.ts"
import { settings } from "./Invocation.ts"

/** Fails if DATA_DIR contains no database: DATA_DIR may be mistyped, and a new database would hide that. */
export const requireDatabase = Effect.gen(function* () {
  const { databaseUrl, dataDir } = yield* Settings
  const folder = resolve(dataDir)
  if (databaseUrl !== undefined || existsSync(join(folder, "postgres"))) return
  return yield* failed(
    `DATA_DIR: there is no database in ${folder}; correct DATA_DIR, or create a database with \`ledgerhook start\` or \`ledgerhook migrate\`.`
  )
})

/** False if the migration that creates the table has not been applied. */
export const hasTable = Effect.fnUntraced(function* (name: string) {
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* sql<{ readonly found: boolean }>`SELECT to_regclass(${name}) IS NOT NULL AS found`
  return table?.found === true
})

const migratedLog = Effect.gen(function* () {
  if (!(yield* hasTable("log_ends")))
    return yield* failed("the database contains no log yet; start the service first.")
})

const presentDatabase = (command: string) =>
  Layer.unwrap(
    Effect.as(
      requireDatabase,
      Sql.unmigratedLayer({ command: `ledgerhook ${command}`, owner: false, mayBeStandby: true })
    )
  )

/** For commands that read the database, which a service may be using. They neither create nor migrate it. */
export const databaseReader = (command: string) => Layer.provide(presentDatabase(command), settings)

const logDatabase = (command: string) =>
  Layer.effectDiscard(migratedLog).pipe(Layer.provideMerge(presentDatabase(command)))

/** The same for commands that read the log. */
export const logReader = (command: string) =>
  logReaderLayer(logDatabase(command)).pipe(Layer.provide(settings))

/** For commands that read both. */
export const logAndDatabase = (command: string) => {
  const database = logDatabase(command)
  return logReaderLayer(database).pipe(Layer.provideMerge(database), Layer.provide(settings))
}

/** A flag or an argument that takes an id, which `ledgerhook LIST list` shows. */
const idOf =
  (prefix: IdPrefix, owner: string, named: string, list: string) =>
  <Kind extends Param.ParamKind>(param: Param.Param<Kind, string>) =>
    param.pipe(
      Param.withDescription(`The ${owner}'s id, such as ${prefix}01K…`),
      Param.filter(
        (id) => isId(prefix, id),
        () => `${named}'s id (${prefix} and 26 characters); \`ledgerhook ${list} list\` shows them`
      )
    )

const accountId = idOf("acct_", "account", "an account", "account")
export const accountArgument = Argument.String("account").pipe(accountId)
export const accountFlag = Flag.String("account").pipe(accountId)
const webhookId = idOf("wh_", "webhook", "a webhook", "webhook")
export const webhookArgument = Argument.String("webhook").pipe(webhookId)
export const webhookFlag = Flag.String("webhook").pipe(webhookId)
export const jobArgument = Argument.String("job").pipe(idOf("rpl_job_", "job", "a replay job", "replay"))
