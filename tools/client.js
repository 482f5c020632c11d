// Makes the dashboard's client of the API, dashboard/src/api/ledgerhook.ts, from schemas/openapi.json. Does nothing if
// the file is there, unchanged, and made from the same document. Git does not keep the file: the build of the dashboard,
// `npm run check` and the tests run this first. Plain JavaScript, because it runs on any Node from version 20.
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const client = join(root, "dashboard/src/api/ledgerhook.ts")
const document = join(root, "schemas/openapi.json")
/** It has the generator's version. */
const manifest = join(root, "dashboard/package.json")

/** The compiler's settings here are stricter (exactOptionalPropertyTypes) than the generator's own runtime allows. */
const UNCHECKED = "// @ts-nocheck\n"

/** What the client is made from, and what is made: a change of either shows. */
const markOf = (text) => {
  const hash = createHash("sha256")
  for (const path of [document, manifest, fileURLToPath(import.meta.url)]) hash.update(readFileSync(path))
  return `// Made by tools/client.js: ${hash.update(text).digest("hex")}\n`
}

const isUpToDate = () => {
  try {
    const [unchecked, mark, ...lines] = readFileSync(client, "utf8").split(/(?<=\n)/)
    return unchecked === UNCHECKED && mark === markOf(lines.join(""))
  } catch {
    return false
  }
}

const make = async () => {
  // The version that the dashboard names.
  const generator = createRequire(manifest).resolve("oazapfts")
  const { generateSource } = await import(pathToFileURL(generator))
  const text = await generateSource(document)
  const temporary = join(dirname(client), `.client-${process.pid}`)
  mkdirSync(dirname(client), { recursive: true })
  try {
    // Another process may make, or read, the file at the same time.
    writeFileSync(temporary, UNCHECKED + markOf(text) + text)
    renameSync(temporary, client)
  } finally {
    rmSync(temporary, { force: true })
  }
}

if (!isUpToDate()) await make()
