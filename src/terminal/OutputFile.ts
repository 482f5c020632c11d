/**
 * Writes that survive a power failure: a file is written and synced under a temporary name, then renamed. The rename
 * itself is durable once its folder is synced. A link that somebody planted under either name is replaced, and never
 * followed.
 */
import { Effect, FileSystem } from "effect"

/** The name of a file until it is complete. Readers that search for the usual ending do not find it. */
export const temporary = (path: string): string => `${path}.part`

/** Opens a new file under the temporary name, in place of what an interrupted run has left there. */
export const openTemporary = Effect.fnUntraced(function* (path: string) {
  const fileSystem = yield* FileSystem.FileSystem
  yield* fileSystem.remove(temporary(path), { force: true })
  return yield* fileSystem.open(temporary(path), { flag: "wx" })
})

export const syncFolder = Effect.fnUntraced(function* (folder: string) {
  const opened = yield* (yield* FileSystem.FileSystem).open(folder, { flag: "r" })
  yield* opened.sync
}, Effect.scoped)

export const writeDurably = Effect.fnUntraced(function* (path: string, text: string) {
  const file = yield* openTemporary(path)
  yield* file.writeAll(new TextEncoder().encode(text))
  yield* file.sync
  yield* (yield* FileSystem.FileSystem).rename(temporary(path), path)
}, Effect.scoped)
