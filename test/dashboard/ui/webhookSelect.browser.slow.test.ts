/** Finding one of many webhooks: in their list, and wherever a page asks for one. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Locator, Page } from "playwright-core"
import { assertQuiet, describeInBrowser } from "../../support/dashboard/browser.ts"
import { checkOnEveryScreen, openSignedIn } from "../../support/dashboard/dashboardPages.ts"
import { HOSTILE, HOSTILE_SHOWN } from "../../support/dashboard/dashboardReceivers.ts"
import { DashboardService, dashboardService } from "../../support/dashboard/dashboardService.ts"
import { apiClient } from "../../support/http/apiClient.ts"

/** More than a page of the API, so that the oldest is not among the newest that a page of the dashboard loads. */
const WEBHOOKS = 130

class Registered extends Context.Service<
  Registered,
  { readonly oldest: string; readonly deleted: string; readonly hostile: string }
>()("ledgerhook/test/Registered") {}

const registered = Layer.effect(
  Registered,
  Effect.gen(function* () {
    const { url, liveKey } = yield* DashboardService
    const { call } = apiClient(url, liveKey)
    const register = (description: string | null, path: string) =>
      Effect.map(
        call("POST", "/v1/webhooks", {
          url: `https://hooks.example.com/${path}`,
          event_types: ["nft.minted"],
          description
        }),
        ({ body }) => String(body["id"])
      )
    const oldest = yield* register("Warehouse: payments", "warehouse")
    const hostile = yield* register(HOSTILE, "hostile")
    const deleted = yield* register("Deleted", "deleted")
    yield* call("DELETE", `/v1/webhooks/${deleted}`)
    yield* Effect.forEach(
      Array.from({ length: WEBHOOKS }, (_, i) => i + 1),
      (i) => register(i % 10 === 0 ? null : `Customer ${i}`, `customers/${i}`)
    )
    return { oldest, hostile, deleted }
  })
)

const world = registered.pipe(Layer.provideMerge(dashboardService()))

const choiceOf = (page: Page | Locator) => page.getByRole("combobox", { name: "Webhook" })
/** The filter of the list of deliveries, whose chip holds the choice. */
const chipOf = (page: Page) => page.getByRole("search").getByRole("button", { name: /^Webhook/ })
/** Waits until the choice shows this name. */
const shows = (page: Page, name: string) =>
  choiceOf(page)
    .and(page.locator(`input[value=${JSON.stringify(name)}]`))
    .waitFor()
/** Those of the page's only list that is open. */
const optionsOf = (page: Page) => page.getByRole("listbox").getByRole("option")

describeInBrowser("one of many webhooks", () => {
  layer(world, { excludeTestServices: true, timeout: "120 seconds" })("in a browser", (it) => {
    it.effect(
      "is legible on every screen while it is open, without a fault that axe-core finds",
      () =>
        Effect.gen(function* () {
          const { liveKey } = yield* DashboardService
          const open = async (page: Page) => {
            await choiceOf(page).fill("hooks.example.com/customers/12")
            await page.getByRole("option", { name: "customers/120" }).waitFor()
          }
          yield* checkOnEveryScreen(liveKey, "/deliveries", async ({ page }) => {
            await chipOf(page).click()
            await open(page)
          })
          yield* checkOnEveryScreen(liveKey, "/deliveries", async ({ page }) => {
            await page.getByRole("button", { name: "Retry all that match…" }).click()
            const dialog = page.getByRole("dialog")
            await choiceOf(dialog).click()
            await dialog.getByText("The newest 20. Type to find others.").waitFor()
          })
          yield* checkOnEveryScreen(liveKey, "/replay/new", async ({ page }) => {
            await open(page)
          })
        }),
      240_000
    )

    it.effect("finds an old webhook by a part of its name, with the keyboard, for a link to share", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { oldest } = yield* Registered
        const opened = yield* openSignedIn(liveKey, "/deliveries")
        const { page } = opened
        yield* Effect.promise(async () => {
          const choice = choiceOf(page)
          await chipOf(page).click()
          await choice.click()
          await page.getByText("The newest 20. Type to find others.").waitFor()
          assert.strictEqual(await optionsOf(page).count(), 20)
          await choice.pressSequentially("HOUSE: pay")
          await page
            .getByRole("option", { name: "Warehouse: payments https://hooks.example.com/warehouse" })
            .waitFor()
          assert.strictEqual(await optionsOf(page).count(), 1)
          await choice.press("ArrowDown")
          await choice.press("Enter")
          await page.waitForURL(new RegExp(`webhook_id=${oldest}`))
          await chipOf(page).getByText("Warehouse: payments").waitFor()
          await page.getByText("No delivery matches").waitFor()
          assertQuiet(opened)
          await page.reload()
          opened.forget()
          await chipOf(page).getByText("Warehouse: payments").waitFor()
          await chipOf(page).click()
          await shows(page, "Warehouse: payments")
          // The chosen one does not filter what else can be chosen.
          await choice.click()
          await page.getByRole("option", { name: "Customer 129" }).waitFor()
          await choice.fill("nobody")
          await page.getByText("No webhook has this in its name, address or id").waitFor()
          await page.getByRole("heading", { level: 1 }).click()
          await choice.waitFor({ state: "detached" })
          await chipOf(page).getByText("Warehouse: payments").waitFor()
          await page.getByRole("button", { name: "Clear: Webhook" }).click()
          await page.waitForURL(/\/deliveries$/)
          await chipOf(page).getByText("Warehouse: payments").waitFor({ state: "detached" })
        })
        assertQuiet(opened)
      })
    )

    it.effect("takes a pasted id, also of a deleted webhook, and shows hidden marks in a name", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { oldest, deleted, hostile } = yield* Registered
        const opened = yield* openSignedIn(liveKey, "/replay/new")
        const { page } = opened
        yield* Effect.promise(async () => {
          const choice = choiceOf(page)
          for (const [typed, name] of [
            [` ${oldest} `, "Warehouse: payments"],
            [` ${hostile} `, HOSTILE_SHOWN],
            ["customers/77", "Customer 77"]
          ] as const) {
            await choice.fill(typed)
            await page.getByRole("option", { name }).click()
            await shows(page, name)
          }
          assert.isUndefined(await page.evaluate("window.hacked"))
          assertQuiet(opened)
          // Last, because the page asks what happened to the chosen webhook, and the API knows no deleted one.
          await choice.fill(deleted)
          await page.getByRole("option", { name: deleted }).click()
          await shows(page, deleted)
        })
      })
    )

    it.effect("takes an id with a key that may not see webhooks", () =>
      Effect.gen(function* () {
        const { keyWith } = yield* DashboardService
        const { oldest } = yield* Registered
        const opened = yield* openSignedIn(yield* keyWith("live", ["deliveries:read"]), "/deliveries")
        const { page } = opened
        yield* Effect.promise(async () => {
          await chipOf(page).click()
          await choiceOf(page).click()
          await page.getByText("This key may not see webhooks").waitFor()
          await choiceOf(page).fill(oldest)
          await page.getByRole("option", { name: oldest }).click()
          await page.waitForURL(new RegExp(`webhook_id=${oldest}`))
          await chipOf(page).getByText(oldest).waitFor()
        })
        assertQuiet(opened)
      })
    )

    it.effect("is searched in the list of webhooks too, and the search is in the address", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        yield* checkOnEveryScreen(liveKey, "/webhooks?search=warehouse", ({ page }) =>
          page.getByRole("link", { name: "Warehouse: payments" }).waitFor()
        )
        const opened = yield* openSignedIn(liveKey, "/webhooks")
        const { page } = opened
        yield* Effect.promise(async () => {
          const rows = page.getByRole("table", { name: "Webhooks" }).getByRole("link")
          await rows.filter({ hasText: "Customer 129" }).waitFor()
          await page.getByLabel("Search").fill("payments")
          await page.getByLabel("Search").press("Enter")
          await page.waitForURL(/\/webhooks\?search=payments$/)
          await rows.filter({ hasText: "Customer 129" }).waitFor({ state: "detached" })
          assert.strictEqual(await rows.count(), 1)
          await page.getByLabel("Search").fill("nobody")
          await page.getByLabel("Search").press("Enter")
          await page.getByText("No webhook matches").waitFor()
          await page.getByLabel("Search").fill("")
          await page.getByLabel("Search").press("Enter")
          await page.waitForURL(/\/webhooks$/)
          await rows.filter({ hasText: "Customer 129" }).waitFor()
        })
        assertQuiet(opened)
      })
    )

    it.effect("says why a search failed", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { page } = yield* openSignedIn(liveKey, "/deliveries")
        yield* Effect.promise(async () => {
          await page.route(/\/v1\/webhooks\?.*search=/, (route) =>
            route.fulfill({
              status: 429,
              json: { error: { code: "RATE_LIMITED", message: "Rate limit exceeded." } }
            })
          )
          await chipOf(page).click()
          await choiceOf(page).fill("customer")
          await page.getByText("Rate limit exceeded.").waitFor()
        })
      })
    )
  })
})
