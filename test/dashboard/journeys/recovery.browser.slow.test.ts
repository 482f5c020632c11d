/** From a failing webhook to a healthy one, with the keyboard only: what fails and why, the repair, a try, all the rest. */
import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { assertQuiet, describeInBrowser } from "../../support/dashboard/browser.ts"
import { openSignedIn } from "../../support/dashboard/dashboardPages.ts"
import { Receivers, receivers } from "../../support/dashboard/dashboardReceivers.ts"
import { DashboardService, dashboardService } from "../../support/dashboard/dashboardService.ts"

/** More than any page has places for the focus before its main action. */
const MOST_TABS = 60

/** The text of what has the focus, which the page itself has if nothing else does. */
const FOCUSED = "document.activeElement === document.body ? '' : (document.activeElement?.textContent ?? '')"

/** Moves the focus with Tab to what has this name, and presses Enter. */
const enter = async (page: Page, name: RegExp) => {
  for (let tabs = 0; tabs < MOST_TABS; tabs++) {
    // In one step: a page that draws itself anew may take the focus away between two.
    if (name.test(await page.evaluate<string>(FOCUSED))) {
      await page.keyboard.press("Enter")
      return
    }
    await page.keyboard.press("Tab")
  }
  throw new Error(`The focus does not reach ${name}.`)
}

describeInBrowser("the way back from a failure", () => {
  // With the usual delays, the service's own retries may end the failure before the viewer does.
  layer(Layer.provideMerge(receivers, dashboardService({ DELIVERY_RETRY_DELAYS: "1h" })), {
    excludeTestServices: true,
    timeout: "120 seconds"
  })("in a browser", (it) => {
    it.effect(
      "takes five steps with the keyboard, and ends at a healthy webhook and a closed incident",
      () =>
        Effect.gen(function* () {
          const { liveKey } = yield* DashboardService
          const { breakAgain, happen, repair } = yield* Receivers
          yield* breakAgain
          // Five failed attempts in a row make a webhook fail. One ledger may have fewer events.
          yield* Effect.replicateEffect(happen, 3)
          const opened = yield* openSignedIn(liveKey, "/")
          const { page } = opened
          yield* Effect.promise(async () => {
            // 1. What fails, and why.
            await page.getByRole("heading", { name: "1 of 3 webhooks is failing", level: 1 }).waitFor()
            await page.getByText("HTTP 503 Service Unavailable").first().waitFor()
            await enter(page, /^Failing/)
            await page.getByText(/^Failing since/).waitFor()
          })
          // 2. The repair is outside of the dashboard.
          yield* repair
          yield* Effect.promise(async () => {
            // 3. One delivery shows whether the repair works.
            await enter(page, /^Try now/)
            await page.getByText("Delivered: HTTP 200").waitFor()
            // 4. All that wait.
            await enter(page, /^Retry all/)
            // 5. Until none waits.
            await enter(page, /^Watch the job/)
            await page.getByRole("heading", { name: /^All [\d\u202f]+ delivered$/, level: 1 }).waitFor()
            await page.goBack()
            await page.getByText("Healthy", { exact: true }).waitFor()
            await page
              .getByRole("row", { name: /recovered/ })
              .first()
              .waitFor()
            await page.getByText("still failing").first().waitFor({ state: "detached" })
          })
          assertQuiet(opened)
        }),
      120_000
    )
  })
})
