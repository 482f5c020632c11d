/**
 * Writes a backup of the embedded store, also while a service uses it. The file has all tables and the log as they
 * were at one moment, as a kill -9 at that moment would leave them, and the keys that open the secrets of that moment.
 */
import { Clock, Effect } from "effect"
import { Settings } from "../../../spine/config/Config.ts"
import { trySessionLock } from "../../../spine/log/SessionLock.ts"
import { keyFileTexts } from "../../../spine/store/secrets/SecretKeys.ts"
import { type CopyProgress, inSnapshot, readRows, readShape } from "../../../spine/store/tables/ReadTables.ts"
import { BackupFileError, createBackup, FORMAT } from "./BackupFile.ts"

const copy = Effect.fnUntraced(function* <R>(file: string, version: string, progress: CopyProgress<R>) {
  const { dataDir } = yield* Settings
  const shape = yield* readShape
  const keys = yield* Effect.fromResult(keyFileTexts(dataDir))
  const backup = yield* createBackup(file)
  const createdAt = new Date(yield* Clock.currentTimeMillis).toISOString()
  yield* backup.write({ ledgerhook_backup: FORMAT, version, created_at: createdAt, keys, ...shape })
  const done = yield* readRows(shape, progress, (table, rows) => backup.write({ table, rows }))
  yield* backup.finish
  return { rows: done, keys: Object.keys(keys) }
})

/** Writes the backup to a new file. The file is deleted if the backup does not end well. */
export const backUp = Effect.fnUntraced(function* <R>(
  file: string,
  version: string,
  progress: CopyProgress<R>
) {
  // A rotation between reading the tables and reading the keys could discard the key of a secret.
  if (!(yield* trySessionLock("secrets-rotation"))) {
    return yield* new BackupFileError({
      message: "`ledgerhook secrets rotate` is running on this database; wait until it ends."
    })
  }
  return yield* inSnapshot(copy(file, version, progress))
}, Effect.scoped)
