/** The pages of event types, as a viewer uses them. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { assertQuiet, describeInBrowser } from "../../support/dashboard/browser.ts"
import { checkOnEveryScreen, openSignedIn } from "../../support/dashboard/dashboardPages.ts"
import { Receivers, receivers } from "../../support/dashboard/dashboardReceivers.ts"
import { DashboardService, dashboardService } from "../../support/dashboard/dashboardService.ts"

const world = receivers.pipe(Layer.provideMerge(dashboardService()))

const CHECK_MS = 240_000

describeInBrowser("the catalogue of event types", () => {
  layer(world, { excludeTestServices: true, timeout: "120 seconds" })("in a browser", (it) => {
    it.effect(
      "shows on every screen what there is, without a fault that axe-core finds",
      () =>
        Effect.gen(function* () {
          const { liveKey } = yield* DashboardService
          yield* (yield* Receivers).happen
          yield* checkOnEveryScreen(liveKey, "/catalogue", ({ page }) =>
            page.getByRole("heading", { name: "23 event types" }).waitFor()
          )
          yield* checkOnEveryScreen(liveKey, "/catalogue/nft.offer_accepted", async ({ page }) => {
            await page.getByText("in the last 24 h on mainnet").waitFor()
            await page.getByText("6 fields that an event of any type may have").click()
            await page.getByText("of your 3 webhooks want").waitFor()
          })
        }),
      CHECK_MS
    )

    it.effect("finds a type by a field, and marks the field in the example and the other way round", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const opened = yield* openSignedIn(liveKey, "/catalogue")
        const { page } = opened
        yield* Effect.promise(async () => {
          await page.getByRole("navigation", { name: "Pages" }).getByText("Event catalogue").click()
          await page.getByRole("searchbox", { name: "Search types and fields" }).fill("is_sell")
          await page.getByRole("navigation", { name: "Event types" }).getByText("nft.offer_created").click()
          await page.getByRole("heading", { name: "nft.offer_created" }).waitFor()
          const line = page.getByLabel("the example").locator("[data-field=amount]")
          const row = page.locator("li#amount")
          await row.hover()
          assert.strictEqual(await line.getAttribute("data-marked"), "true")
          await page.getByLabel("the example").locator("[data-field=is_sell]").hover()
          assert.strictEqual(await line.getAttribute("data-marked"), "false")
          assert.strictEqual(await page.locator("li#is_sell").getAttribute("data-marked"), "true")
          await row.getByRole("link").focus()
          assert.strictEqual(await line.getAttribute("data-marked"), "true")
          await line.getByText("27 XRP").waitFor()
        })
        assertQuiet(opened)
      })
    )

    it.effect("sends the chosen example to a webhook, and shows the answer in place", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { accepting } = yield* Receivers
        const opened = yield* openSignedIn(liveKey, "/catalogue/account.settings_changed")
        const { page } = opened
        const type = "account.settings_changed"
        const got = () => accepting.received.filter(({ event }) => event.event_type === type).length
        const before = got()
        yield* Effect.promise(async () => {
          await page
            .getByText("Example 2", { exact: true })
            .or(page.getByText(/^With /))
            .last()
            .click()
          await page.getByRole("combobox", { name: "Webhook" }).click()
          await page.getByRole("option", { name: "Accepting" }).click()
          await page.getByRole("button", { name: "Send", exact: true }).click()
          await page.getByRole("status").getByText("HTTP 200").waitFor()
        })
        assert.isAbove(got(), before)
        yield* Effect.promise(async () => {
          await page.getByRole("link", { name: "Delivery", exact: true }).click()
          await page.waitForURL(/\/deliveries\/dlv_/)
        })
        assertQuiet(opened)
      })
    )

    it.effect("leads to a new webhook for the type, and copies the program of a language", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const opened = yield* openSignedIn(liveKey, "/catalogue/check.cashed", {
          permissions: ["clipboard-read", "clipboard-write"]
        })
        const { page } = opened
        yield* Effect.promise(async () => {
          await page.getByRole("tab", { name: "Go" }).click()
          await page.getByRole("button", { name: "Copy the program in Go" }).click()
          await page.getByText("Copied").waitFor()
          assert.include(
            await page.evaluate<string>("navigator.clipboard.readText()"),
            "type CheckCashed struct"
          )
          await page.getByRole("link", { name: "Webhook for it" }).click()
          await page.waitForURL(/\/webhooks\/new\?event_type=check\.cashed$/)
          await page.getByRole("checkbox", { name: "check.cashed", checked: true }).waitFor()
        })
        assertQuiet(opened)
      })
    )
  })
})
