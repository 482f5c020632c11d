/** The pages of replays, as a viewer uses them. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { apiClient } from "../support/apiClient.ts"
import { accessibilityFaults, assertQuiet, describeInBrowser } from "../support/browser.ts"
import { checkOnEveryScreen, openSignedIn } from "../support/dashboardPages.ts"
import { DashboardService, dashboardService } from "../support/dashboardService.ts"

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
  layer(dashboardService(), { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect(
      "count a replay, start it, follow it to its end and list it",
      () =>
        Effect.gen(function* () {
          const { liveKey, closeLedger } = yield* DashboardService
          for (let ledgers = 0; ledgers < 5; ledgers++) yield* closeLedger
          const id = yield* register()
          const opened = yield* openSignedIn(liveKey, `/replay/new?webhook_id=${id}`)
          const { page } = opened
          yield* Effect.promise(async () => {
            await page.getByRole("button", { name: "Count the events first" }).click()
            await page.getByText("The replay would send").waitFor()
            await page.getByRole("table", { name: "Events by type" }).waitFor()
          })
          assert.deepStrictEqual(yield* accessibilityFaults(page), [])
          yield* Effect.promise(async () => {
            // The count was of other events.
            await page.getByText("By event ids").click()
            assert.strictEqual(await page.getByText("The replay would send").count(), 0)
            await page.getByRole("button", { name: "Start the replay" }).click()
            await page.getByText("Paste at least one event id.").waitFor()
            await page.getByText("By time and filters").click()
            await page.getByRole("button", { name: "Start the replay" }).click()
            await page.getByText("Completed", { exact: true }).first().waitFor()
            await page.getByText("100%").waitFor()
            assert.strictEqual(await page.getByRole("button", { name: "Cancel the job" }).count(), 0)
            await page.getByRole("link", { name: "Replays", exact: true }).first().click()
            await page.getByRole("link", { name: /^Replay, / }).waitFor()
          })
          assertQuiet(opened)
        }),
      120_000
    )

    it.effect("cancel a job", () =>
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
            return route.fulfill({ json: { ...body, status, progress_percent: 40, cancelled_at: null } })
          })
          await page
            .getByRole("link", { name: /^Replay, / })
            .first()
            .click()
          await page.getByText("40%").waitFor()
          await page.getByRole("button", { name: "Cancel the job" }).click()
          await page.getByRole("dialog").getByRole("button", { name: "Cancel the job" }).click()
          await page.getByText("Cancelled", { exact: true }).waitFor()
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
              .getByRole("link", { name: /^Replay, / })
              .first()
              .waitFor()
          )
          yield* checkOnEveryScreen(liveKey, "/replay/new", ({ page }) =>
            page.getByText("Ledgers closed after").waitFor()
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
          await page.getByRole("heading", { name: "Replays" }).waitFor()
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
          await page.getByRole("button", { name: "Count the events first" }).click()
          await page.getByText(/^event_ids\[0\] must be an event id/).waitFor()
        })
      })
    )
  })
})
