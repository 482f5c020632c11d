/** What a browser gets from a running service: the app, a policy that holds, and the API beside it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { accessibilityFaults, assertQuiet, describeInBrowser } from "../../support/dashboard/browser.ts"
import { openSignedIn } from "../../support/dashboard/dashboardPages.ts"
import { DashboardService, dashboardService } from "../../support/dashboard/dashboardService.ts"

/** Runs in the page: adds an inline script, an event handler and a foreign script, and returns what was refused. */
const INJECTIONS = `new Promise((resolve) => {
  const refused = []
  addEventListener("securitypolicyviolation", ({ effectiveDirective }) => {
    refused.push(effectiveDirective)
    if (refused.length === 3) resolve({ refused: refused.sort(), ran: globalThis.ran === true })
  })
  const inline = document.createElement("script")
  inline.textContent = "globalThis.ran = true"
  const foreign = document.createElement("script")
  foreign.src = "https://example.com/x.js"
  document.body.append(inline, foreign)
  const holder = document.createElement("div")
  holder.innerHTML = '<button onclick="globalThis.ran = true"></button>'
  document.body.append(holder)
  holder.firstChild.click()
})`

/** For one page, with brotli. */
const MOST_BYTES = 320 * 1_024
const PAGES = [
  "/",
  "/live",
  "/webhooks",
  "/webhooks/new",
  "/deliveries",
  "/events",
  "/incidents",
  "/coverage",
  "/replay",
  "/replay/new",
  "/keys",
  "/account",
  "/catalogue/payment.xrp",
  "/guides/receiving",
  "/reference"
]

describeInBrowser("the dashboard in a browser", () => {
  layer(dashboardService(), { excludeTestServices: true, timeout: "120 seconds" })("in a browser", (it) => {
    it.effect("is at / and at each of its own paths, without an error or a request to another origin", () =>
      Effect.gen(function* () {
        const { open } = yield* DashboardService
        for (const path of ["/", "/webhooks/wh_1/edit"]) {
          const opened = yield* open(path)
          assert.include(yield* Effect.promise(() => opened.page.title()), "Ledgerhook")
          yield* Effect.promise(() => opened.page.getByRole("heading").first().waitFor())
          assertQuiet(opened)
        }
      })
    )

    it.effect("runs no script but its own", () =>
      Effect.gen(function* () {
        const { open } = yield* DashboardService
        const opened = yield* open("/")
        const outcome = yield* Effect.promise(() => opened.page.evaluate(INJECTIONS))
        assert.deepStrictEqual(outcome, {
          refused: ["script-src-attr", "script-src-elem", "script-src-elem"],
          ran: false
        })
      })
    )

    it.effect("gets compressed files that it keeps, and the page anew", () =>
      Effect.gen(function* () {
        const { open } = yield* DashboardService
        const { page } = yield* open("/")
        const answer = yield* Effect.promise(async () => {
          const [asset] = await Promise.all([
            page.waitForResponse((response) => new URL(response.url()).pathname.startsWith("/assets/")),
            page.goto(page.url())
          ])
          return asset.headers()
        })
        assert.include(answer["cache-control"], "immutable")
        assert.strictEqual(answer["content-encoding"], "br")
      })
    )

    it.effect(
      "loads at most 320 KB for any page, fonts included, and shows it from a cold cache",
      () =>
        Effect.gen(function* () {
          const { liveKey } = yield* DashboardService
          for (const path of PAGES) {
            yield* Effect.scoped(
              Effect.gen(function* () {
                const { page } = yield* openSignedIn(liveKey, path)
                const loaded = yield* Effect.promise(async () => {
                  await page.getByRole("heading", { level: 1 }).waitFor()
                  // Another tab of the same session, which finds nothing in the cache.
                  const tab = await page.context().newPage()
                  // While the live ledger's stream is open, the network is never idle.
                  await tab.route("**/v1/activity/stream", (route) =>
                    route.fulfill({ contentType: "text/event-stream", body: "" })
                  )
                  const session = await page.context().newCDPSession(tab)
                  await session.send("Network.enable")
                  await session.send("Network.setCacheDisabled", { cacheDisabled: true })
                  const files = new Set<string>()
                  let bytes = 0
                  session.on("Network.responseReceived", ({ requestId, response }) => {
                    if (!new URL(response.url).pathname.startsWith("/v1/")) files.add(requestId)
                  })
                  session.on("Network.loadingFinished", ({ encodedDataLength, requestId }) => {
                    if (files.has(requestId)) bytes += encodedDataLength
                  })
                  await tab.goto(page.url())
                  await tab.getByRole("heading", { level: 1 }).waitFor()
                  await tab.waitForLoadState("networkidle")
                  return bytes
                })
                assert.isAbove(loaded, 50_000, path)
                assert.isAtMost(loaded, MOST_BYTES, path)
              })
            )
          }
        }),
      240_000
    )

    it.effect("leaves /docs and the API as they are", () =>
      Effect.gen(function* () {
        const { open, testKey, url } = yield* DashboardService
        const docs = yield* open("/docs")
        yield* Effect.promise(() => docs.page.getByText("Deliveries").first().waitFor())
        yield* Effect.promise(async () => {
          const unknown = await fetch(`${url}/webhooks`)
          assert.strictEqual(unknown.status, 404)
          assert.include(await unknown.text(), "NOT_FOUND")
          const account = await fetch(`${url}/v1/account`, { headers: { "x-service-key": testKey } })
          assert.strictEqual(account.status, 200)
        })
      })
    )

    it.effect("has no fault that axe-core finds", () =>
      Effect.gen(function* () {
        const { open } = yield* DashboardService
        const { page } = yield* open("/")
        yield* Effect.promise(() => page.getByRole("heading").first().waitFor())
        assert.deepStrictEqual(yield* accessibilityFaults(page), [])
      })
    )
  })
})
