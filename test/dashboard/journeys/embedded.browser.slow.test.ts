/** The dashboard in a frame of another page: of an origin that the operator allows, and of one that it does not. */
import { createServer } from "node:http"
import { assert, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { describeInBrowser } from "../../support/dashboard/browser.ts"
import { DashboardService, dashboardService } from "../../support/dashboard/dashboardService.ts"

/** Serves a page whose frame shows the address in its query. Returns its origin. */
const portal: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.callback<ReturnType<typeof createServer>>((resume) => {
    const server = createServer(({ url = "" }, response) => {
      response.setHeader("content-type", "text/html")
      response.end(
        `<title>Portal</title><iframe title="hooks" src="${decodeURIComponent(url.slice(2))}"></iframe>`
      )
    }).listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  }),
  (server) => Effect.sync(() => server.close())
).pipe(
  Effect.map((server) => {
    const address = server.address()
    return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
  })
)

describeInBrowser("a dashboard in a frame", () => {
  it.live(
    "signs in with a link in a page of an allowed origin, and is not shown in any other",
    () =>
      Effect.gen(function* () {
        const [allowed, other] = [yield* portal, yield* portal]
        yield* Effect.gen(function* () {
          const { browser, firstLink, url } = yield* DashboardService
          yield* Effect.promise(async () => {
            const page = await browser.newPage()
            await page.goto(`${other}/?${encodeURIComponent(`${url}/sign-in`)}`)
            // Chromium shows a page of its own instead.
            await page.waitForFunction("frames.length === 1")
            assert.notInclude(await page.frames()[1]!.content(), "Sign in to Ledgerhook")
            await page.goto(`${allowed}/?${encodeURIComponent(url + firstLink)}`)
            const frame = page.frameLocator("iframe")
            await frame.getByRole("heading", { level: 1 }).waitFor()
            await frame.getByRole("button", { name: "Open the menu" }).click()
            await frame.getByRole("button", { name: /Live key/ }).waitFor()
            assert.deepStrictEqual(
              (await page.context().cookies()).map(({ name }) => name),
              ["ledgerhook-live"]
            )
          })
        }).pipe(Effect.provide(dashboardService({ DASHBOARD_FRAME_ANCESTORS: allowed })))
      }),
    120_000
  )
})
