/** The first steps in a browser: from a service without a webhook to the first event, before the viewer's eyes. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { accessibilityFaults, assertQuiet, describeInBrowser } from "../../support/dashboard/browser.ts"
import { checkOnEveryScreen, openSignedIn } from "../../support/dashboard/dashboardPages.ts"
import { DashboardService, dashboardService } from "../../support/dashboard/dashboardService.ts"
import { makeReceiver } from "../../support/deliver/receiver.ts"

// Each test has a service of its own, because a service has its first webhook once.
describeInBrowser("the first steps", () => {
  it.live(
    "lead from a service without a webhook to the first event",
    () =>
      Effect.gen(function* () {
        const faults: Array<string> = []
        const { testKey } = yield* DashboardService
        const receiver = yield* makeReceiver()
        yield* checkOnEveryScreen(testKey, "/", ({ page }) => page.getByText("What arrives").waitFor())
        const opened = yield* openSignedIn(testKey)
        const { page } = opened
        const faultsNow = () => Effect.runPromise(accessibilityFaults(page))
        const button = (name: string) => page.getByRole("button", { name, exact: true })
        const heading = (name: string) => page.getByRole("heading", { name, level: 1 })
        yield* Effect.promise(async () => {
          await heading("Three steps to your first webhook").waitFor()
          await page.getByText("npx ledgerhook listen --port 4000").waitFor()
          await page.getByLabel("Address").fill("ftp://127.0.0.1/")
          await button("Create webhook").click()
          await page.getByText(/^url must be/).waitFor()
          opened.forget()
          await page.getByLabel("Address").fill(receiver.url)
          await button("Everything").click()
          assert.strictEqual(await button("Payments").getAttribute("aria-pressed"), "false")
          await button("Create webhook").click()
          await page.getByText(/^whsec_/).waitFor()
          await page.getByText(/listen --port 4000 --secret whsec_/).waitFor()
          faults.push(...(await faultsNow()))
          await button("I have stored it").click()
          await heading("The first event has arrived").waitFor()
          await page.getByText("HTTP 200").waitFor()
          await page.getByText(/"event_type":/).waitFor()
          faults.push(...(await faultsNow()))
        })
        assert.strictEqual(receiver.received[0]!.event["network"], "testnet")
        yield* Effect.promise(async () => {
          await page.getByRole("link", { name: "Go to the webhook" }).click()
          await heading("First try").waitFor()
          await page.getByRole("link", { name: "Overview" }).click()
          await heading("The webhook is healthy").waitFor()
        })
        assert.deepStrictEqual(faults, [])
        assertQuiet(opened)
      }).pipe(Effect.provide(dashboardService())),
    120_000
  )

  it.live(
    "wait for an event after a reload, and say why the receiver did not accept it",
    () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const opened = yield* openSignedIn(liveKey)
        const { page } = opened
        const button = (name: string) => page.getByRole("button", { name, exact: true })
        yield* Effect.promise(async () => {
          await page.getByText(/This key sees mainnet/).waitFor()
          await page.getByLabel("Address").fill("http://127.0.0.1:1/")
          await button("Create webhook").click()
          await button("I have stored it").click()
          await page.reload()
          await page.getByRole("heading", { name: "Waiting for the first event" }).waitFor()
          await page.getByText("Nothing arrives?").click()
          await page.getByText(/Is the receiver running/).waitFor()
        })
        assert.deepStrictEqual(yield* accessibilityFaults(page), [])
        yield* Effect.promise(async () => {
          await button("Send a test event").click()
          await button("Send it").click()
          await page.getByRole("dialog").getByText("connection refused").waitFor()
          await button("Close").click()
          await page.getByRole("heading", { name: "The first event was not accepted" }).waitFor()
          await page.getByText(/Nothing listens at 127\.0\.0\.1:1/).waitFor()
        })
      }).pipe(Effect.provide(dashboardService())),
    120_000
  )
})
