/** The pages of replays, as a viewer uses them. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { accessibilityFaults, assertQuiet, describeInBrowser } from "../../support/dashboard/browser.ts"
import { checkOnEveryScreen, openSignedIn } from "../../support/dashboard/dashboardPages.ts"
import { DashboardService, dashboardService } from "../../support/dashboard/dashboardService.ts"
import { apiClient } from "../../support/http/apiClient.ts"

const register = Effect.fnUntraced(function* (fields: object = {}) {
  const { liveKey, url } = yield* DashboardService
  const { body } = yield* apiClient(url, liveKey).call("POST", "/v1/webhooks", {
    // Nothing listens there.
    url: "http://127.0.0.1:1/",
    event_types: ["nft.minted"],
    description: "Replayed to",
    ...fields
  })
  return String(body["id"])
})

const replay = Effect.fnUntraced(function* (fields: object) {
  const { liveKey, url } = yield* DashboardService
  const { body } = yield* apiClient(url, liveKey).call("POST", "/v1/replay", fields)
  return String(body["job_id"])
})

const UNKNOWN = `xrpl:7:${"0".repeat(64)}:payment.xrp`

describeInBrowser("the pages of replays", () => {
  layer(dashboardService(), { excludeTestServices: true, timeout: "120 seconds" })("in a browser", (it) => {
    it.effect(
      "count a replay while it is chosen, start it, show its deliveries and list it",
      () =>
        Effect.gen(function* () {
          const { liveKey, closeLedger } = yield* DashboardService
          for (let ledgers = 0; ledgers < 5; ledgers++) yield* closeLedger
          const id = yield* register({ event_types: ["*"] })
          const opened = yield* openSignedIn(liveKey, `/replay/new?webhook_id=${id}`)
          const { page } = opened
          const start = page.getByRole("button", { name: /^Replay [\d\u202f]+ events?$/ })
          yield* Effect.promise(async () => {
            await page.getByRole("table", { name: "Events by type" }).waitFor()
            await start.waitFor()
          })
          assert.deepStrictEqual(yield* accessibilityFaults(page), [])
          yield* Effect.promise(async () => {
            await page.getByText("By event ids").click()
            await page.getByText("Paste at least one event id.").waitFor()
            assert.isTrue(await page.getByRole("button", { name: "Replay", exact: true }).isDisabled())
            await page.getByText("By time and filters").click()
            await page.getByRole("button", { name: "Change Types" }).click()
            await page.getByLabel("Search event types").fill("payment.xrp")
            await page.getByLabel("payment.xrp", { exact: true }).click()
            await page.getByRole("button", { name: "All that is kept" }).click()
            await start.click()
            // Nothing answers, so all of it waits.
            await page.getByRole("heading", { name: /deliveries wait$|delivery waits$/ }).waitFor()
            await page.getByRole("img", { name: /^Of .* waiting, 0 failed\.$/ }).waitFor()
            assert.strictEqual(await page.getByRole("button", { name: "Stop" }).count(), 0)
            await page.getByRole("button", { name: /^Delivered/ }).click()
            await page.getByText("None is delivered.").waitFor()
            await page.getByRole("button", { name: /^Waiting/ }).click()
            await page.getByRole("table", { name: "Deliveries" }).getByRole("link").first().waitFor()
            await page.getByRole("link", { name: "Replays", exact: true }).first().click()
            await page
              .getByRole("link", { name: /^Replay of / })
              .first()
              .waitFor()
            await page.getByRole("button", { name: /^Retries/ }).click()
            await page.getByText("No job matches").waitFor()
          })
          assertQuiet(opened)
        }),
      120_000
    )

    it.effect("stop a job", () =>
      Effect.gen(function* () {
        const { liveKey, url } = yield* DashboardService
        const webhook_id = yield* register()
        const job = yield* replay({ webhook_id, event_ids: [UNKNOWN] })
        // The job ends at once: the page shows one that runs, and the API says when it is cancelled.
        const { page } = yield* openSignedIn(liveKey, "/replay")
        const { body } = yield* apiClient(url, liveKey).call("GET", `/v1/replay/${job}`)
        const cancelled = yield* Effect.promise(async () => {
          let status = "running"
          await page.route(`**/v1/replay/${job}`, (route) => {
            if (route.request().method() === "DELETE") status = "cancelled"
            const finished_at = status === "running" ? null : new Date().toISOString()
            return route.fulfill({ json: { ...body, status, finished_at, cancelled_at: null } })
          })
          await page
            .getByRole("link", { name: /^Replay of / })
            .first()
            .click()
          await page.getByText("0 of 1 sent").first().waitFor()
          await page.getByRole("button", { name: "Stop", exact: true }).click()
          await page.getByRole("dialog").getByRole("button", { name: "Stop it" }).click()
          await page.getByRole("heading", { name: "Stopped after 0 of 1" }).waitFor()
          return status
        })
        assert.strictEqual(cancelled, "cancelled")
      })
    )

    it.effect(
      "show on every screen what they are for, without a fault that axe-core finds",
      () =>
        Effect.gen(function* () {
          const { liveKey } = yield* DashboardService
          const job = yield* replay({ webhook_id: yield* register(), event_ids: [UNKNOWN] })
          yield* checkOnEveryScreen(liveKey, "/replay", ({ page }) =>
            page
              .getByRole("link", { name: /^Replay of / })
              .first()
              .waitFor()
          )
          yield* checkOnEveryScreen(liveKey, "/replay/new", ({ page }) =>
            page.getByText("Which time").waitFor()
          )
          yield* checkOnEveryScreen(liveKey, `/replay/${job}`, ({ page }) =>
            page.getByText("Could not be queued").waitFor()
          )
        }),
      240_000
    )

    it.effect("offer no action to a key that may only read", () =>
      Effect.gen(function* () {
        const { keyWith } = yield* DashboardService
        const opened = yield* openSignedIn(yield* keyWith("live", ["deliveries:read"]), "/replay")
        const { page } = opened
        yield* Effect.promise(async () => {
          await page.getByRole("table", { name: "Replays and retries" }).waitFor()
          assert.strictEqual(await page.getByRole("link", { name: "New replay" }).count(), 0)
        })
        assertQuiet(opened)
        const none = yield* openSignedIn(yield* keyWith("live", ["events:read"]), "/replay/new")
        yield* Effect.promise(() => none.page.getByText("This key may not replay events").waitFor())
        assertQuiet(none)
      })
    )

    it.effect("say why a replay was refused", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { page } = yield* openSignedIn(liveKey, `/replay/new?webhook_id=${yield* register()}`)
        yield* Effect.promise(async () => {
          await page.getByText("By event ids").click()
          await page.getByLabel("Event ids", { exact: true }).fill("xrpl:1")
          await page.getByText(/^event_ids\[0\] must be an event id/).waitFor()
        })
      })
    )
  })
})
