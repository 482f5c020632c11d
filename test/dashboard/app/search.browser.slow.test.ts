/** The search of the dashboard: from any page to anything that has a name, a hash or an id, by the keyboard alone. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { accessibilityFaults, assertQuiet, describeInBrowser } from "../../support/dashboard/browser.ts"
import { openSignedIn } from "../../support/dashboard/dashboardPages.ts"
import { DashboardService, dashboardService } from "../../support/dashboard/dashboardService.ts"
import { apiClient } from "../../support/http/apiClient.ts"

describeInBrowser("the search", () => {
  layer(dashboardService(), { excludeTestServices: true, timeout: "120 seconds" })("in a browser", (it) => {
    it.effect("opens by keys on every page, and finds pages, webhooks, events and deliveries", () =>
      Effect.gen(function* () {
        const { liveKey, url } = yield* DashboardService
        const { call } = apiClient(url, liveKey)
        // Of its own in each run.
        const name = `Treasury ${Date.now()}`
        const webhook = yield* call("POST", "/v1/webhooks", {
          url: "http://127.0.0.1:1/",
          event_types: ["payment.xrp"],
          description: name
        })
        const test = yield* call("POST", `/v1/webhooks/${webhook.body["id"]}/test`, {
          event_type: "payment.xrp"
        })
        const opened = yield* openSignedIn(liveKey, "/account")
        const { page } = opened
        const dialog = page.getByRole("dialog", { name: "Search and commands" })
        const ask = async (keys: string, text: string) => {
          // The dialog before may still be closing.
          await dialog.waitFor({ state: "detached" })
          await page.keyboard.press(keys)
          await dialog.getByLabel("Search", { exact: true }).waitFor()
          await page.keyboard.insertText(text)
        }
        yield* Effect.promise(async () => {
          await page.getByRole("heading", { level: 1 }).waitFor()
          await ask("Control+k", "api ref")
          await dialog.locator("[data-combobox-selected]", { hasText: "API reference" }).waitFor()
          assert.deepStrictEqual(await Effect.runPromise(accessibilityFaults(page)), [])
          await page.keyboard.press("Escape")

          await ask("/", name.toLowerCase())
          await dialog.getByRole("option", { name: new RegExp(`^${name}`) }).waitFor()
          await page.keyboard.press("Enter")
          await page.getByRole("heading", { name, level: 1 }).waitFor()

          await ask("/", ` ${test.body["delivery_id"]} `)
          await dialog.getByRole("option", { name: "Open the delivery" }).waitFor()
          await page.keyboard.press("Enter")
          await page.waitForURL(`**/deliveries/${test.body["delivery_id"]}`)

          await ask("/", "zyxwvut")
          await dialog.getByText("Nothing has this name").waitFor()
          await page.keyboard.press("Escape")
          await dialog.waitFor({ state: "detached" })
          await page.keyboard.press("?")
          await page.getByRole("dialog", { name: "Keys" }).getByText("The next row of a list").waitFor()
        })
        assertQuiet(opened)
      })
    )

    it.effect("lists what a transaction's events are and who got them", () =>
      Effect.gen(function* () {
        const { closeLedger, liveKey, url } = yield* DashboardService
        const { call } = apiClient(url, liveKey)
        const { body } = yield* call("POST", "/v1/webhooks", {
          url: "http://127.0.0.1:1/",
          event_types: ["*"],
          description: "Everything"
        })
        yield* closeLedger
        const events = yield* Effect.repeat(call("GET", `/v1/deliveries?limit=1&webhook_id=${body["id"]}`), {
          until: ({ body }) => (body["data"] as unknown as ReadonlyArray<unknown>).length > 0
        })
        const [delivery] = events.body["data"] as unknown as ReadonlyArray<{ event_id: string }>
        const opened = yield* openSignedIn(liveKey, "/")
        const { page } = opened
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Search" }).click()
          const dialog = page.getByRole("dialog", { name: "Search and commands" })
          await dialog.getByLabel("Search", { exact: true }).fill(delivery!.event_id.split(":")[2]!)
          await dialog.getByText(/^Transaction of ledger/).waitFor()
          await dialog
            .getByRole("option", { name: /^Everything/ })
            .first()
            .waitFor()
          await page.keyboard.press("Enter")
          await page.waitForURL("**/events/xrpl*")
        })
        assertQuiet(opened)
      })
    )
  })
})
