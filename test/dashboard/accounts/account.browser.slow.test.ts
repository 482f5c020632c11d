/** Plan and usage in a browser: the limits, and how far a quota reaches. */
import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { assertQuiet, describeInBrowser } from "../../support/dashboard/browser.ts"
import { checkOnEveryScreen, openSignedIn } from "../../support/dashboard/dashboardPages.ts"
import { DashboardService, dashboardService } from "../../support/dashboard/dashboardService.ts"

describeInBrowser("plan and usage", () => {
  layer(dashboardService(), { excludeTestServices: true, timeout: "120 seconds" })("in a browser", (it) => {
    it.effect(
      "show on every screen the limits of the plan",
      () =>
        Effect.gen(function* () {
          const { liveKey } = yield* DashboardService
          yield* checkOnEveryScreen(liveKey, "/account", ({ page }) =>
            page.getByRole("table", { name: "Limits of the plan" }).waitFor()
          )
        }),
      120_000
    )

    it.effect("say until when the quota lasts at the present pace", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const opened = yield* openSignedIn(liveKey, "/webhooks")
        const { page } = opened
        yield* Effect.promise(async () => {
          await page.clock.setFixedTime(new Date("2026-11-26T12:00:00Z"))
          await page.route("**/v1/account", async (route) => {
            const response = await route.fetch()
            const account = await response.json()
            const days = Array.from({ length: 26 }, (_, index) => ({
              date: `2026-11-${String(index + 1).padStart(2, "0")}`,
              deliveries: index < 25 ? 1_000 : 500
            }))
            const usage = { month: "2026-11", deliveries: 25_500, quota: 27_000, days }
            await route.fulfill({ response, json: { ...account, usage } })
          })
          await page.reload()
          await page.getByRole("heading", { level: 1 }).waitFor()
          opened.forget()
          await page.getByRole("link", { name: "Plan and usage" }).click()
          await page
            .getByRole("heading", { name: /^The quota lasts until 28 Nov, about \d\d:\d\d$/ })
            .waitFor()
          await page.getByText(/resume automatically on 1 Dec/).waitFor()
          await page.getByText(/would wait/).waitFor()
          await page.getByRole("img", { name: /^Attempts by day of this month/ }).waitFor()
        })
        assertQuiet(opened)
      })
    )
  })
})
