/**
 * The dashboard: a single-page app that talks to /v1 only. A browser that asks for HTML gets `index.html` at every path
 * that is not the API's, because the app has its own routes. Its files are under `/assets`; their names contain a hash
 * of their content, so browsers keep them for good. Brotli is made at build time, gzip at the first request for it. If
 * the dashboard is not built, the service runs without it and its page says how to build it.
 */

import { resolve } from "node:path"
import { Context, Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { serveDocument, weightsOf } from "../../http/Documents.ts"
import type { FindPage } from "../../http/Gate.ts"
import { pathOf } from "../../http/Paths.ts"
import { Settings } from "../../spine/config/Config.ts"
import { type DashboardFile, type DashboardFiles, FRAME, readDashboard } from "./Files.ts"
import { frameAncestors } from "./Settings.ts"

/** Files and bytes of the built dashboard, which the process keeps in memory. Today's build has less than 2 MB. */
const LIMITS = { files: 500, bytes: 16 * 1024 * 1024 }

/** The folder of the built dashboard. Tests provide their own. */
export const DashboardFolder = Context.Reference("ledgerhook/api/DashboardFolder", {
  defaultValue: () => resolve(import.meta.dirname, "../../../dashboard/dist")
})

const INDEX = "/index.html"
const ASSETS = "/assets/"
const ONE_YEAR_SECONDS = 31_536_000

/** First segments of paths below which the app has no page, so that a mistyped path there gets the API's 404. */
const otherPrefixes = new Set(["v1", "docs", "assets", "healthz", "readyz", "metrics"])

const policyOf = (ancestors: ReadonlyArray<string>) =>
  [
    "default-src 'self'",
    "script-src 'self'",
    // No inline style, so the app uses no part of its component library that writes <style> elements at run time.
    "style-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${ancestors.join(" ") || "'none'"}`
  ].join("; ")

const securityHeadersOf = (ancestors: ReadonlyArray<string>) => ({
  "content-security-policy": policyOf(ancestors),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
})

type Headers = ReturnType<typeof securityHeadersOf>

const serveFile = (path: string, file: DashboardFile, securityHeaders: Headers) =>
  serveDocument({
    ...file,
    compressible: file.brotli !== undefined,
    headers: {
      ...securityHeaders,
      "cache-control": path.startsWith(ASSETS)
        ? `public, max-age=${ONE_YEAR_SECONDS}, immutable`
        : // Asks every time, so that a new version shows at once. The answer is 304 if nothing has changed.
          "no-cache",
      // Other callers get JSON at the app's paths.
      ...(path === INDEX ? { vary: "Accept, Accept-Encoding" } : {})
    }
  })

const notBuilt = (securityHeaders: Headers) =>
  HttpServerResponse.text(
    `<!doctype html>
<html lang="en">
<title>Ledgerhook</title>
<p>The dashboard is not built. In the folder of Ledgerhook, run <code>npm run dashboard:build</code>, then start the
service again.
<p>The API works without it: see <a href="/docs">/docs</a>.
`,
    {
      status: 503,
      contentType: "text/html; charset=utf-8",
      headers: { ...securityHeaders, "cache-control": "no-store" }
    }
  )

/** Whether the caller would rather have a page than JSON, as browsers do. `*` alone does not ask for a page. Pure. */
export const prefersHtml = (accept: string | undefined): boolean => {
  const weights = weightsOf(accept)
  const html = weights.get("text/html") ?? 0
  return html > 0 && html >= (weights.get("application/json") ?? 0)
}

/** Whether the app may have a page there. Names such as `/robots.txt` are files. Pure. */
export const isPagePath = (path: string): boolean => {
  const first = path.split("/", 2)[1] ?? ""
  return !first.includes(".") && !otherPrefixes.has(first)
}

const pagesOf = (files: DashboardFiles | undefined, securityHeaders: Headers): FindPage => {
  const served = new Map(
    Array.from(files ?? [])
      // The documentation's pages are made of it.
      .filter(([path]) => path !== `/${FRAME}`)
      .map(([path, file]): [string, ReturnType<typeof serveFile>] => [
        path,
        serveFile(path, file, securityHeaders)
      ])
  )
  const index = served.get(INDEX) ?? Effect.succeed(notBuilt(securityHeaders))
  return ({ headers, method, url }: HttpServerRequest.HttpServerRequest) => {
    if (method !== "GET" && method !== "HEAD" && method !== "OPTIONS") return undefined
    const path = pathOf(url)
    return served.get(path) ?? (isPagePath(path) && prefersHtml(headers["accept"]) ? index : undefined)
  }
}

/** Finds the page or file for a request. */
export const dashboardPages = Effect.gen(function* () {
  const folder = yield* DashboardFolder
  const files = yield* Effect.try({
    try: () => readDashboard(folder, LIMITS),
    catch: (cause) => (cause instanceof Error ? cause.message : String(cause))
  }).pipe(
    Effect.tapError((why) =>
      Effect.logWarning(`The dashboard is not served: ${why}. Run \`npm run dashboard:build\`.`)
    ),
    Effect.orElseSucceed(() => undefined)
  )
  const settings = yield* Settings
  return pagesOf(files, securityHeadersOf(settings.of(frameAncestors) ?? []))
})
