// Installs the dependencies when they are missing or older than the lockfile, so that every npm script works
// straight after a clone and after a pull. Plain JavaScript: it runs on whatever Node (>= 20) the machine has.
import { spawnSync } from "node:child_process"
import { existsSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const lockfile = `${root}package-lock.json`
/** npm writes this file at the end of every install: it is as old as what is installed. */
const installed = `${root}node_modules/.package-lock.json`

if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(lockfile).mtimeMs) {
  process.stderr.write("Installing dependencies (once) ...\n")
  const npm = process.env.npm_execpath
  const [command, args] = npm === undefined ? ["npm", []] : [process.execPath, [npm]]
  const { status, error } = spawnSync(
    command,
    [...args, "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
    {
      cwd: root,
      stdio: ["ignore", "ignore", "inherit"]
    }
  )
  if (status !== 0) {
    process.stderr.write(`ledgerhook: npm ci failed${error ? ` (${error.message})` : ""}. Try: npm ci\n`)
    process.exit(1)
  }
}
