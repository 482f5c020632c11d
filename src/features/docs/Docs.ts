/**
 * The documentation: `/docs` is the API reference, `/docs/event-types` describes the event types, `/docs/guides` lists
 * the guides, each a page at `/docs/NAME` and Markdown at `/docs/NAME.md`. `/openapi.json` and `/asyncapi.json` are the
 * OpenAPI and the AsyncAPI document, `/llms.txt` lists all of it for machines, and `/docs/search.json` has every section
 * as text. The pages are public. The dashboard shows the same pages inside its frame.
 */
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { type Document, serveDocument } from "../../http/Documents.ts"
import { PublishedDocument } from "../../http/FeatureContract.ts"
import { asyncApiDocument } from "../../http/openapi/AsyncApiDocument.ts"
import { DashboardFolder } from "../dashboard/Dashboard.ts"
import { sectionsOf } from "./DocsIndex.ts"
import { eventTypesPage } from "./EventTypesPage.ts"
import { guideMarkdown, guidePage, guides, guidesPage, llmsText } from "./Guides.ts"
import { type Content, framed, POLICY, readFrame } from "./HtmlPage.ts"
import { referencePage } from "./ReferencePage.ts"

const DOCS_PATH = "/docs"
const OPENAPI_PATH = "/openapi.json"
const ASYNCAPI_PATH = "/asyncapi.json"
const LLMS_PATH = "/llms.txt"
const SEARCH_PATH = "/docs/search.json"

type Page = readonly [
  path: HttpRouter.PathInput,
  content: (openApi: () => object) => Content | Promise<Content>
]

const searchedPages: ReadonlyArray<Page> = [
  ...guides.map((name): Page => [`${DOCS_PATH}/${name}`, () => guidePage(name)]),
  [DOCS_PATH, (openApi) => referencePage(JSON.parse(JSON.stringify(openApi())))],
  [`${DOCS_PATH}/event-types`, eventTypesPage]
]

const pages: ReadonlyArray<Page> = [...searchedPages, [`${DOCS_PATH}/guides`, guidesPage]]

const markdownPath = (name: string) => `${DOCS_PATH}/${name}.md` as const

/** Every path of the documentation. All accept GET only. */
export const documentPaths: ReadonlyArray<string> = [
  ...pages.map(([path]) => path),
  ...guides.map(markdownPath),
  OPENAPI_PATH,
  ASYNCAPI_PATH,
  LLMS_PATH,
  SEARCH_PATH
]

const html = (content: Page[1]) =>
  Effect.gen(function* () {
    const frame = readFrame(yield* DashboardFolder)
    const openApi = yield* PublishedDocument
    const text = framed(frame, yield* Effect.promise(async () => content(openApi)))
    return {
      bytes: Buffer.from(text),
      contentType: "text/html; charset=utf-8",
      headers: {
        "content-security-policy": POLICY,
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff"
      }
    }
  })

const text = (type: "markdown" | "plain", make: () => string) =>
  Effect.sync(() => ({ bytes: Buffer.from(make()), contentType: `text/${type}; charset=utf-8` }))

const json = (make: (openApi: () => object) => object | Promise<object>) =>
  Effect.flatMap(PublishedDocument, (openApi) =>
    Effect.promise(async () => ({
      bytes: Buffer.from(JSON.stringify(await make(openApi))),
      contentType: "application/json"
    }))
  )

const allSections = async (openApi: () => object) => {
  const contents = await Promise.all(
    searchedPages.map(async ([path, content]) => sectionsOf(path, await content(openApi)))
  )
  return contents.flat()
}

/** A document is made at the first request for it. */
const route = (path: HttpRouter.PathInput, made: Effect.Effect<Document, never, PublishedDocument>) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const folder = yield* DashboardFolder
      const openApi = yield* PublishedDocument
      const document = made.pipe(
        Effect.provideService(DashboardFolder, folder),
        Effect.provideService(PublishedDocument, openApi),
        Effect.map(serveDocument)
      )
      yield* router.add("GET", path, Effect.flatten(yield* Effect.cached(document)))
    })
  )

export const docsLayer = Layer.mergeAll(
  route(
    OPENAPI_PATH,
    json((openApi) => openApi())
  ),
  route(ASYNCAPI_PATH, json(asyncApiDocument)),
  route(LLMS_PATH, text("plain", llmsText)),
  route(SEARCH_PATH, json(allSections)),
  ...pages.map(([path, content]) => route(path, html(content))),
  ...guides.map((name) =>
    route(
      markdownPath(name),
      text("markdown", () => guideMarkdown(name))
    )
  )
)
