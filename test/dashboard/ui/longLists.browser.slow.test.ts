/** Lists of any length: only the rows on the screen are in the document. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { assertQuiet, describeInBrowser } from "../../support/dashboard/browser.ts"
import { openSignedIn } from "../../support/dashboard/dashboardPages.ts"
import { DashboardService, dashboardService } from "../../support/dashboard/dashboardService.ts"

const ROWS = 100_000

/** More than a screen of 900 pixels and the rows beside it need, far less than all. */
const DRAWN_MAX = 100

const rows = Array.from({ length: ROWS }, (_, index) => ({
  id: `dlv_${index}`,
  webhook_id: "wh_1",
  event_id: `xrpl:${index}`,
  event_type: "payment.xrp",
  status: "failed",
  attempts: 10,
  last_error: `number ${index}`,
  response_status: null,
  response_time_ms: null,
  next_attempt_at: null,
  created_at: "2026-11-21T09:30:00.000Z",
  updated_at: "2026-11-21T09:30:00.000Z"
}))

describeInBrowser("a list of 100,000 rows", () => {
  layer(dashboardService(), { excludeTestServices: true, timeout: "120 seconds" })("in a browser", (it) => {
    it.effect("can be scrolled to its end, and never has more than a screen of rows in the document", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const opened = yield* openSignedIn(liveKey, "/", { viewport: { width: 1_280, height: 900 } })
        const { page } = opened
        yield* Effect.promise(async () => {
          await page.route(/\/v1\/deliveries\?/, (route) =>
            route.fulfill({ json: { data: rows, has_more: false, next_cursor: null } })
          )
          await page.getByRole("link", { name: "Deliveries" }).click()
          await page.getByText("number 0", { exact: true }).waitFor()
          for (const part of [0.25, 0.5, 1]) {
            await page.evaluate(`scrollTo(0, document.documentElement.scrollHeight * ${part})`)
            const last = Math.floor(part * (ROWS - 1))
            await page
              .getByText(new RegExp(`^number ${String(last).slice(0, 3)}\\d*$`))
              .first()
              .waitFor()
            assert.isAtMost(await page.locator("tbody tr").count(), DRAWN_MAX)
          }
          await page.getByText(`number ${ROWS - 1}`, { exact: true }).waitFor()
        })
        assertQuiet(opened)
      })
    )
  })
})
