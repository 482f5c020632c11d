// Installs the dependencies if they are missing or do not match the lockfile, so that every npm script works right after
// a clone or a pull. Plain JavaScript, because it runs on any Node from version 20.
import { spawnSync } from "node:child_process"
import { accessSync, constants, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const NODE_MAJOR = 24

const root = fileURLToPath(new URL("..", import.meta.url))

/** Undefined when the file is not there or was cut short. */
const packagesIn = (...path) => {
  try {
    return JSON.parse(readFileSync(join(root, ...path), "utf8")).packages
  } catch {
    return undefined
  }
}

/** Versions count, not times: copies and checkouts give files any time. What is optional may be for another platform. */
const upToDate = () => {
  // npm writes this file at the end of every install.
  const installed = packagesIn("node_modules", ".package-lock.json")
  if (installed === undefined) return false
  return Object.entries(packagesIn("package-lock.json") ?? {}).every(
    ([path, { version, optional, devOptional }]) =>
      path === "" ||
      (installed[path] === undefined ? optional || devOptional : installed[path].version === version)
  )
}

const fail = (message) => {
  process.stderr.write(`ledgerhook: ${message}\n`)
  process.exit(1)
}

/** Whether `folder` can be written, or made where it does not exist yet. */
const writable = (folder) => {
  if (!existsSync(folder)) return dirname(folder) !== folder && writable(dirname(folder))
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** The npm that runs this script, else the one on the PATH. Another package manager's lockfile is not ours. */
const npmCommand = () => {
  const running = process.env.npm_execpath
  return running?.endsWith("npm-cli.js") ? [process.execPath, running] : ["npm"]
}

const install = () => {
  process.stderr.write("Installing dependencies (once) ...\n")
  const cache = process.env.npm_config_cache ?? join(homedir(), ".npm")
  // npm cannot work without a cache that it may write to: containers often have none.
  const usable = [cache, join(cache, "_cacache"), join(cache, "_cacache", "tmp")].every(writable)
  const temporary = usable ? undefined : mkdtempSync(join(tmpdir(), "ledgerhook-npm-"))
  const cacheOption = temporary ? ["--cache", temporary] : []
  const [command, ...first] = npmCommand()
  const { status, error } = spawnSync(
    command,
    // Included by name: NODE_ENV=production or an `omit` setting would leave out the checks, Node or PostgreSQL.
    [...first, "ci", "--ignore-scripts", "--include=dev", "--include=optional", ...cacheOption],
    // npm's report on standard output is noise before the program's own; its errors are not.
    { cwd: root, stdio: ["ignore", "ignore", "inherit"] }
  )
  if (temporary) rmSync(temporary, { recursive: true, force: true })
  if (status !== 0) fail(`npm ci failed${error ? ` (${error.message})` : ""}; run it by hand to see why.`)
}

if (!upToDate()) install()

if (
  !existsSync(join(root, "node_modules", ".bin", "node")) &&
  Number.parseInt(process.versions.node, 10) < NODE_MAJOR
) {
  fail(`no pinned Node for this platform; install Node ${NODE_MAJOR} or later (this is ${process.version}).`)
}
