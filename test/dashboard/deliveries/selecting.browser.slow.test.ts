/** Working with the list of deliveries: choosing a period and rows, saving files, retrying, the keyboard alone. */
import { readFile } from "node:fs/promises"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { assertQuiet, describeInBrowser } from "../../support/dashboard/browser.ts"
import { checkOnEveryScreen, openSignedIn } from "../../support/dashboard/dashboardPages.ts"
import { Receivers, receivers } from "../../support/dashboard/dashboardReceivers.ts"
import { DashboardService, dashboardService } from "../../support/dashboard/dashboardService.ts"
import { allDeliveries, apiClient, waitUntil } from "../../support/http/apiClient.ts"

/** A delivery fails finally after two attempts, so what a test selects stays failed until the test retries it. */
const world = receivers.pipe(Layer.provideMerge(dashboardService({ DELIVERY_RETRY_DELAYS: "100ms" })))

const table = (page: Page) => page.getByRole("table", { name: "Deliveries" })
const box = (page: Page, row: number) =>
  table(page)
    .getByRole("checkbox")
    .nth(row + 1)
const bar = (page: Page) => page.getByRole("region", { name: "Selection" })
/** The row that has the focus, from 0. */
const focusedRow = (page: Page) =>
  page.evaluate<number>("Number(document.activeElement.closest('tr')?.getAttribute('aria-rowindex')) - 2")

/** The text of the file that a click on the button saves. */
const fileOf = async (page: Page, button: string) => {
  const [saved] = await Promise.all([
    page.waitForEvent("download"),
    bar(page).getByRole("button", { name: button }).click()
  ])
  return { name: saved.suggestedFilename(), text: await readFile(await saved.path(), "utf8") }
}

const CHECK_MS = 120_000
/** A test retries or saves three at most. */
const FAILED_LEAST = 4

/** Closes ledgers until enough deliveries have failed finally. The receiver fails until a test repairs it. */
const fail = Effect.gen(function* () {
  const { url, liveKey } = yield* DashboardService
  const { breakAgain, happen } = yield* Receivers
  yield* breakAgain
  yield* waitUntil(
    Effect.map(
      Effect.andThen(happen, allDeliveries(apiClient(url, liveKey))),
      (all) => all.filter(({ status }) => status === "failed").length >= FAILED_LEAST
    ),
    "60 seconds"
  )
})

describeInBrowser("the list of deliveries", () => {
  layer(world, { excludeTestServices: true, timeout: "120 seconds" })("in a browser", (it) => {
    it.effect(
      "has no fault that axe-core finds while rows are selected, on any screen",
      () =>
        Effect.gen(function* () {
          const { liveKey } = yield* DashboardService
          const { happen } = yield* Receivers
          yield* happen
          yield* checkOnEveryScreen(liveKey, "/deliveries", async ({ page }) => {
            await box(page, 0).click()
            await bar(page).getByText("1 selected").waitFor()
          })
        }),
      CHECK_MS
    )

    it.effect(
      "opens a row by a click anywhere on it, in a tab of its own with Ctrl or the middle button",
      () =>
        Effect.gen(function* () {
          const { liveKey } = yield* DashboardService
          const { happen } = yield* Receivers
          yield* happen
          const { page } = yield* openSignedIn(liveKey, "/deliveries")
          yield* Effect.promise(async () => {
            await table(page).getByRole("link").first().waitFor()
            await page.getByRole("button", { name: "Pause" }).click()
            const id = await table(page).getByRole("link").first().getAttribute("title")
            // By its id: a list that was asked for before the pause may still come.
            const row = table(page)
              .getByRole("row")
              .filter({ has: page.locator(`a[title="${id}"]`) })
            const cell = row.getByRole("cell").nth(3)
            for (const how of [{ modifiers: ["Control" as const] }, { button: "middle" as const }]) {
              const [tab] = await Promise.all([page.context().waitForEvent("page"), cell.click(how)])
              assert.include(tab.url(), `/deliveries/${id}`)
              await tab.close()
            }
            await cell.click()
            await page.waitForURL(`**/deliveries/${id}`)
          })
        })
    )

    it.effect("moves between rows with j and k, and opens one with Enter, but not while a viewer types", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { happen } = yield* Receivers
        yield* happen
        const { page } = yield* openSignedIn(liveKey, "/deliveries")
        yield* Effect.promise(async () => {
          await table(page).getByRole("link").nth(2).waitFor()
          await page.getByRole("button", { name: "Pause" }).click()
          for (const key of ["j", "j", "j", "k"]) await page.keyboard.press(key)
          assert.strictEqual(await focusedRow(page), 1)
          await page.keyboard.press("Control+j")
          assert.strictEqual(await focusedRow(page), 1)
          await page.getByRole("button", { name: "More" }).click()
          await page.getByLabel("Event id").fill("j")
          await page.getByLabel("Event id").press("k")
          assert.strictEqual(await page.getByLabel("Event id").inputValue(), "jk")
          await page.getByLabel("Event id").fill("")
          await page.keyboard.press("Escape")
          await page.getByLabel("Event id").waitFor({ state: "detached" })
          await page.keyboard.press("j")
          await page.keyboard.press("Enter")
          await page.waitForURL("**/deliveries/dlv_*")
        })
      })
    )

    it.effect("chooses a period on the chart, by dragging and with the arrow keys", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { happen } = yield* Receivers
        yield* happen
        const opened = yield* openSignedIn(liveKey, "/deliveries?period=1h")
        const { page } = opened
        yield* Effect.promise(async () => {
          const [begin, end] = [
            page.getByRole("slider", { name: "Begin of the period" }),
            page.getByRole("slider", { name: "End of the period" })
          ]
          const chart = page.getByRole("img", { name: /^Deliveries over time/ })
          await chart.waitFor()
          // What loads later would move the chart.
          await table(page).getByRole("row").nth(1).waitFor()
          const { x, y, width } = (await chart.boundingBox())!
          await page.mouse.move(x + width * 0.25, y + 40)
          await page.mouse.down()
          await page.mouse.move(x + width * 0.5, y + 40, { steps: 3 })
          await page.mouse.up()
          await page.waitForURL(/since=.*until=/)
          await page.getByText("No delivery matches").waitFor()
          const count = Number(await end.getAttribute("aria-valuemax"))
          const at = Number(await end.getAttribute("aria-valuenow"))
          assert.approximately(at, count / 2, 2)
          await end.focus()
          await page.keyboard.press("End")
          await page.waitForURL(/since=((?!until=).)*$/)
          await table(page).getByRole("row").nth(1).waitFor()
          await begin.focus()
          await page.keyboard.press("ArrowRight")
          await page.getByText(/^Created: since/).waitFor()
          await page.keyboard.press("Home")
          await page.waitForURL(/\?period=1h$/)
        })
        assertQuiet(opened)
      })
    )

    it.effect("saves what is selected, and all that match, as CSV and NDJSON", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { failing } = yield* Receivers
        yield* fail
        const path = `/deliveries?webhook_id=${failing.webhook.id}&status=failed`
        const opened = yield* openSignedIn(liveKey, path, { acceptDownloads: true })
        const { page } = opened
        yield* Effect.promise(async () => {
          await box(page, 0).click()
          await box(page, 2).click({ modifiers: ["Shift"] })
          await bar(page).getByText("3 selected").waitFor()
          const csv = await fileOf(page, "CSV")
          assert.match(csv.name, /^deliveries-.*\.csv$/)
          const [head, ...lines] = csv.text.trimEnd().split("\r\n")
          assert.match(head!, /^id,created_at,status,/)
          assert.lengthOf(lines, 3)
          assert.match(lines[0]!, /^dlv_.*,HTTP 503,/)
          await bar(page).getByText("3 deliveries saved.").waitFor()
          await bar(page).getByRole("button", { name: "All that match" }).click()
          const { text } = await fileOf(page, "NDJSON")
          const all = text
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line) as { id: string; webhook_id: string })
          assert.isAtLeast(all.length, FAILED_LEAST)
          assert.isTrue(all.every(({ webhook_id }) => webhook_id === failing.webhook.id))
          assert.include(
            all.map(({ id }) => id),
            lines[0]!.split(",")[0]!
          )
        })
        assertQuiet(opened)
      })
    )

    it.effect("stands still while rows are selected, and counts what is new", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { accepting, happen } = yield* Receivers
        yield* happen
        const { page } = yield* openSignedIn(liveKey, `/deliveries?webhook_id=${accepting.webhook.id}`)
        const first = table(page).getByRole("link").first()
        const before = yield* Effect.promise(async () => {
          await box(page, 0).click()
          // Late deliveries of this ledger may be counted already.
          await page.getByText(/rows are selected; (nothing|\d+) newer/).waitFor()
          return first.getAttribute("title")
        })
        yield* happen
        yield* Effect.promise(async () => {
          await page.getByText(/rows are selected; \d+ newer deliver/).waitFor()
          assert.strictEqual(await first.getAttribute("title"), before)
          await bar(page).getByRole("button", { name: "Clear the selection" }).click()
          await page.locator(`tbody tr:first-child a:not([title="${before}"])`).waitFor()
        })
      })
    )

    it.effect("retries what is selected, and says which of it the service has delivered since", () =>
      Effect.gen(function* () {
        const { url, liveKey } = yield* DashboardService
        const { failing, repair } = yield* Receivers
        const client = apiClient(url, liveKey)
        yield* fail
        yield* repair
        const { page } = yield* openSignedIn(
          liveKey,
          `/deliveries?webhook_id=${failing.webhook.id}&status=failed`
        )
        const first = yield* Effect.promise(async () => {
          await box(page, 0).click()
          await box(page, 1).click({ modifiers: ["Shift"] })
          await bar(page).getByText("2 selected").waitFor()
          return table(page).getByRole("link").first().getAttribute("title")
        })
        yield* client.call("POST", `/v1/deliveries/${first}/retry`)
        yield* waitUntil(
          Effect.map(
            client.call("GET", `/v1/deliveries/${first}`),
            ({ body }) => body["status"] === "delivered"
          ),
          "10 seconds"
        )
        yield* Effect.promise(async () => {
          await bar(page).getByRole("button", { name: "Retry 2" }).click()
          await page.getByText("1 delivery retried").waitFor()
          await page.getByText("1 delivery needed no retry any more").waitFor()
        })
      })
    )

    it.effect("retries all that match as one job", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { failing, repair } = yield* Receivers
        yield* fail
        yield* repair
        const opened = yield* openSignedIn(
          liveKey,
          `/deliveries?webhook_id=${failing.webhook.id}&status=failed`
        )
        const { page } = opened
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Export" }).click()
          await bar(page)
            .getByRole("button", { name: /^Retry \d/ })
            .click()
          await page.getByRole("link", { name: "Watch the job" }).click()
          await page.waitForURL("**/replay/rpl_job_*")
        })
        assertQuiet(opened)
      })
    )
  })
})
