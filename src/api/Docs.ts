/**
 * `/docs` is a page on which the API can be read and tried in a browser. The page is complete in itself, and its
 * Content-Security-Policy lets it call this server only. `/docs/event-types` describes the event types, and
 * `/openapi.json` and `/asyncapi.json` are the OpenAPI and the AsyncAPI document.
 */
import { createHash } from "node:crypto"
import { Effect, Layer } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import { HttpApiSwagger } from "effect/http-api"
import { asyncApiDocument } from "./AsyncApiDocument.ts"
import { Api, openApiDocument } from "./Contract.ts"
import { serveDocument } from "./Documents.ts"
import { eventTypesPage } from "./EventTypesPage.ts"

const DOCS_PATH = "/docs"
const EVENT_TYPES_PATH = "/docs/event-types"
const OPENAPI_PATH = "/openapi.json"
const ASYNCAPI_PATH = "/asyncapi.json"

/** Every path of the documents. All accept GET only. */
export const documentPaths: ReadonlyArray<string> = [DOCS_PATH, EVENT_TYPES_PATH, OPENAPI_PATH, ASYNCAPI_PATH]

/** The hash by which the policy allows a script. The browser runs no other script. */
const hashOf = (script: string): string => `'sha256-${createHash("sha256").update(script).digest("base64")}'`

const policyOf = (page: string): string =>
  [
    "default-src 'none'",
    `script-src ${Array.from(page.matchAll(/<script>([\s\S]*?)<\/script>/g), ([, text]) => hashOf(text!)).join(" ")}`,
    // Swagger UI sets inline styles.
    "style-src 'unsafe-inline'",
    "img-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")

/** Swagger UI has a dark theme, but only its top bar, which this page does not have, switches it on. */
const DARK_THEME = `<script>if (matchMedia("(prefers-color-scheme: dark)").matches) document.documentElement.classList.add("dark-mode")</script>`

const pageHeaders = (policy: string) => ({
  "content-security-policy": policy,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
})

/** The served page by its bytes, so that the policy is computed once. */
const pages = new WeakMap<Uint8Array, ReturnType<typeof serveDocument>>()

const servePage = (page: HttpServerResponse.HttpServerResponse) => {
  const { body } = page
  if (body._tag !== "Uint8Array") return Effect.succeed(page)
  const known = pages.get(body.body)
  if (known !== undefined) return known
  const text = new TextDecoder().decode(body.body).replace("</head>", `${DARK_THEME}</head>`)
  const served = serveDocument({
    bytes: Buffer.from(text),
    contentType: body.contentType,
    headers: pageHeaders(policyOf(text))
  })
  pages.set(body.body, served)
  return served
}

const pageLayer = HttpApiSwagger.layer(Api, { path: DOCS_PATH }).pipe(
  Layer.provide(HttpRouter.middleware(Effect.flatMap(servePage)).layer)
)

const { html, policy } = eventTypesPage()

const eventTypesLayer = HttpRouter.add(
  "GET",
  EVENT_TYPES_PATH,
  serveDocument({
    bytes: Buffer.from(html),
    contentType: "text/html; charset=utf-8",
    headers: pageHeaders(policy)
  })
)

const jsonLayer = (path: "/openapi.json" | "/asyncapi.json", document: object) =>
  HttpRouter.add(
    "GET",
    path,
    serveDocument({ bytes: Buffer.from(JSON.stringify(document)), contentType: "application/json" })
  )

export const docsLayer = Layer.mergeAll(
  pageLayer,
  eventTypesLayer,
  jsonLayer(OPENAPI_PATH, openApiDocument()),
  jsonLayer(ASYNCAPI_PATH, asyncApiDocument())
)
