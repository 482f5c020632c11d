/** A folder of this machine as the target of an export. Drafts are on the same disk, so that a rename publishes them. */
import { Effect, FileSystem, Path } from "effect"
import type { Network } from "../../spine/event/Network.ts"
import { errorText } from "../../spine/observe/Logging.ts"
import { syncFolder, writeDurably } from "../../terminal/OutputFile.ts"
import { type Target, TargetError } from "./ExportTarget.ts"

export const openFolder = Effect.fnUntraced(function* (folder: string, network: Network) {
  const fileSystem = yield* FileSystem.FileSystem
  const { dirname, join } = yield* Path.Path
  const orFailed = <A, E>(effect: Effect.Effect<A, E, FileSystem.FileSystem>) =>
    effect.pipe(
      Effect.provideService(FileSystem.FileSystem, fileSystem),
      Effect.mapError(
        (error) => new TargetError({ message: `--out ${folder}: ${errorText(error)}.`, mayPass: true })
      )
    )
  // Readers skip names that begin with _.
  const drafts = join(folder, `network=${network}`, "_unfinished")
  yield* orFailed(fileSystem.remove(drafts, { recursive: true, force: true }))

  /** Folders whose names are on disk. */
  const known = new Set<string>()
  /** Makes the folders of the path. The new names are on disk when their folders have been synced too. */
  const withFolders = Effect.fnUntraced(function* <E>(
    path: string,
    place: (file: string) => Effect.Effect<void, E, FileSystem.FileSystem>
  ) {
    const file = join(folder, path)
    yield* fileSystem.makeDirectory(dirname(file), { recursive: true })
    yield* place(file)
    yield* syncFolder(dirname(file))
    for (let at = dirname(file); at.length > folder.length && !known.has(at); at = dirname(at)) {
      yield* syncFolder(dirname(at))
      known.add(at)
    }
  })

  return {
    name: folder,
    drafts,
    read: (path) =>
      orFailed(
        fileSystem
          .exists(join(folder, path))
          .pipe(
            Effect.flatMap((found) =>
              found ? fileSystem.readFileString(join(folder, path)) : Effect.succeed(undefined)
            )
          )
      ),
    size: (path) =>
      orFailed(
        fileSystem
          .exists(join(folder, path))
          .pipe(
            Effect.flatMap((found) =>
              found
                ? Effect.map(fileSystem.stat(join(folder, path)), ({ size }) => Number(size))
                : Effect.succeed(undefined)
            )
          )
      ),
    write: (path, text) => orFailed(withFolders(path, (file) => writeDurably(file, text))),
    publish: (draft, path) => orFailed(withFolders(path, (file) => fileSystem.rename(draft, file)))
  } satisfies Target
})
