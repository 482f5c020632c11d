/** Signing in and out, and what a viewer sees if the key or the service is gone. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { apiClient } from "../support/apiClient.ts"
import { assertQuiet, describeInBrowser } from "../support/browser.ts"
import { openSignedIn } from "../support/dashboardPages.ts"
import { DashboardService, dashboardService } from "../support/dashboardService.ts"

const wait = (page: Page, text: string | RegExp) =>
  Effect.promise(() => page.getByText(text).first().waitFor())

const signInWith = (page: Page, key: string) =>
  Effect.promise(async () => {
    await page.getByLabel("API key", { exact: true }).fill(key)
    await page.getByRole("button", { name: "Sign in" }).click()
  })

describeInBrowser("a viewer's session", () => {
  layer(dashboardService(), { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect("leads back to the page that was asked for", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { page } = yield* openSignedIn(liveKey, "/deliveries?status=failed")
        yield* Effect.promise(() => page.waitForURL("**/deliveries?status=failed"))
      })
    )

    it.effect("keeps the key out of the address, of cookies and of storage that outlives the tab", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const opened = yield* openSignedIn(liveKey)
        yield* Effect.promise(async () => {
          const { page } = opened
          assert.notInclude(page.url(), liveKey)
          assert.deepStrictEqual(await page.context().cookies(), [])
          assert.notInclude(await page.evaluate<string>("JSON.stringify(localStorage)"), liveKey)
          assert.strictEqual(
            await page.evaluate<string | null>("sessionStorage.getItem('ledgerhook.key')"),
            liveKey
          )
        })
        assertQuiet(opened)
      })
    )

    it.effect("says that a key is wrong, and stays on the sign-in", () =>
      Effect.gen(function* () {
        const { open } = yield* DashboardService
        const { page } = yield* open("/")
        yield* signInWith(page, "svc_live_nobodyHasThisKey")
        yield* wait(page, /does not know this key/)
        assert.match(page.url(), /\/sign-in/)
      })
    )

    it.effect("does not lead to another site after the sign-in", () =>
      Effect.gen(function* () {
        const { open, liveKey, url } = yield* DashboardService
        const { page } = yield* open("/sign-in?next=//example.com/")
        yield* signInWith(page, liveKey)
        yield* Effect.promise(() => page.waitForURL(`${url}/`))
      })
    )

    it.effect("ends with a sentence when the key is revoked", () =>
      Effect.gen(function* () {
        const { keyWith, liveKey, url } = yield* DashboardService
        const key = yield* keyWith("live", ["admin"])
        const { page } = yield* openSignedIn(key, "/account")
        const { body } = yield* apiClient(url, key).call("GET", "/v1/account")
        yield* apiClient(url, liveKey).call(
          "DELETE",
          `/v1/api-keys/${(body["key"] as unknown as { id: string }).id}`
        )
        yield* Effect.promise(() => page.getByRole("link", { name: "Webhooks" }).click())
        yield* wait(page, /no longer accepts this key/)
        assert.strictEqual(yield* Effect.promise(() => page.evaluate("sessionStorage.length")), 0)
      })
    )

    it.effect("ends when the viewer signs out, and Back does not show the page again", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { page } = yield* openSignedIn(liveKey)
        yield* Effect.promise(async () => {
          await page.getByRole("link", { name: "Plan and usage" }).click()
          await page.getByRole("heading", { name: "Plan and usage", level: 1 }).waitFor()
          await page.getByRole("button", { name: /Live key/ }).click()
          await page.getByRole("menuitem", { name: "Sign out" }).click()
          await page.getByRole("heading", { name: "Sign in to Ledgerhook" }).waitFor()
          await page.goBack()
          await page.getByRole("button", { name: "Sign in" }).waitFor()
        })
      })
    )

    it.effect("says what happened and what to try when the service answers 500 or is away", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { page } = yield* openSignedIn(liveKey, "/account")
        yield* Effect.promise(async () => {
          await page.route("**/v1/ledgers/coverage", (route) =>
            route.fulfill({
              status: 500,
              headers: { "x-request-id": "req-42" },
              json: { error: { code: "INTERNAL_ERROR", message: "Something failed." } }
            })
          )
          await page.getByRole("link", { name: "Coverage" }).click()
          await page.getByText("Something failed.").waitFor()
          await page.getByText("req-42").waitFor()
          await page.unroute("**/v1/ledgers/coverage")
          await page.getByRole("button", { name: "Try again" }).click()
          await page
            .getByText(/none missing|No ledger has been taken/)
            .first()
            .waitFor()
          await page.route("**/v1/api-keys*", (route) => route.abort())
          await page.getByRole("link", { name: "API keys" }).click()
          await page.getByText(/did not answer/).waitFor()
        })
      })
    )

    it.effect("hides the actions that a read-only key may not take", () =>
      Effect.gen(function* () {
        const { keyWith } = yield* DashboardService
        const key = yield* keyWith("live", ["webhooks:read", "deliveries:read", "api_keys:read"])
        const opened = yield* openSignedIn(key, "/keys")
        const { page } = opened
        yield* wait(page, /signed in here/)
        yield* Effect.promise(async () => {
          assert.strictEqual(await page.getByRole("button", { name: "New key" }).count(), 0)
          assert.strictEqual(await page.getByRole("button", { name: /^Revoke/ }).count(), 0)
          await page.getByRole("link", { name: "Coverage" }).click()
          await page.getByText("events:read").waitFor()
        })
        assertQuiet(opened)
      })
    )
  })
})
