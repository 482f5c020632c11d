/** The overview, ledger coverage, API keys and the account, as a viewer uses them. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { assertQuiet, describeInBrowser } from "../support/browser.ts"
import { checkOnEveryScreen, openSignedIn } from "../support/dashboardPages.ts"
import { DashboardService, dashboardService } from "../support/dashboardService.ts"

describeInBrowser("the pages about the service", () => {
  layer(dashboardService(), { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect(
      "show on every screen what they are for, without a fault that axe-core finds",
      () =>
        Effect.gen(function* () {
          const { liveKey, closeLedger } = yield* DashboardService
          yield* closeLedger
          yield* closeLedger
          yield* checkOnEveryScreen(liveKey, "/", ({ page }) =>
            page.getByRole("heading", { name: "Deliveries" }).waitFor()
          )
          yield* checkOnEveryScreen(liveKey, "/coverage", ({ page }) =>
            page.getByText("none missing").waitFor()
          )
          yield* checkOnEveryScreen(liveKey, "/keys", ({ page }) => page.getByText("(signed in)").waitFor())
          yield* checkOnEveryScreen(liveKey, "/account", ({ page }) =>
            page.getByText("Limits of the plan").waitFor()
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

    it.effect("create a key that works, show it once, and revoke it", () =>
      Effect.gen(function* () {
        const { liveKey, url } = yield* DashboardService
        const opened = yield* openSignedIn(liveKey, "/keys")
        const { page } = opened
        const made = yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "New key" }).click()
          await page.getByLabel("Name").fill("from the dashboard")
          await page.getByLabel(/see webhooks/).check()
          await page.getByRole("button", { name: "Create the key" }).click()
          return page
            .getByRole("dialog")
            .getByText(/^svc_live_/)
            .textContent()
        })
        const ask = () => fetch(`${url}/v1/webhooks`, { headers: { "x-service-key": made! } })
        assert.strictEqual((yield* Effect.promise(ask)).status, 200)
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "I have stored it" }).click()
          await page.getByRole("button", { name: "Revoke from the dashboard" }).click()
          await page.getByRole("button", { name: "Revoke the key" }).click()
          await page.getByText("Revoked").waitFor()
          assert.notInclude(await page.content(), made!)
        })
        assert.strictEqual((yield* Effect.promise(ask)).status, 401)
        assertQuiet(opened)
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
