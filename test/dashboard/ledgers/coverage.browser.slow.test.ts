/** The map of ledgers, as a viewer uses it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { assertQuiet, describeInBrowser } from "../../support/dashboard/browser.ts"
import { checkOnEveryScreen, openSignedIn } from "../../support/dashboard/dashboardPages.ts"
import { DashboardService, dashboardService } from "../../support/dashboard/dashboardService.ts"

const HOUR_MS = 3_600_000
/** The map begins with the day of the first hour that was watched, and that hour may be the day's first. */
const PAUSED_HOUR = 400

const ref = (ledger_index: number, at: number) => ({
  ledger_index,
  ledger_hash: "A".repeat(64),
  close_time: new Date(at).toISOString()
})

/** Answers as if 115 ledgers were missing since two hours ago, after which 40 ledgers closed. */
const withGap = async (page: Page) => {
  const thisHour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
  const began = thisHour - 2 * HOUR_MS + 60_000
  const range = (first: number, last: number, from: number, to: number) => ({
    first: ref(first, from),
    last: ref(last, to),
    ledgers: last - first + 1,
    simulated: false,
    rules_version: 2
  })
  const ranges = [
    range(1_000, 1_999, began - 400 * HOUR_MS, began),
    range(2_115, 2_154, began + 447_000, thisHour)
  ]
  const isWatched = (at: number) => at >= 300 && at !== PAUSED_HOUR
  const hours = Array.from({ length: 720 }, (_, at) => ({
    hour: new Date(thisHour - (719 - at) * HOUR_MS).toISOString(),
    ledgers: isWatched(at) ? 900 : 0,
    missing: at === 717 ? 115 : 0,
    events: isWatched(at) ? 10 * at : 0
  }))
  const head = { ledger_index: 2_154, announced_at: new Date().toISOString(), age_ms: 900 }
  await page.route(/\/v1\/ledgers\/coverage$/, (route) =>
    route.fulfill({
      json: {
        data: [{ network: "mainnet", watched: true, ranges, head, catching_up: null, seconds_late: 0 }]
      }
    })
  )
  await page.route(/\/v1\/ledgers\/coverage\?/, (route) => route.fulfill({ json: { data: hours } }))
  await page.reload()
}

describeInBrowser("ledger coverage", () => {
  layer(dashboardService(), { excludeTestServices: true, timeout: "120 seconds" })("in a browser", (it) => {
    it.effect(
      "is on every screen a map of the service's own hours, without a fault that axe-core finds",
      () =>
        Effect.gen(function* () {
          const { liveKey, closeLedger } = yield* DashboardService
          yield* closeLedger
          yield* closeLedger
          yield* checkOnEveryScreen(liveKey, "/coverage", async ({ page }) => {
            await page.getByRole("heading", { name: "Every ledger is taken", level: 1 }).waitFor()
            await page.getByText("none missing").waitFor()
            await page
              .getByRole("gridcell", { name: /: [1-9]\d* ledgers?, / })
              .first()
              .waitFor()
          })
        }),
      240_000
    )

    it.effect("gives the command that proves the chain", () =>
      Effect.gen(function* () {
        const { liveKey, closeLedger } = yield* DashboardService
        yield* closeLedger
        const { page } = yield* openSignedIn(liveKey, "/coverage")
        const command = yield* Effect.promise(() => page.locator("pre").first().textContent())
        assert.match(
          command!.replace(/\\\n {2}/g, ""),
          /^npx ledgerhook ledger verify --network mainnet --from \d+ --to \d+$/
        )
      })
    )

    it.effect(
      "says in red how many ledgers an hour lacks, since when, and which commands show them, on every screen",
      () =>
        Effect.gen(function* () {
          const { liveKey } = yield* DashboardService
          yield* checkOnEveryScreen(liveKey, "/coverage", async ({ page }) => {
            await withGap(page)
            await page.getByRole("heading", { name: "115 ledgers are missing", level: 1 }).waitFor()
            await page.getByText(/1\u202f040 of 1\u202f155 ledgers/).waitFor()
            const hour = page.getByRole("gridcell", { name: /115 missing/ })
            assert.strictEqual(await hour.textContent(), "115")
            assert.strictEqual(await hour.getAttribute("aria-selected"), "true")
            await page.getByRole("heading", { name: /^Gap on / }).waitFor()
            await page.getByText("7\u00a0min\u00a027\u00a0s").waitFor()
            const command = (await page.locator("pre").first().textContent())!
            assert.include(command, "--from 2000 \\\n  --to 2114")
          })
        }),
      240_000
    )

    it.effect(
      "is walked with the keyboard, tells each hour's values in one place, and leads on to its events",
      () =>
        Effect.gen(function* () {
          const { liveKey } = yield* DashboardService
          const opened = yield* openSignedIn(liveKey, "/coverage")
          const { page } = opened
          yield* Effect.promise(async () => {
            await withGap(page)
            const now = page.locator("td[tabindex='0']")
            await now.focus()
            await page.getByText(/^7\u202f190 events$/).waitFor()
            await page.keyboard.press("ArrowUp")
            await page.getByText(/^6\u202f950 events$/).waitFor()
            await page.keyboard.press("ArrowRight")
            await page.keyboard.press("Home")
            await page.keyboard.press("Enter")
            await page.getByRole("link", { name: "Show its events" }).waitFor()
            assert.strictEqual(await page.getByRole("heading", { name: /^Gap on / }).count(), 0)
            await page
              .getByRole("gridcell", { name: /not watched/ })
              .first()
              .click()
            await page.getByText(/did not watch the network/).waitFor()
            await page.getByRole("gridcell", { name: /115 missing/ }).click()
            await page.getByRole("heading", { name: /^Gap on / }).waitFor()
            await page
              .getByRole("gridcell", { name: /: 900 ledgers, / })
              .first()
              .click()
            await page.getByRole("link", { name: "Show its events" }).click()
            await page.waitForURL(/\/events\?.*since=/)
          })
          assertQuiet(opened)
        })
    )
  })
})
