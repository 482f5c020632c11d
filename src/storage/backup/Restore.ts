/**
 * Restores a backup into the database of an empty DATA_DIR, in one transaction. The tables are first brought to the
 * migrations of the backup; the next start applies newer ones.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../../config/Config.ts"
import { leavesOf, type TableShape } from "../copy/TableShapes.ts"
import { continueIdentities, type OtherTables, prepareTables, writeRows } from "../copy/WriteTables.ts"
import { type MigrationsError, migrateLike } from "../Migrations.ts"
import { restoreKeyFiles } from "../webhooks/SecretKeys.ts"
import { type CopyProgress, sumOf } from "./Backup.ts"
import { BackupFileError, type BackupHeader, type BackupRows, readBackup } from "./BackupFile.ts"

export interface Restored {
  readonly rows: number
  /** Of the backup: its time, and the version of ledgerhook that wrote it. */
  readonly createdAt: string
  readonly version: string
  readonly keys: ReadonlyArray<string>
}

const load = Effect.fnUntraced(function* <R>(file: string, progress: CopyProgress<R>) {
  const damaged = (reason: string) => new BackupFileError({ message: `${file}: is damaged: ${reason}.` })
  const otherVersion =
    (version: string) =>
    ({ message }: MigrationsError | OtherTables) =>
      new BackupFileError({
        message: `${file}: was written by ledgerhook ${version}, and cannot be restored by this version: ${message}.`
      })
  let header: BackupHeader | undefined
  let show = (_: number): Effect.Effect<void> => Effect.void
  let tables: ReadonlyMap<string, TableShape> = new Map()
  const loaded: Record<string, number> = {}
  let done = 0

  const begin = Effect.fnUntraced(function* (found: BackupHeader) {
    header = found
    yield* Effect.andThen(migrateLike(found.migrations), prepareTables(found)).pipe(
      Effect.catchTags({
        MigrationsError: (error) => Effect.fail(otherVersion(found.version)(error)),
        OtherTables: (error) => Effect.fail(otherVersion(found.version)(error))
      })
    )
    tables = new Map(leavesOf(found.tables).map(({ leaf, table }) => [leaf, table]))
    show = yield* progress(sumOf(found.rows))
  })

  const add = Effect.fnUntraced(function* ({ table, rows }: BackupRows) {
    const shape = tables.get(table)
    if (shape === undefined) return yield* damaged(`it has rows of an unknown table ${table}`)
    yield* writeRows(shape, table, rows)
    loaded[table] = (loaded[table] ?? 0) + rows.length
    done += rows.length
    yield* show(done)
  })

  yield* readBackup(file, begin, add)
  for (const [table, rows] of Object.entries(header!.rows)) {
    const found = loaded[table] ?? 0
    if (found !== rows) return yield* damaged(`it has ${found} rows of ${table} instead of ${rows}`)
  }
  yield* continueIdentities(header!)
  return header!
})

export const restore = Effect.fnUntraced(function* <R>(file: string, progress: CopyProgress<R>) {
  const sql = yield* SqlClient.SqlClient
  const { dataDir } = yield* Settings
  const { rows, created_at, version, keys } = yield* sql.withTransaction(load(file, progress))
  yield* Effect.fromResult(restoreKeyFiles(dataDir, keys))
  // A new cluster is not synchronised to the disk before its first checkpoint.
  yield* sql`CHECKPOINT`
  return { rows: sumOf(rows), createdAt: created_at, version, keys: Object.keys(keys) } satisfies Restored
}, Effect.scoped)
