/**
 * The file of a backup: lines of JSON, compressed with zstd. The first line is the header, then each line has rows of
 * one table, and the last line says that the file is complete. A file under its final name is complete: it is written
 * under another one first. Only its user can read it, because it contains keys: it is always a new file, never one that
 * was there before, or one that a link leads to.
 */
import { createReadStream, createWriteStream, linkSync, openSync, rmSync } from "node:fs"
import { pipeline } from "node:stream"
import { constants, createZstdCompress, createZstdDecompress } from "node:zlib"
import { Effect, Schema, Stream } from "effect"
import type { DatabaseShape } from "../../../spine/store/tables/ReadTables.ts"

export class BackupFileError extends Schema.TaggedError<BackupFileError>()("BackupFileError", {
  message: Schema.String
}) {}

export const FORMAT = 1

export interface BackupHeader extends DatabaseShape {
  readonly ledgerhook_backup: number
  /** The program that wrote it. */
  readonly version: string
  readonly created_at: string
  /** The key files of DATA_DIR by name. Empty if SECRETS_KEY is set. */
  readonly keys: Readonly<Record<string, string>>
}

export interface BackupRows {
  /** A table without partitions, or a partition. */
  readonly table: string
  readonly rows: ReadonlyArray<string>
}

interface BackupEnd {
  readonly complete: true
}

type Line = BackupHeader | BackupRows | BackupEnd

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const failure = (file: string, reason: string) => new BackupFileError({ message: `${file}: ${reason}.` })

const PARTIAL = ".part"

const open = (file: string, partial: string) =>
  Effect.try({
    try: () => openSync(partial, "wx", 0o600),
    catch: (cause) =>
      cause instanceof Error && "code" in cause && cause.code === "EEXIST"
        ? failure(
            partial,
            "exists already: another backup writes it, or one was killed; wait, delete it, or choose another name"
          )
        : failure(file, reasonOf(cause))
  })

/** The frame's checksum shows that a stored file was damaged. */
const PACKING = { params: { [constants.ZSTD_c_checksumFlag]: 1 } }

/**
 * Opens a new file. Each call of `write` waits until the line is passed on, so memory does not grow. `finish` gives
 * the file its name, and fails if there is a file of that name. A file that was not finished is deleted.
 */
export const createBackup = Effect.fnUntraced(function* (file: string) {
  const partial = file + PARTIAL
  const descriptor = yield* open(file, partial)
  const packed = createZstdCompress(PACKING)
  const ended = new Promise<Error | undefined>((resolve) => {
    // Synced before it is closed.
    const bytes = createWriteStream(partial, { fd: descriptor, flush: true })
    pipeline(packed, bytes, (error) => resolve(error ?? undefined))
  })
  yield* Effect.addFinalizer(() =>
    Effect.promise(async () => {
      packed.destroy()
      await ended
      rmSync(partial, { force: true })
    })
  )
  const broken = Effect.flatMap(
    Effect.promise(() => ended),
    (error) => Effect.fail(failure(file, reasonOf(error)))
  )
  const write = (line: Line) =>
    Effect.callback<void>((resume) => {
      packed.write(`${JSON.stringify(line)}\n`, (error) => {
        // After an error `broken` ends the race.
        if (!error) resume(Effect.void)
      })
    }).pipe(Effect.raceFirst(broken))

  const finish = Effect.gen(function* () {
    yield* write({ complete: true })
    const error = yield* Effect.promise(() => {
      packed.end()
      return ended
    })
    if (error !== undefined) return yield* failure(file, reasonOf(error))
    yield* Effect.try({
      // Unlike a rename, this never replaces an older backup.
      try: () => linkSync(partial, file),
      catch: (cause) => failure(file, reasonOf(cause))
    })
  })
  return { write, finish }
})

const notABackup = (file: string) => failure(file, "is not a backup of ledgerhook, or it is damaged")

const parse = (file: string, text: string) =>
  Effect.try({
    try: () => JSON.parse(text) as Partial<BackupHeader & BackupRows & BackupEnd>,
    catch: () => notABackup(file)
  })

/** What is done with the lines after the header. */
export interface Restoring<A, E, R> {
  readonly add: (rows: BackupRows) => Effect.Effect<void, E, R>
  /** The file is complete. */
  readonly finish: Effect.Effect<A, E, R>
}

/** Calls `begin` with the first line, and what it returns with the others. Fails if the file is not complete. */
export const readBackup = <A, E1, R1, E2, R2>(
  file: string,
  begin: (header: BackupHeader) => Effect.Effect<Restoring<A, E2, R2>, E1, R1>
) =>
  Effect.gen(function* () {
    let begun: Restoring<A, E2, R2> | undefined
    let complete = false
    const take = Effect.fnUntraced(function* (text: string) {
      const line = yield* parse(file, text)
      // Written by `createBackup` in these shapes.
      if (begun === undefined && line.ledgerhook_backup === FORMAT) begun = yield* begin(line as BackupHeader)
      else if (begun === undefined || complete) return yield* notABackup(file)
      else if (line.rows !== undefined && line.table !== undefined) yield* begun.add(line as BackupRows)
      else if (line.complete) complete = true
      else return yield* notABackup(file)
    })
    const unpacked = createZstdDecompress()
    // An error of the file reaches the reader of `unpacked`.
    pipeline(createReadStream(file), unpacked, () => undefined)
    yield* Stream.fromAsyncIterable(unpacked, (error) =>
      error instanceof Error && "syscall" in error ? failure(file, reasonOf(error)) : notABackup(file)
    ).pipe(Stream.decodeText, Stream.splitLines, Stream.runForEach(take))
    return begun === undefined || !complete ? yield* notABackup(file) : yield* begun.finish
  })
