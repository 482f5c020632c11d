/** Signing in and out, and what a viewer sees if the key or the service is gone. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { accessibilityFaults, assertQuiet, describeInBrowser } from "../../support/dashboard/browser.ts"
import { openSignedIn, screens } from "../../support/dashboard/dashboardPages.ts"
import { DashboardService, dashboardService } from "../../support/dashboard/dashboardService.ts"
import { apiClient } from "../../support/http/apiClient.ts"

const wait = (page: Page, text: string | RegExp) =>
  Effect.promise(() => page.getByText(text).first().waitFor())

const signInWith = (page: Page, key: string) =>
  Effect.promise(async () => {
    await page.getByLabel("API key", { exact: true }).fill(key)
    await page.getByRole("button", { name: "Sign in" }).click()
  })

describeInBrowser("a viewer's session", () => {
  layer(dashboardService(), { excludeTestServices: true, timeout: "120 seconds" })("in a browser", (it) => {
    it.effect("leads back to the page that was asked for", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { page } = yield* openSignedIn(liveKey, "/deliveries?status=failed")
        yield* Effect.promise(() => page.waitForURL("**/deliveries?status=failed"))
      })
    )

    it.effect("is a cookie that scripts cannot read, and the key is kept nowhere", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const opened = yield* openSignedIn(liveKey)
        yield* Effect.promise(async () => {
          const { page } = opened
          const cookies = await page.context().cookies()
          assert.deepStrictEqual(
            cookies.map(({ httpOnly, name, sameSite }) => ({ httpOnly, name, sameSite })),
            [{ httpOnly: true, name: "ledgerhook-live", sameSite: "Strict" }]
          )
          const kept = await page.evaluate<string>(
            "document.cookie + location.href + JSON.stringify([localStorage, sessionStorage])"
          )
          for (const secret of [liveKey, cookies[0]!.value]) assert.notInclude(kept, secret)
          assert.notInclude(JSON.stringify(cookies), liveKey)
        })
        assertQuiet(opened)
      })
    )

    it.effect("is there in new tabs, after a reload and behind links, without a sign-in", () =>
      Effect.gen(function* () {
        const { liveKey, url } = yield* DashboardService
        const opened = yield* openSignedIn(liveKey)
        yield* Effect.promise(async () => {
          const { page } = opened
          await page.reload()
          await page.getByRole("button", { name: /Live key …stuv/ }).waitFor()
          const tab = await page.context().newPage()
          await tab.goto(`${url}/deliveries?status=failed`)
          await tab.getByRole("heading", { name: "Deliveries", level: 1 }).waitFor()
          assert.strictEqual(tab.url(), `${url}/deliveries?status=failed`)
        })
        // Requests of the page that was left end without an answer.
        assert.deepStrictEqual(opened.consoleErrors, [])
      })
    )

    it.effect("begins with a link, once, and the address does not keep it", () =>
      Effect.gen(function* () {
        const { firstLink, open, url } = yield* DashboardService
        const opened = yield* open(firstLink)
        const { page } = opened
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: /Live key/ }).waitFor()
          assert.strictEqual(page.url(), `${url}/`)
          await page.goBack()
          assert.notInclude(page.url(), "link")
        })
        // Requests of the page that was left end without an answer.
        assert.deepStrictEqual(opened.consoleErrors, [])
        const again = yield* open(firstLink)
        yield* wait(again.page, /This link cannot sign in/)
        assert.strictEqual(again.page.url(), `${url}/sign-in`)
        // A service of its own, because its first start prints the link once.
      }).pipe(Effect.provide(dashboardService()))
    )

    it.effect("may be two: the viewer adds a test key, switches, and signs out of one", () =>
      Effect.gen(function* () {
        const { liveKey, testKey } = yield* DashboardService
        const opened = yield* openSignedIn(liveKey)
        const { page } = opened
        const menu = async (opener: RegExp, item: string) => {
          await page.getByRole("button", { name: opener }).click()
          await page.getByRole("menuitem", { name: item }).click()
        }
        yield* Effect.promise(async () => {
          await menu(/Live key/, "Add a test key")
          await page.getByLabel("API key", { exact: true }).fill(testKey)
          await page.getByRole("button", { name: "Sign in" }).click()
          await page.getByRole("button", { name: /Test key/ }).waitFor()
          const tab = await page.context().newPage()
          await tab.goto(page.url())
          await menu(/Test key/, "Switch to mainnet")
          await page.getByRole("button", { name: /Live key/ }).waitFor()
          await page.reload()
          await page.getByRole("button", { name: /Live key/ }).waitFor()
          await menu(/Live key/, "Sign out of mainnet")
          await page.getByRole("button", { name: "Use the test key, which is still signed in" }).click()
          await page.getByRole("button", { name: /Test key/ }).waitFor()
          assert.deepStrictEqual(
            (await page.context().cookies()).map(({ name }) => name),
            ["ledgerhook-test"]
          )
        })
        // Requests of the page that was left end without an answer.
        assert.deepStrictEqual(opened.consoleErrors, [])
      })
    )

    it.effect(
      "is asked for on a page without an accessibility fault, in light, dark and on a narrow screen",
      () =>
        Effect.gen(function* () {
          const { open } = yield* DashboardService
          for (const screen of screens) {
            const opened = yield* open("/account", screen)
            yield* wait(opened.page, "Sign in to Ledgerhook")
            assert.deepStrictEqual(yield* accessibilityFaults(opened.page), [])
            const width = yield* Effect.promise(() =>
              opened.page.evaluate<number>("document.documentElement.scrollWidth")
            )
            assert.isAtMost(width, screen.viewport.width)
            assertQuiet(opened)
          }
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
        // A page that was asked for is shown after the next sign-in.
        yield* signInWith(page, liveKey)
        yield* Effect.promise(() => page.waitForURL("**/webhooks"))
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
