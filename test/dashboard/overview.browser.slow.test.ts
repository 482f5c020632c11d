/** The overview and ledger coverage, as a viewer uses them. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { apiClient } from "../support/apiClient.ts"
import { describeInBrowser } from "../support/browser.ts"
import { checkOnEveryScreen, openSignedIn } from "../support/dashboardPages.ts"
import { DashboardService, dashboardService } from "../support/dashboardService.ts"

describeInBrowser("the pages about the service", () => {
  layer(dashboardService(), { excludeTestServices: true, timeout: "120 seconds" })("in a browser", (it) => {
    it.effect(
      "show on every screen what they are for, without a fault that axe-core finds",
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
          yield* checkOnEveryScreen(liveKey, "/coverage", ({ page }) =>
            page.getByText("none missing").waitFor()
          )
        }),
      240_000
    )

    it.effect("give the command that proves the chain", () =>
      Effect.gen(function* () {
        const { liveKey, closeLedger } = yield* DashboardService
        yield* closeLedger
        const { page } = yield* openSignedIn(liveKey, "/coverage")
        const command = yield* Effect.promise(() => page.locator("pre").first().textContent())
        assert.match(command!, /^npx ledgerhook ledger verify --network mainnet --from \d+ --to \d+$/)
      })
    )

    it.effect("have a menu on a narrow screen, and can be used with the keyboard", () =>
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
