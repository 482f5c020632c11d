/**
 * Reads the files of the built dashboard into memory, once. Only these files are served: a request's path is looked up
 * in a map and never becomes a path of the file system.
 */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { extname, join } from "node:path"

/** The name of the frame of the documentation among the files of the dashboard. It is not a page itself. */
export const FRAME = "docs.html"

export interface DashboardFile {
  readonly bytes: Uint8Array
  readonly contentType: string
  /** The same in brotli, if `tools/dashboard.js` has compressed the file. */
  readonly brotli: Uint8Array | undefined
}

/** By the path in URLs, such as `/index.html`. */
export type DashboardFiles = ReadonlyMap<string, DashboardFile>

const BROTLI = ".br"

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2"
}

/** Browsers download files of other types instead of showing them. */
const OTHER_TYPE = "application/octet-stream"

export interface FileBounds {
  readonly files: number
  readonly bytes: number
}

/** Throws if the folder cannot be read, has no `index.html` or exceeds the bounds. */
export const readDashboard = (folder: string, bounds: FileBounds): DashboardFiles => {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    .map((entry) => join(entry.parentPath, entry.name))
  if (paths.length > bounds.files) throw new Error(`has ${paths.length} files, more than ${bounds.files}`)
  const size = paths.reduce((sum, path) => sum + statSync(path).size, 0)
  if (size > bounds.bytes) throw new Error(`has ${size} bytes, more than ${bounds.bytes}`)
  const compressed = new Set(paths.filter((path) => path.endsWith(BROTLI)))
  const files = new Map(
    paths
      .filter((path) => !compressed.has(path))
      .map((path): [string, DashboardFile] => [
        path.slice(folder.length),
        {
          bytes: readFileSync(path),
          contentType: contentTypes[extname(path)] ?? OTHER_TYPE,
          brotli: compressed.has(path + BROTLI) ? readFileSync(path + BROTLI) : undefined
        }
      ])
  )
  if (!files.has("/index.html")) throw new Error("has no index.html")
  return files
}
