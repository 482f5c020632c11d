/**
 * `/docs` is a page on which the API can be read and tried in a browser. The page is complete in itself, and its
 * Content-Security-Policy lets it call this server only. `/docs/event-types` describes the event types, `/openapi.json`
 * and `/asyncapi.json` are the OpenAPI and the AsyncAPI document. `/llms.txt` and `/docs/guides` list the guides; each
 * is a page at `/docs/NAME`, and Markdown at `/docs/NAME.md`.
 */
import { createHash } from "node:crypto"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { HttpApiSwagger } from "effect/http-api"
import { asyncApiDocument } from "./AsyncApiDocument.ts"
import { Api, openApiDocument } from "./Contract.ts"
import { type Document, serveDocument } from "./Documents.ts"
import { eventTypesPage } from "./EventTypesPage.ts"
import { guideMarkdown, guidePage, guides, guidesPage, llmsText } from "./Guides.ts"
import { POLICY } from "./HtmlPage.ts"

const DOCS_PATH = "/docs"
const EVENT_TYPES_PATH = "/docs/event-types"
const OPENAPI_PATH = "/openapi.json"
const ASYNCAPI_PATH = "/asyncapi.json"
const LLMS_PATH = "/llms.txt"
const GUIDES_PATH = "/docs/guides"

const guidePath = (name: string) => `${DOCS_PATH}/${name}` as const
const markdownPath = (name: string) => `${DOCS_PATH}/${name}.md` as const

/** Every path of the documents. All accept GET only. */
export const documentPaths: ReadonlyArray<string> = [
  DOCS_PATH,
  EVENT_TYPES_PATH,
  OPENAPI_PATH,
  ASYNCAPI_PATH,
  LLMS_PATH,
  GUIDES_PATH,
  ...guides.flatMap((name) => [guidePath(name), markdownPath(name)])
]

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

/** The page is the same for every caller. */
const anyRequest = HttpServerRequest.fromWeb(new Request(`http://localhost${DOCS_PATH}`))

/** Swagger UI with the API's document. Its code and the page are 4 MB, so only a process that is asked for them has them. */
const swaggerPage = HttpRouter.toHttpEffect(HttpApiSwagger.layer(Api, { path: DOCS_PATH })).pipe(
  Effect.flatten,
  Effect.provideService(HttpServerRequest.HttpServerRequest, anyRequest),
  Effect.scoped,
  Effect.map(({ body }) => {
    if (body._tag !== "Uint8Array") throw new Error(`Docs.swaggerPage: the page is a ${body._tag}`)
    const text = new TextDecoder().decode(body.body).replace("</head>", `${DARK_THEME}</head>`)
    return {
      bytes: Buffer.from(text),
      contentType: "text/html; charset=utf-8",
      headers: pageHeaders(policyOf(text))
    }
  }),
  Effect.orDie
)

const html = (make: () => string | Promise<string>) =>
  Effect.promise(async () => ({
    bytes: Buffer.from(await make()),
    contentType: "text/html; charset=utf-8",
    headers: pageHeaders(POLICY)
  }))

const text = (type: "markdown" | "plain", make: () => string) =>
  Effect.sync(() => ({ bytes: Buffer.from(make()), contentType: `text/${type}; charset=utf-8` }))

const json = (make: () => object) =>
  Effect.sync(() => ({ bytes: Buffer.from(JSON.stringify(make())), contentType: "application/json" }))

/** A document is made at the first request for it. */
const route = (path: HttpRouter.PathInput, made: Effect.Effect<Document>) =>
  HttpRouter.use((router) =>
    Effect.flatMap(Effect.cached(Effect.map(made, serveDocument)), (served) =>
      router.add("GET", path, Effect.flatten(served))
    )
  )

export const docsLayer = Layer.mergeAll(
  route(DOCS_PATH, swaggerPage),
  route(EVENT_TYPES_PATH, html(eventTypesPage)),
  route(OPENAPI_PATH, json(openApiDocument)),
  route(ASYNCAPI_PATH, json(asyncApiDocument)),
  route(LLMS_PATH, text("plain", llmsText)),
  route(GUIDES_PATH, html(guidesPage)),
  ...guides.flatMap((name) => [
    route(
      guidePath(name),
      html(() => guidePage(name))
    ),
    route(
      markdownPath(name),
      text("markdown", () => guideMarkdown(name))
    )
  ])
)
