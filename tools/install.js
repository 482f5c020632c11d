// Installs the dependencies if they are missing or do not match the lockfile, so that every npm script works right after
// a clone or a pull. Plain JavaScript, because it runs on any Node from version 20.
import { spawnSync } from "node:child_process"
import { accessSync, constants, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { nodePackage, problemOf } from "../bin/machine.js"

const root = fileURLToPath(new URL("..", import.meta.url))

/** Undefined if the file is missing or incomplete. */
const packagesIn = (...path) => {
  try {
    return JSON.parse(readFileSync(join(root, ...path), "utf8")).packages
  } catch {
    return undefined
  }
}

const locked = packagesIn("package-lock.json") ?? {}

/** Compares versions, because file times are unreliable. Optional packages may be missing on this platform. */
const upToDate = () => {
  // npm writes this file at the end of every install.
  const installed = packagesIn("node_modules", ".package-lock.json")
  if (installed === undefined) return false
  return Object.entries(locked).every(
    ([path, { version, optional, devOptional }]) =>
      path === "" ||
      (installed[path] === undefined ? optional || devOptional : installed[path].version === version)
  )
}

const fail = (message) => {
  process.stderr.write(`ledgerhook: ${message}\n`)
  process.exit(1)
}

/** Whether `folder` can be written, or created if it does not exist. */
const writable = (folder) => {
  if (!existsSync(folder)) return dirname(folder) !== folder && writable(dirname(folder))
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** The npm that runs this script, otherwise the one on the PATH. Other package managers ignore our lockfile. */
const npmCommand = () => {
  const running = process.env.npm_execpath
  return running?.endsWith("npm-cli.js") ? [process.execPath, running] : ["npm"]
}

const install = () => {
  process.stderr.write("Installing dependencies (once) ...\n")
  const cache = process.env.npm_config_cache ?? join(homedir(), ".npm")
  // npm needs a writable cache, which containers often lack.
  const usable = [cache, join(cache, "_cacache"), join(cache, "_cacache", "tmp")].every(writable)
  const temporary = usable ? undefined : mkdtempSync(join(tmpdir(), "ledgerhook-npm-"))
  const cacheOption = temporary ? ["--cache", temporary] : []
  const [command, ...first] = npmCommand()
  const { status, error } = spawnSync(
    command,
    // NODE_ENV=production or an `omit` setting would otherwise skip the checks' packages, Node or PostgreSQL.
    [...first, "ci", "--ignore-scripts", "--include=dev", "--include=optional", ...cacheOption],
    // Hides npm's report on standard output, but shows its errors.
    { cwd: root, stdio: ["ignore", "ignore", "inherit"] }
  )
  if (temporary) rmSync(temporary, { recursive: true, force: true })
  if (status !== 0) fail(`npm ci failed${error ? ` (${error.message})` : ""}; run it by hand to see why.`)
}

const checkMachine = (hasPinned) => {
  const problem = problemOf(process, hasPinned)
  if (problem !== undefined) fail(problem)
}

checkMachine(`node_modules/${nodePackage(process)}` in locked)
if (!upToDate()) install()
checkMachine(existsSync(join(root, "node_modules", ".bin", "node")))
