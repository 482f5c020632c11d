/** `ledgerhook backup FILE` and `ledgerhook restore FILE`, for the embedded store. */
import { existsSync, lstatSync } from "node:fs"
import { resolve } from "node:path"
import { Effect, Layer } from "effect"
import { Argument, Command } from "effect/cli"
import packageJson from "../../../../package.json" with { type: "json" }
import { Settings } from "../../../spine/config/Config.ts"
import { abandonRestore, beginRestore, endRestore } from "../../../spine/store/embedded/RestoreFolder.ts"
import * as Sql from "../../../spine/store/Sql.ts"
import { failed } from "../../../terminal/Failure.ts"
import { about } from "../../../terminal/Help.ts"
import { settings } from "../../../terminal/Invocation.ts"
import { showProgress } from "../../../terminal/ProgressLine.ts"
import { hasTable, requireDatabase } from "../../../terminal/Stores.ts"
import { json, printOne } from "../../../terminal/Table.ts"
import { backUp } from "./Backup.ts"
import { restore as restoreBackup } from "./Restore.ts"

/** Fails if tables or log are not in DATA_DIR. */
const requireEmbedded = (verb: string) =>
  Effect.gen(function* () {
    const { databaseUrl, kafka } = yield* Settings
    const own = databaseUrl !== undefined ? "DATABASE_URL" : kafka !== undefined ? "KAFKA_BROKERS" : undefined
    if (own !== undefined) {
      return yield* failed(
        `${own} is set, and this command ${verb} only the embedded store in DATA_DIR; docs/operations.md says how to back up and restore your own PostgreSQL and Kafka.`
      )
    }
  })

const file = (description: string) => Argument.String("file").pipe(Argument.withDescription(description))

const progress = (verb: string) => (total: number) => showProgress(verb, total, "rows")

const migrated = Effect.gen(function* () {
  if (!(yield* hasTable("log_ends")))
    return yield* failed("the database contains nothing to back up yet; start the service first.")
})

const keptKeys = (keys: ReadonlyArray<string>): string =>
  keys.length === 0 ? "none; SECRETS_KEY is a setting" : keys.join(", ")

export const backup = Command.make(
  "backup",
  { file: file("The file to write; it must not exist"), json },
  ({ file: given, json: asJson }) =>
    Effect.gen(function* () {
      const path = resolve(given)
      // Also a link whose file is missing.
      if (lstatSync(path, { throwIfNoEntry: false }) !== undefined)
        return yield* failed(`${given}: exists already; choose another name.`)
      yield* migrated
      const { rows, keys } = yield* backUp(path, packageJson.version, progress("copied"))
      yield* printOne({
        json: asJson,
        fields: [
          ["file", path],
          ["rows", String(rows)],
          ["keys", keptKeys(keys)]
        ],
        value: { file: path, rows, keys },
        note:
          keys.length === 0
            ? "Keep SECRETS_KEY as well: without it nobody can decrypt the webhook secrets in this file."
            : "Keep the file secret: it contains the keys that decrypt webhook secrets."
      })
    }).pipe(
      Effect.scoped,
      Effect.provide(
        Layer.unwrap(
          Effect.as(
            Effect.andThen(requireEmbedded("backs up"), requireDatabase),
            Sql.unmigratedLayer({ command: "ledgerhook backup", owner: false, mayBeStandby: true })
          )
        ).pipe(Layer.provideMerge(settings))
      )
    )
).pipe(
  about(
    "Back up the embedded store to a file",
    "Write one file with everything in DATA_DIR: accounts, webhooks, deliveries, events, the log and the keys that decrypt webhook secrets. The service may be running: the file has the state of the moment at which the command began. `ledgerhook restore` reads it. With DATABASE_URL or KAFKA_BROKERS, use the tools of PostgreSQL and Kafka; docs/operations.md says how.",
    { "ledgerhook backup ledgerhook-2026-11-23.backup": "Write a backup" }
  )
)

/** The folder is marked before the server starts in it, and is complete only when the mark is gone. */
const emptyStore = Layer.unwrap(
  Effect.gen(function* () {
    yield* requireEmbedded("restores")
    yield* beginRestore(resolve((yield* Settings).dataDir))
    return Sql.unmigratedLayer({ command: "ledgerhook restore", owner: true, restoring: true })
  })
)

export const restore = Command.make(
  "restore",
  { file: file("A file that `ledgerhook backup` wrote"), json },
  ({ file: given, json: asJson }) =>
    Effect.gen(function* () {
      const path = resolve(given)
      if (!existsSync(path)) return yield* failed(`${given}: no such file.`)
      const { dataDir } = yield* Settings
      const folder = resolve(dataDir)
      const { rows, createdAt, version, keys } = yield* restoreBackup(path, progress("restored")).pipe(
        Effect.scoped,
        Effect.provide(emptyStore),
        // After the server has stopped.
        Effect.onError(() => abandonRestore(folder))
      )
      yield* endRestore(folder)
      yield* printOne({
        json: asJson,
        fields: [
          ["folder", folder],
          ["rows", String(rows)],
          ["keys", keptKeys(keys)],
          ["backup of", `${createdAt}, by version ${version}`]
        ],
        value: { folder, rows, keys, created_at: createdAt, version },
        note: "`ledgerhook start` continues with the ledger after the newest one in the backup."
      })
    }).pipe(Effect.provide(settings))
).pipe(
  about(
    "Restore a backup into an empty DATA_DIR",
    "Fill an empty or missing DATA_DIR with the file that `ledgerhook backup` wrote. Ids, statuses and retry schedules are those of the backup. The service does not start in a folder whose restore was interrupted; run the command again, and it begins anew. Stop the service that the backup is from before you start the restored one: both would send the same deliveries.",
    {
      "ledgerhook restore ledgerhook-2026-11-23.backup": "Restore into DATA_DIR",
      "DATA_DIR=./trial ledgerhook restore ledgerhook-2026-11-23.backup": "Restore into another folder"
    }
  )
)
