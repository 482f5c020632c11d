/** The overview, as a viewer uses it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { assertQuiet, describeInBrowser } from "../../support/dashboard/browser.ts"
import { checkOnEveryScreen, openSignedIn, pointUntil } from "../../support/dashboard/dashboardPages.ts"
import { DashboardService, dashboardService } from "../../support/dashboard/dashboardService.ts"
import { apiClient } from "../../support/http/apiClient.ts"

const QUARTER_MS = 900_000
const sums = (deliveries: number) => ({
  delivered: deliveries,
  failed: 0,
  pending: 0,
  retrying: 0,
  attempts: deliveries,
  attempts_failed: 0,
  first_attempt_success_rate: 100,
  p50_ms: 40,
  p99_ms: 300
})
/** 100 deliveries in each quarter of the last day, as the service says it when it is asked. */
const statsOfDay = () => {
  const thisQuarter = Math.floor(Date.now() / QUARTER_MS) * QUARTER_MS
  return {
    period: "24h",
    total: 9_700,
    success_rate: 100,
    avg_latency_ms: 44,
    ...sums(9_700),
    series: Array.from({ length: 97 }, (_, at) => ({
      at: new Date(thisQuarter - (96 - at) * QUARTER_MS).toISOString(),
      ...sums(100),
      answer_times: [0, 0, 60, 30, 9, 1, 0, 0, 0]
    }))
  }
}

describeInBrowser("the overview", () => {
  layer(dashboardService(), { excludeTestServices: true, timeout: "120 seconds" })("in a browser", (it) => {
    it.effect(
      "shows on every screen what it is for, without a fault that axe-core finds",
      () =>
        Effect.gen(function* () {
          const { liveKey, closeLedger, url } = yield* DashboardService
          // With fewer webhooks, the overview shows the first steps.
          for (const path of ["a", "b"])
            yield* apiClient(url, liveKey).call("POST", "/v1/webhooks", {
              url: `http://127.0.0.1:1/${path}`,
              event_types: ["account.deleted"]
            })
          yield* closeLedger
          yield* closeLedger
          yield* checkOnEveryScreen(liveKey, "/", ({ page }) =>
            page.getByRole("heading", { name: "Deliveries" }).waitFor()
          )
        }),
      240_000
    )

    it.effect("shows the same time in all its charts, and the figures of that time", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const opened = yield* openSignedIn(liveKey, "/coverage")
        const { page } = opened
        yield* Effect.promise(async () => {
          await page.route(/\/v1\/deliveries\/stats/, (route) => route.fulfill({ json: statsOfDay() }))
          await page.getByRole("link", { name: "Overview" }).click()
          const map = page.getByRole("img", { name: /^Answer times of / })
          // Of new webhooks, the period is an hour as soon as they are known, and 24 hours before.
          await page.getByText("in the last hour").waitFor()
          await page.getByText(/^24\sh$/).click()
          await page.getByText("in the last 24 hours").waitFor()
          await page.getByText("9\u202f700", { exact: true }).first().waitFor()
          const time = page.getByText(/^from .*\d\d:\d\d to \d\d:\d\d$/)
          await pointUntil(map, ({ width }) => ({ x: width * 0.5, y: 60 }), time)
          await page.getByText("9\u202f700", { exact: true }).first().waitFor({ state: "detached" })
          await page.getByText("100", { exact: true }).and(page.locator(":visible")).first().waitFor()
          await page.mouse.move(0, 0)
          await page.getByText("in the last 24 hours").waitFor()
        })
        assertQuiet(opened)
      })
    )

    it.effect("has a menu on a narrow screen, and can be used with the keyboard", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { page } = yield* openSignedIn(liveKey, "/", { viewport: { width: 360, height: 740 } })
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Open the menu" }).press("Enter")
          await page.getByRole("link", { name: "Plan and usage" }).press("Enter")
          await page.getByRole("heading", { name: "Plan and usage", level: 1 }).waitFor()
          assert.isFalse(await page.getByRole("link", { name: "Webhooks" }).isVisible())
        })
      })
    )
  })
})
