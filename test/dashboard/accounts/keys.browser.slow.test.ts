/** API keys in a browser: making one, which shows its value once, replacing and revoking, the viewer's own too. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { accessibilityFaults, assertQuiet, describeInBrowser } from "../../support/dashboard/browser.ts"
import { checkOnEveryScreen, openSignedIn } from "../../support/dashboard/dashboardPages.ts"
import { DashboardService, dashboardService } from "../../support/dashboard/dashboardService.ts"
import { apiClient } from "../../support/http/apiClient.ts"

/** Revokes the keys of this name, those of a run before that failed. */
const revokeAll = Effect.fnUntraced(function* (name: string) {
  const { liveKey, url } = yield* DashboardService
  const { call } = apiClient(url, liveKey)
  const { body } = yield* call("GET", "/v1/api-keys")
  for (const key of Object(body["data"]) as ReadonlyArray<{ readonly id: string; readonly name: string }>)
    if (key.name === name) yield* call("DELETE", `/v1/api-keys/${key.id}`)
})

describeInBrowser("API keys", () => {
  layer(dashboardService(), { excludeTestServices: true, timeout: "120 seconds" })("in a browser", (it) => {
    it.effect(
      "are made, shown once until they are stored, replaced and revoked",
      () =>
        Effect.gen(function* () {
          const faults: Array<string> = []
          const { liveKey, url } = yield* DashboardService
          yield* revokeAll("On call")
          const opened = yield* openSignedIn(liveKey)
          const { page } = opened
          const faultsNow = () => Effect.runPromise(accessibilityFaults(page))
          const button = (name: string) => page.getByRole("button", { name, exact: true })
          const choose = (thing: string, level: string) =>
            page.getByRole("radiogroup", { name: thing }).getByText(level, { exact: true }).click()
          const key = yield* Effect.promise(async () => {
            await page.getByRole("link", { name: "API keys" }).click()
            await button("New key").click()
            await button("Create key").click()
            await page.getByText("Give the key a name that says who uses it.").waitFor()
            await page.getByRole("textbox", { name: /^Name/ }).fill("On call")
            await choose("Webhooks", "read")
            await choose("Deliveries", "write")
            await page.getByText(/retry and replay\. It cannot change a webhook\./).waitFor()
            faults.push(...(await faultsNow()))
            await button("Create key").click()
            const value = (await page.getByText(/^svc_live_\w{30,}/).textContent())!
            faults.push(...(await faultsNow()))
            await page.keyboard.press("Escape")
            await page.goBack()
            await page.getByText("Store the key before you leave").waitFor()
            const asked = page.waitForEvent("dialog")
            page.reload().catch(() => undefined)
            const dialog = await asked
            assert.strictEqual(dialog.type(), "beforeunload")
            await dialog.dismiss()
            await button("I have stored it").click()
            await page.getByRole("row", { name: /On call/ }).waitFor()
            assert.notInclude(await page.content(), value)
            return value
          })
          const { body } = yield* apiClient(url, key).call("GET", "/v1/account")
          assert.deepStrictEqual((body["key"] as unknown as { scopes: ReadonlyArray<string> }).scopes, [
            "webhooks:read",
            "deliveries:read",
            "deliveries:write"
          ])
          yield* Effect.promise(async () => {
            await button("Revoke On call").click()
            await page.getByText(/can then no longer see webhooks and deliveries of mainnet/).waitFor()
            faults.push(...(await faultsNow()))
            await button("Revoke the key").click()
            await page.getByRole("row", { name: /On call/ }).waitFor({ state: "detached" })
            await page.getByRole("button", { name: /revoked or expired/ }).click()
            await page
              .getByRole("row", { name: /On call.*revoked/ })
              .first()
              .waitFor()
          })
          assert.strictEqual((yield* apiClient(url, key).call("GET", "/v1/account")).status, 401)
          assert.deepStrictEqual(faults, [])
          assertQuiet(opened)
        }),
      120_000
    )

    it.effect("that expire soon head the page, and are replaced with the same rights", () =>
      Effect.gen(function* () {
        const { liveKey, url } = yield* DashboardService
        yield* revokeAll("Alerting")
        yield* apiClient(url, liveKey).call("POST", "/v1/api-keys", {
          name: "Alerting",
          scopes: ["events:read"],
          expires_at: new Date(Date.now() + 5.5 * 86_400_000).toISOString()
        })
        yield* checkOnEveryScreen(liveKey, "/keys", ({ page }) =>
          page.getByRole("heading", { name: "1 key expires in 5 days" }).waitFor()
        )
        const { page } = yield* openSignedIn(liveKey, "/keys")
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Replace Alerting" }).click()
          await page.getByText("The key may see events of mainnet.").waitFor()
          await page.getByRole("button", { name: "Create key" }).click()
          await page.getByText("Revoke the old key when nothing uses it any more.").waitFor()
          await page.getByRole("button", { name: "I have stored it" }).click()
          await page
            .getByRole("row", { name: /Alerting/ })
            .nth(1)
            .waitFor()
        })
      })
    )

    it.effect("are not made twice if an answer is lost: the same request gets the same key", () =>
      Effect.gen(function* () {
        const { liveKey, url } = yield* DashboardService
        // Of its own in each run.
        const name = `Lost ${Date.now()}`
        const { page } = yield* openSignedIn(liveKey, "/keys")
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "New key" }).click()
          await page.getByRole("textbox", { name: /^Name/ }).fill(name)
          await page.getByRole("button", { name: "Everything (admin)" }).click()
          await page.route("**/v1/api-keys", async (route) => {
            await route.fetch()
            await route.abort()
          })
          await page.getByRole("button", { name: "Create key" }).click()
          await page.getByText(/The service may have done it/).waitFor()
          await page.unroute("**/v1/api-keys")
          await page.getByRole("button", { name: "Create key" }).click()
          await page.getByRole("button", { name: "I have stored it" }).click()
          await page.getByRole("row", { name: new RegExp(name) }).waitFor()
        })
        const { body } = yield* apiClient(url, liveKey).call("GET", "/v1/api-keys")
        const keys = body["data"] as unknown as ReadonlyArray<{ name: string }>
        assert.strictEqual(keys.filter((key) => key.name === name).length, 1)
      })
    )

    it.effect("sign their viewer out when their own key is revoked", () =>
      Effect.gen(function* () {
        const { keyWith } = yield* DashboardService
        const { page } = yield* openSignedIn(yield* keyWith("test", ["admin"]), "/keys")
        yield* Effect.promise(async () => {
          await page
            .getByRole("row", { name: /signed in here/ })
            .getByRole("button", { name: /^Revoke/ })
            .click()
          await page.getByRole("button", { name: "Revoke it and sign out" }).click()
          await page.getByText("You revoked the key that you were signed in with.").waitFor()
        })
      })
    )
  })
})
