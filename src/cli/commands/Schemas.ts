/**
 * `npm run schemas`: generates the folder `schemas/` from the code. With `--check` it changes nothing, and fails if a
 * file differs. For maintainers; it is not a command of the `ledgerhook` program.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { parseArgs } from "node:util"
import { differences, type Files, schemaFiles } from "./schemas/SchemaFiles.ts"

const FOLDER = "schemas"

const filesThere = (): Files =>
  new Map(
    readdirSync(FOLDER, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name, parentPath }) => join(parentPath, name))
      .map((file) => [relative(FOLDER, file), readFileSync(file, "utf8")])
  )

const { check } = parseArgs({ options: { check: { type: "boolean", default: false } } }).values
const files = schemaFiles()
const found = differences(files, filesThere())
for (const { path, what } of found) {
  const file = join(FOLDER, path)
  const text = files.get(path)
  process.stderr.write(`${file}: ${check ? what : text === undefined ? "removed" : "written"}\n`)
  if (check) continue
  if (text === undefined) rmSync(file)
  else {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}
if (check && found.length > 0) {
  process.stderr.write("schemas/ is outdated; generate it again: npm run schemas\n")
  process.exitCode = 1
}
