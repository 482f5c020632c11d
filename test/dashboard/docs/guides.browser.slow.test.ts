/** Guides and API reference: in the dashboard and outside, read, searched and copied from without another origin. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { accessibilityFaults, assertQuiet, describeInBrowser } from "../../support/dashboard/browser.ts"
import { checkOnEveryScreen, openSignedIn } from "../../support/dashboard/dashboardPages.ts"
import { DashboardService, dashboardService } from "../../support/dashboard/dashboardService.ts"

const SEARCH = "Search the guides"

describeInBrowser("guides", () => {
  layer(dashboardService(), { excludeTestServices: true, timeout: "120 seconds" })("in a browser", (it) => {
    it.effect("are opened from the navigation, followed by their links, and know the section in sight", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const opened = yield* openSignedIn(liveKey, "/account")
        const { page } = opened
        yield* Effect.promise(async () => {
          await page.getByRole("link", { name: "Guides", exact: true }).click()
          await page.getByRole("heading", { name: "Guides", level: 1 }).waitFor()
          await page.getByRole("article").getByRole("link", { name: "Receiving webhooks" }).click()
          await page.getByRole("heading", { name: "Receiving webhooks", level: 1 }).waitFor()
          const contents = page.getByRole("navigation", { name: "On this page" })
          await contents.getByRole("link", { name: "Retries" }).click()
          await page.waitForURL("**/guides/receiving#retries")
          await contents.locator('[aria-current="true"]', { hasText: "Retries" }).waitFor()
          await page.getByRole("link", { name: "Payload filters" }).last().click()
          await page.waitForURL("**/guides/payload-filters")
          await page.getByRole("heading", { name: "Payload filters", level: 1 }).waitFor()
          assert.strictEqual(await page.title(), "Payload filters · Ledgerhook")
          await page.goBack()
          await page.getByRole("heading", { name: "Receiving webhooks", level: 1 }).waitFor()
          await page.goto(`${new URL(page.url()).origin}/guides/nothing`)
          await page.getByText("There is no such page").waitFor()
        })
        opened.forget()
      })
    )

    for (const [where, path] of [
      ["in the dashboard", "/guides/receiving"],
      ["outside", "/docs/receiving"]
    ] as const) {
      it.effect(`are searched, copied from and read in one's own language, ${where}`, () =>
        Effect.gen(function* () {
          const { liveKey, open } = yield* DashboardService
          const options = { permissions: ["clipboard-read", "clipboard-write"] }
          const opened = yield* path.startsWith("/docs")
            ? open(path, options)
            : openSignedIn(liveKey, path, options)
          const { page } = opened
          yield* Effect.promise(async () => {
            await page.getByRole("heading", { name: "Verifying a signature" }).waitFor()
            await page.getByRole("button", { name: "Python", exact: true }).click()
            const code = page.locator("figure", { hasText: "def verify_signature" })
            await code.getByRole("button", { name: "Copy" }).click()
            await code.getByRole("button", { name: "Copied" }).waitFor()
            const copied = await page.evaluate<string>("navigator.clipboard.readText()")
            assert.match(copied, /^import hashlib\n/)
            assert.isTrue(await page.getByText("export function verifySignature").isHidden())

            await page.keyboard.press("/")
            await page.keyboard.insertText("rotate secret")
            await page.getByRole("heading", { name: /^\d+ sections of \d+ pages$/, level: 1 }).waitFor()
            assert.deepStrictEqual(await Effect.runPromise(accessibilityFaults(page)), [])
            await page.keyboard.press("ArrowDown")
            await page.keyboard.press("ArrowUp")
            await page.keyboard.press("Enter")
            await page.waitForURL(`**${path}#rotating-the-secret`)
            await page.getByRole("heading", { name: "Rotating the secret" }).waitFor()
            await page.getByLabel(SEARCH).fill("zyxwvut")
            await page.getByRole("heading", { name: "No section has all these words" }).waitFor()
            await page.keyboard.press("Escape")
            await page.getByRole("heading", { name: "Receiving webhooks", level: 1 }).waitFor()
          })
          assertQuiet(opened)
        })
      )
    }

    it.effect("are found by the search of everything", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const opened = yield* openSignedIn(liveKey, "/account")
        const { page } = opened
        yield* Effect.promise(async () => {
          await page.getByRole("heading", { level: 1 }).waitFor()
          await page.keyboard.press("Control+k")
          await page.getByRole("dialog").getByLabel("Search", { exact: true }).waitFor()
          await page.keyboard.insertText("rotating the secret")
          await page.getByRole("option", { name: /^Rotating the secret Receiving webhooks/ }).click()
          await page.waitForURL("**/guides/receiving#rotating-the-secret")
          await page.getByRole("heading", { name: "Rotating the secret" }).waitFor()
        })
        assertQuiet(opened)
      })
    )

    it.effect("and the reference show every operation, in the dashboard and outside", () =>
      Effect.gen(function* () {
        const { liveKey, open } = yield* DashboardService
        const inside = yield* openSignedIn(liveKey, "/account")
        const outside = yield* open("/docs")
        yield* Effect.promise(async () => {
          await inside.page.getByRole("link", { name: "API reference" }).click()
          for (const { page } of [inside, outside]) {
            await page.getByRole("heading", { name: "API reference", level: 1 }).waitFor()
            await page.getByRole("link", { name: "Retry a delivery now" }).click()
            await page.waitForURL("**#retryDelivery")
            await page.getByText("POST /v1/deliveries/{id}/retry").first().waitFor()
          }
          await outside.page.getByRole("link", { name: "Dashboard", exact: true }).click()
          await outside.page.getByLabel("API key", { exact: true }).waitFor()
        })
        assertQuiet(inside)
        assertQuiet(outside)
      })
    )

    it.effect(
      "have no fault that axe-core finds, on any screen",
      () =>
        Effect.gen(function* () {
          const { liveKey, open } = yield* DashboardService
          for (const path of ["/guides/receiving", "/reference"])
            yield* checkOnEveryScreen(liveKey, path, ({ page }) => page.getByRole("article").waitFor())
          for (const path of ["/docs/receiving", "/docs", "/docs/event-types"]) {
            const opened = yield* open(path)
            assert.deepStrictEqual(yield* accessibilityFaults(opened.page), [], path)
            assertQuiet(opened)
          }
        }),
      400_000
    )
  })
})
