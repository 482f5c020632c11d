/**
 * A headless Chromium, and pages in it that record what a user would not see: console errors, failed requests and
 * requests that leave the origin. The browser resolves no host name, so nothing reaches the network.
 */
import { existsSync } from "node:fs"
import { describe } from "@effect/vitest"
import axe from "axe-core"
import { Effect, type Scope } from "effect"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"

const executable = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) =>
  existsSync(path)
)
if (executable === undefined && process.env["REQUIRE_BROWSER"] === "1") {
  throw new Error("REQUIRE_BROWSER: this machine has no Chromium; install Debian's package chromium.")
}

/** A suite that is left out, and listed at the end of the run, where there is no Chromium. */
export const describeInBrowser = (title: string, tests: () => void): void => {
  if (executable === undefined) describe.skip(`${title} (needs Chromium)`, tests)
  else describe(title, tests)
}

const LAUNCH_MS = 60_000

/** A browser that ends with the scope. Start one for a file of tests, and a page for each test. */
export const makeBrowser: Effect.Effect<Browser, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(() =>
    chromium.launch({
      executablePath: executable!,
      timeout: LAUNCH_MS,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--disable-background-networking",
        "--disable-dev-shm-usage",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
      ]
    })
  ),
  (browser) => Effect.promise(() => browser.close())
)

export interface OpenPage {
  readonly page: Page
  /** Errors and warnings in the console, and exceptions that the page did not catch. */
  readonly consoleErrors: ReadonlyArray<string>
  /** Requests without a response. */
  readonly failedRequests: ReadonlyArray<string>
  /** Requests to another origin than the page's first. */
  readonly foreignRequests: ReadonlyArray<string>
  /** Forgets what is recorded so far, for a test that has caused an error on purpose. */
  readonly forget: () => void
}

/** A page in a context of its own, so without another page's storage. It ends with the scope. */
export const openPage = (
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {}
): Effect.Effect<OpenPage, never, Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* Effect.acquireRelease(
      Effect.promise(() => browser.newContext({ reducedMotion: "reduce", ...options })),
      (context) => Effect.promise(() => context.close())
    )
    const page = yield* Effect.promise(() => context.newPage())
    const consoleErrors: Array<string> = []
    const failedRequests: Array<string> = []
    const foreignRequests: Array<string> = []
    const { origin } = new URL(url)
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning")
        consoleErrors.push(`${message.text()} (${message.location().url})`)
    })
    page.on("pageerror", (error) => consoleErrors.push(error.message))
    page.on("requestfailed", (request) => {
      const error = request.failure()?.errorText
      // A page that is left, which a test may do at any moment, aborts what it was loading.
      if (error === "net::ERR_ABORTED") return
      failedRequests.push(`${request.method()} ${request.url()}: ${error}`)
    })
    page.on("websocket", (socket) => foreignRequests.push(socket.url()))
    context.on("request", (request) => {
      const { protocol, origin: target } = new URL(request.url())
      if (target !== origin && protocol !== "data:" && protocol !== "blob:")
        foreignRequests.push(request.url())
    })
    yield* Effect.promise(() => page.goto(url))
    const forget = () => {
      for (const list of [consoleErrors, failedRequests, foreignRequests]) list.length = 0
    }
    return { page, consoleErrors, failedRequests, foreignRequests, forget }
  })

/** Throws unless the page has recorded nothing. */
export const assertQuiet = ({ consoleErrors, failedRequests, foreignRequests }: OpenPage): void => {
  const faults = [
    ...consoleErrors,
    ...failedRequests,
    ...foreignRequests.map((url) => `left the origin: ${url}`)
  ]
  if (faults.length > 0) throw new Error(`The page had faults:\n${faults.join("\n")}`)
}

/**
 * One line for each violation of WCAG 2.2 AA or a best practice that axe-core finds on the page as it is now. The
 * script is evaluated by the browser's debugger, which the page's content security policy does not concern.
 */
export const accessibilityFaults = (page: Page): Effect.Effect<ReadonlyArray<string>> =>
  Effect.promise(async () => {
    await page.evaluate(axe.source)
    return page.evaluate<ReadonlyArray<string>>(
      `axe.run().then(({ violations }) => violations.flatMap(({ id, help, nodes }) =>
         nodes.map(({ html }) => \`\${id}: \${help}: \${html}\`)))`
    )
  })
