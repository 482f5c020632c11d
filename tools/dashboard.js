// Builds the dashboard into dashboard/dist if that folder is missing or older than its sources; `serve` instead runs
// Vite's development server against a running service. With `--optional` a failed build is only reported, because the
// service also runs without the dashboard. Plain JavaScript, because it runs on any Node from version 20.
import { createHash } from "node:crypto"
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { createRequire } from "node:module"
import { extname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { brotliCompressSync, constants } from "node:zlib"

const root = fileURLToPath(new URL("..", import.meta.url))
const app = join(root, "dashboard")
const output = join(app, "dist")
/** Made from the document by tools/client.js, so it is no source. */
const client = join(app, "src/api/ledgerhook.ts")
/** The hash of the sources that a build was made from. */
const HASH_FILE = ".sources"
const TEMPORARY = ".dist-"
/** A build takes at most 15 seconds, so an older temporary folder is of a build that was killed. */
const TEMPORARY_MS = 10 * 60_000
const DEFAULT_API = "http://127.0.0.1:8080"

/** Formats that are not compressed already. */
const compressible = [".js", ".css", ".html", ".svg"]

/** Every file below `folder`, in a fixed order. */
const filesIn = (folder, skipped = () => false) =>
  readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !skipped(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? filesIn(path, skipped) : [path]
    })

/** Build results and hidden files. */
const isNoSource = (name) => name.startsWith(".") || name === "node_modules" || name === "dist"

/** Compares contents, because a clone and a pull set new file times. */
const hashOfSources = () => {
  const hash = createHash("sha256")
  const others = ["schemas/openapi.json", "package-lock.json", "tools/client.js", "tools/dashboard.js"]
  const own = filesIn(app, isNoSource).filter((path) => path !== client)
  for (const path of [...own, ...others.map((name) => join(root, name))]) {
    const bytes = readFileSync(path)
    hash.update(`${path.slice(root.length)}\n${bytes.length}\n`).update(bytes)
  }
  return hash.digest("hex")
}

const isBuiltFrom = (hash) => {
  try {
    return readFileSync(join(output, HASH_FILE), "utf8") === hash
  } catch {
    return false
  }
}

/** The dashboard's own version of Vite. */
const loadVite = () => import(pathToFileURL(createRequire(join(app, "package.json")).resolve("vite")))

const compress = (path) => {
  const bytes = readFileSync(path)
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length
  }
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }))
}

const removeOldTemporaries = () => {
  for (const name of readdirSync(app).filter((name) => name.startsWith(TEMPORARY))) {
    const path = join(app, name)
    const modified = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    if (modified !== undefined && Date.now() - modified > TEMPORARY_MS)
      rmSync(path, { recursive: true, force: true })
  }
}

/** Puts a finished build in place. Another start may do the same at the same time: one of the two equal builds stays. */
const publish = (built, hash) => {
  const old = `${built}-old`
  try {
    if (isBuiltFrom(hash)) return
    if (existsSync(output)) renameSync(output, old)
    renameSync(built, output)
  } catch (error) {
    if (!isBuiltFrom(hash)) throw error
  } finally {
    for (const folder of [built, old]) rmSync(folder, { recursive: true, force: true })
  }
}

const build = async () => {
  const hash = hashOfSources()
  if (isBuiltFrom(hash)) return
  process.stderr.write("Building the dashboard (once) ...\n")
  // React would otherwise be built with its development checks.
  process.env.NODE_ENV = "production"
  removeOldTemporaries()
  const built = mkdtempSync(join(app, TEMPORARY))
  try {
    await import("./client.js")
    const vite = await loadVite()
    await vite.build({
      root: app,
      logLevel: "warn",
      // The content security policy forbids data: addresses, which Vite would use for small files.
      build: { outDir: built, emptyOutDir: true, assetsInlineLimit: 0 }
    })
    for (const path of filesIn(built)) if (compressible.includes(extname(path))) compress(path)
    writeFileSync(join(built, HASH_FILE), hash)
    // A temporary folder is readable by its owner only, and the service may run as another user.
    chmodSync(built, 0o755)
    publish(built, hash)
  } finally {
    rmSync(built, { recursive: true, force: true })
  }
}

const serve = async () => {
  const target = process.env.DASHBOARD_API || DEFAULT_API
  if (!/^https?:/.test(URL.canParse(target) ? new URL(target).protocol : ""))
    throw new Error(`DASHBOARD_API: "${target}" is not an http or https address such as ${DEFAULT_API}`)
  await import("./client.js")
  const vite = await loadVite()
  const server = await vite.createServer({ root: app, server: { proxy: { "/v1": target, "/docs": target } } })
  await server.listen()
  process.stdout.write(`The dashboard, with the API of ${target}:\n`)
  server.printUrls()
}

const [mode] = process.argv.slice(2)
try {
  await (mode === "serve" ? serve() : build())
} catch (error) {
  const { message } = error
  process.stderr.write(
    mode === "serve"
      ? `ledgerhook: ${message}\n`
      : `ledgerhook: the dashboard was not built (${message}). Run \`npm run dashboard:build\` to try again.\n`
  )
  process.exitCode = mode === "--optional" ? 0 : 1
}
