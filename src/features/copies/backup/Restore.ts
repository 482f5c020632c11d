/**
 * Restores a backup into the database of an empty DATA_DIR, in one transaction. The tables are first brought to the
 * migrations of the backup; the next start applies newer ones.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../../../spine/config/Config.ts"
import { migrateLike } from "../../../spine/store/Migrations.ts"
import { restoreKeyFiles } from "../../../spine/store/secrets/SecretKeys.ts"
import { type CopyProgress, sumOf } from "../../../spine/store/tables/ReadTables.ts"
import { fillTables } from "../tables/WriteTables.ts"
import { BackupFileError, type BackupRows, readBackup } from "./BackupFile.ts"

const load = <R>(file: string, progress: CopyProgress<R>) => {
  const failAs = (what: string) => (error: { readonly message: string }) =>
    Effect.fail(new BackupFileError({ message: `${file}: ${what}: ${error.message}.` }))
  const damaged = failAs("is damaged")
  return readBackup(
    file,
    Effect.fnUntraced(function* (header) {
      const tables = yield* Effect.andThen(migrateLike(header.migrations), fillTables(header)).pipe(
        Effect.catchTag(
          ["MigrationsError", "OtherTables"],
          failAs(`was written by ledgerhook ${header.version}, and cannot be restored by this version`)
        )
      )
      const show = yield* progress(sumOf(header.rows))
      let done = 0
      return {
        add: ({ table, rows }: BackupRows) => {
          done += rows.length
          return tables
            .add(table, rows)
            .pipe(Effect.catchTag("OtherTables", damaged), Effect.andThen(show(done)))
        },
        finish: tables.finish.pipe(Effect.catchTag("OtherTables", damaged), Effect.as(header))
      }
    })
  )
}

export const restore = Effect.fnUntraced(function* <R>(file: string, progress: CopyProgress<R>) {
  const sql = yield* SqlClient.SqlClient
  const { dataDir } = yield* Settings
  const { rows, created_at, version, keys } = yield* sql.withTransaction(load(file, progress))
  yield* Effect.fromResult(restoreKeyFiles(dataDir, keys))
  // A new cluster is not synchronised to the disk before its first checkpoint.
  yield* sql`CHECKPOINT`
  return { rows: sumOf(rows), createdAt: created_at, version, keys: Object.keys(keys) }
}, Effect.scoped)
