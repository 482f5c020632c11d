/** Incidents, as a viewer uses them: from the calendar to the incident, its cause, its deliveries, and the repair. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { accessibilityFaults, assertQuiet, describeInBrowser } from "../../support/dashboard/browser.ts"
import { checkOnEveryScreen, openSignedIn } from "../../support/dashboard/dashboardPages.ts"
import { Receivers, receivers } from "../../support/dashboard/dashboardReceivers.ts"
import { DashboardService, dashboardService } from "../../support/dashboard/dashboardService.ts"
import { eventually } from "../../support/deliver/delivering.ts"
import { apiClient } from "../../support/http/apiClient.ts"

const world = receivers.pipe(Layer.provideMerge(dashboardService()))

/** The open incident of the failing receiver, once there is one. */
const incident = Effect.gen(function* () {
  const { liveKey, url } = yield* DashboardService
  const { breakAgain, happen } = yield* Receivers
  yield* breakAgain
  yield* happen
  let id = ""
  yield* eventually(
    Effect.gen(function* () {
      const { body } = yield* apiClient(url, liveKey).call("GET", "/v1/incidents")
      const incidents = Object(body["data"]) as ReadonlyArray<{
        readonly id: string
        readonly ended_at: unknown
      }>
      id = incidents.find(({ ended_at }) => ended_at === null)?.id ?? ""
      assert.notStrictEqual(id, "")
    })
  )
  return id
})

describeInBrowser("the pages of incidents", () => {
  layer(world, { excludeTestServices: true, timeout: "120 seconds" })("in a browser", (it) => {
    it.effect(
      "show on every screen what they are for, without a fault that axe-core finds",
      () =>
        Effect.gen(function* () {
          const { liveKey } = yield* DashboardService
          const id = yield* incident
          yield* checkOnEveryScreen(liveKey, "/incidents", async ({ page }) => {
            await page.getByRole("heading", { name: "1 incident is open" }).waitFor()
            await page.getByRole("table", { name: "Incidents" }).getByRole("link").waitFor()
          })
          yield* checkOnEveryScreen(liveKey, `/incidents/${id}`, async ({ page }) => {
            await page.getByRole("heading", { name: /^Down for .* wait$/ }).waitFor()
            await page
              .getByRole("img", { name: /attempts?: failed at/ })
              .first()
              .waitFor()
          })
        }),
      240_000
    )

    it.effect("are in lists that the address filters, and say when none is there", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { accepting } = yield* Receivers
        yield* incident
        const opened = yield* openSignedIn(liveKey, `/incidents?webhook_id=${accepting.webhook.id}`)
        yield* Effect.promise(async () => {
          await opened.page.getByText("No incident matches").waitFor()
          await opened.page.getByRole("button", { name: "Clear filters" }).click()
          await opened.page.getByRole("table", { name: "Incidents" }).getByRole("link").waitFor()
        })
        assertQuiet(opened)
      })
    )

    it.effect(
      "lead from the overview by the keyboard alone to the retry that ends them",
      () =>
        Effect.gen(function* () {
          const { liveKey } = yield* DashboardService
          const { repair } = yield* Receivers
          const id = yield* incident
          const opened = yield* openSignedIn(liveKey, "/")
          const { page } = opened
          const calendar = page.getByRole("group", { name: /^The last 90 days/ })
          yield* Effect.promise(async () => {
            // Until the webhooks are known, the incident has the id of its webhook.
            const cell = calendar
              .getByRole("link", { name: /^Failing .* so far: HTTP 503$/ })
              .and(page.locator(`[href$="/${id}"]`))
            await cell.waitFor()
            // Only a focus that the keyboard has moved is shown.
            await cell.focus()
            await page.keyboard.press("Shift+Tab")
            await page.keyboard.press("Tab")
            await page.getByRole("tooltip").waitFor()
            await page.keyboard.press("Enter")
            await page.waitForURL(`**/incidents/${id}`)
            await page.getByText("The server answers, but says that it is overloaded or down.").waitFor()
          })
          assert.deepStrictEqual(yield* accessibilityFaults(page), [])
          yield* repair
          yield* Effect.promise(async () => {
            await page.getByRole("button", { name: /^Retry \d+ now$/ }).focus()
            await page.keyboard.press("Enter")
            await page.waitForURL("**/replay/rpl_job_*")
            await page.getByRole("heading", { name: /^All .* delivered$/ }).waitFor()
            await page.goBack()
            await page.getByRole("heading", { name: /^Down for .* all .* delivered$/ }).waitFor()
            // An attempt by schedule may come first.
            await page.getByText(/^(A retry|An attempt) was answered$/).waitFor()
          })
          assertQuiet(opened)
        }),
      120_000
    )
  })
})
