/**
 * Writes that survive a power failure: a file is written and synced under a temporary name, then renamed. The rename
 * itself is durable once its folder is synced.
 */
import { Effect, FileSystem } from "effect"

/** The name of a file until it is complete. Readers that search for the usual ending do not find it. */
export const temporary = (path: string): string => `${path}.part`

export const syncFolder = Effect.fnUntraced(function* (folder: string) {
  const opened = yield* (yield* FileSystem.FileSystem).open(folder, { flag: "r" })
  yield* opened.sync
}, Effect.scoped)

export const writeDurably = Effect.fnUntraced(function* (path: string, text: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const file = yield* fileSystem.open(temporary(path), { flag: "w" })
  yield* file.writeAll(new TextEncoder().encode(text))
  yield* file.sync
  yield* fileSystem.rename(temporary(path), path)
}, Effect.scoped)
