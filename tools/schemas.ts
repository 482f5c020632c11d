/**
 * `npm run schemas`: generates the folder `schemas/`, and the types of the receiver package, from the code. With
 * `--check` it changes nothing, and fails if a file differs. For maintainers; it is not a command of the `ledgerhook`
 * program.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { parseArgs } from "node:util"
import { differences, type Files, generatedFolders } from "./schemas/SchemaFiles.ts"

const filesThere = (folder: string): Files =>
  new Map(
    (existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [])
      // Python writes compiled files into the folder of the files that it runs.
      .filter((entry) => entry.isFile() && !entry.parentPath.endsWith("__pycache__"))
      .map(({ name, parentPath }) => join(parentPath, name))
      .map((file) => [relative(folder, file), readFileSync(file, "utf8")])
  )

const { check } = parseArgs({ options: { check: { type: "boolean", default: false } } }).values
const outdated = generatedFolders().filter(([folder, files]) => {
  const found = differences(files, filesThere(folder))
  for (const { path, what } of found) {
    const file = join(folder, path)
    const text = files.get(path)
    process.stderr.write(`${file}: ${check ? what : text === undefined ? "removed" : "written"}\n`)
    if (check) continue
    if (text === undefined) rmSync(file)
    else {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
    }
  }
  return found.length > 0
})
for (const [folder] of check ? outdated : []) {
  process.stderr.write(`${folder}/ is outdated; generate it again: npm run schemas\n`)
  process.exitCode = 1
}
