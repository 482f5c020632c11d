/** The pages of deliveries, as a viewer uses them. */
import { spawnSync } from "node:child_process"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { assertQuiet, describeInBrowser, type OpenPage } from "../../support/dashboard/browser.ts"
import { checkOnEveryScreen, openSignedIn } from "../../support/dashboard/dashboardPages.ts"
import { HOSTILE_SHOWN, LONG, Receivers, receivers } from "../../support/dashboard/dashboardReceivers.ts"
import { DashboardService, dashboardService } from "../../support/dashboard/dashboardService.ts"
import { allDeliveries, apiClient, waitUntil } from "../../support/http/apiClient.ts"

/** The service's own retry is an hour away, so that the test is the one who retries. */
const world = receivers.pipe(Layer.provideMerge(dashboardService({ DELIVERY_RETRY_DELAYS: "1h" })))

/** A row of the list; the filters have the same word. */
const retrying = (page: Page) => page.getByRole("table").getByText("retrying").first()

/** Loads another page. Its requests that are under way end without a response. */
const leave = async (opened: OpenPage, load: () => Promise<unknown>) => {
  assertQuiet(opened)
  await load()
  opened.forget()
}

const CHECK_MS = 240_000

describeInBrowser("the pages of deliveries", () => {
  layer(world, { excludeTestServices: true, timeout: "120 seconds" })("in a browser", (it) => {
    it.effect(
      "show on every screen what they are for, without a fault that axe-core finds",
      () =>
        Effect.gen(function* () {
          const { liveKey } = yield* DashboardService
          const { failing, happen } = yield* Receivers
          yield* happen
          const path = `/deliveries?webhook_id=${failing.webhook.id}`
          yield* checkOnEveryScreen(liveKey, path, ({ page }) => retrying(page).waitFor())
          yield* checkOnEveryScreen(liveKey, path, async ({ page }) => {
            await page.getByRole("button", { name: "Retry all that match…" }).click()
            await page.getByText(/deliver(y matches|ies match)/).waitFor()
          })
          const detail = `/deliveries/${failing.received[0]!.deliveryId}`
          yield* checkOnEveryScreen(liveKey, detail, async ({ page }) => {
            await page.getByText("Verify the signature").waitFor()
            await page.getByLabel(/^the response of attempt/).waitFor()
          })
        }),
      CHECK_MS
    )

    it.effect("keep the filters in the address, so that a link shows the same list", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { happen } = yield* Receivers
        yield* happen
        const opened = yield* openSignedIn(liveKey, "/deliveries")
        const { page } = opened
        yield* Effect.promise(async () => {
          const table = page.getByRole("table", { name: "Deliveries" })
          await table.getByText("delivered").first().waitFor()
          const filters = page.getByRole("search")
          await filters.getByRole("button", { name: /^Retrying/ }).click()
          await filters.getByRole("button", { name: "Webhook" }).click()
          await page.getByRole("combobox", { name: "Webhook" }).fill("Failing")
          await page.getByRole("option", { name: /Failing/ }).click()
          await filters.getByRole("button", { name: "More" }).click()
          await page.getByLabel("Created after").fill("2020-01-02T03:04")
          await page.getByLabel("Created after").press("Enter")
          await page.waitForURL(/since=/)
          await table.getByText("delivered").first().waitFor({ state: "detached" })
          assert.match(page.url(), /status=retrying/)
          assert.match(page.url(), /webhook_id=wh_/)
          await leave(opened, () => page.reload())
          await table.getByText("retrying").first().waitFor()
          await filters.getByText("Created: since 2 Jan, 03:04").waitFor()
          await filters.getByRole("button", { name: "More" }).click()
          assert.strictEqual(await page.getByLabel("Created after").inputValue(), "2020-01-02T03:04")
          await page.keyboard.press("Escape")
          await filters.getByRole("button", { name: "Type" }).click()
          await page.getByRole("combobox", { name: "Event type" }).fill("check")
          await page.getByRole("option", { name: "check.* (all)" }).click()
          await page.waitForURL(/event_type=check/)
          await page.getByRole("button", { name: "Clear filters" }).click()
          await table.getByText("delivered").first().waitFor()
          assert.strictEqual(new URL(page.url()).search, "")
        })
        assertQuiet(opened)
      })
    )

    it.effect("show new deliveries until the viewer pauses", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { accepting, happen } = yield* Receivers
        yield* happen
        const { page } = yield* openSignedIn(liveKey, `/deliveries?webhook_id=${accepting.webhook.id}`)
        yield* Effect.promise(async () => {
          await page.getByRole("table").getByText("delivered").first().waitFor()
          await page.getByText("live", { exact: true }).waitFor()
        })
        yield* happen
        const id = accepting.received.at(-1)!.deliveryId
        yield* Effect.promise(async () => {
          await page.locator(`a[title="${id}"]`).waitFor({ state: "attached" })
          await page.getByRole("button", { name: "Pause" }).click()
          await page.getByText("paused", { exact: true }).waitFor()
          await page.getByRole("button", { name: "Resume" }).click()
        })
      })
    )

    it.effect("show a hostile response and description as text, marks made visible", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { failing, happen } = yield* Receivers
        yield* happen
        const opened = yield* openSignedIn(liveKey, `/deliveries/${failing.received[0]!.deliveryId}`)
        const { page } = opened
        yield* Effect.promise(async () => {
          await page.getByText(`Failing ${HOSTILE_SHOWN}`).waitFor()
          const body = page.getByLabel(/^the response of attempt/).locator("code")
          const shown = (await body.textContent()) ?? ""
          assert.strictEqual(shown.slice(0, HOSTILE_SHOWN.length), HOSTILE_SHOWN)
          assert.include(shown, LONG.slice(0, 1_000))
          await page.getByText("x-hostile: <script>").first().waitFor()
          assert.isUndefined(await page.evaluate("window.hacked"))
        })
        assertQuiet(opened)
      })
    )

    it.effect("offer a program that computes the very signature that the receiver got", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { accepting, happen } = yield* Receivers
        yield* happen
        const received = accepting.received[0]!
        const { page } = yield* openSignedIn(liveKey, `/deliveries/${received.deliveryId}`)
        const program = yield* Effect.promise(async () => {
          await page.getByText("Node.js").click()
          const block = page.getByLabel("the program for X-Service-Signature", { exact: true })
          await block.getByText("createHmac").waitFor()
          return block.locator("pre").textContent()
        })
        const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", program!], {
          env: { SECRET: accepting.webhook.secret },
          encoding: "utf8"
        })
        assert.strictEqual(stdout.trim(), received.headers["x-service-signature"])
      })
    )

    it.effect("show the body exactly as it is sent on demand", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { accepting, happen } = yield* Receivers
        yield* happen
        const received = accepting.received[0]!
        const { page } = yield* openSignedIn(liveKey, `/deliveries/${received.deliveryId}`)
        yield* Effect.promise(async () => {
          const body = page.getByLabel("the request", { exact: true }).locator("code")
          await body.waitFor()
          assert.strictEqual(await body.textContent(), JSON.stringify(JSON.parse(received.body), null, 2))
          await page.getByRole("switch", { name: "Body exactly as it is sent" }).click()
          assert.strictEqual(await body.textContent(), received.body)
        })
      })
    )

    it.effect(
      "hide the actions that a read-only key may not take, and the list from a key without its scope",
      () =>
        Effect.gen(function* () {
          const { keyWith } = yield* DashboardService
          const { happen } = yield* Receivers
          yield* happen
          const reader = yield* openSignedIn(yield* keyWith("live", ["deliveries:read"]), "/deliveries")
          yield* Effect.promise(async () => {
            await retrying(reader.page).waitFor()
            assert.strictEqual(await reader.page.getByRole("button", { name: /^Retry\b/ }).count(), 0)
            await reader.page
              .getByRole("row")
              .filter({ hasText: "retrying" })
              .first()
              .getByRole("link")
              .first()
              .click()
            await reader.page.getByRole("button", { name: "Attempt 1", exact: true }).waitFor()
            assert.strictEqual(await reader.page.getByRole("button", { name: /^Retry\b/ }).count(), 0)
          })
          assertQuiet(reader)
          const stranger = yield* openSignedIn(yield* keyWith("live", ["events:read"]), "/deliveries")
          yield* Effect.promise(() => stranger.page.getByText("scope deliveries:read").waitFor())
          assertQuiet(stranger)
        })
    )

    it.effect("say what failed, beside what failed, when the service answers 500", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { failing, happen } = yield* Receivers
        yield* happen
        const { page } = yield* openSignedIn(liveKey, `/deliveries/${failing.received[0]!.deliveryId}`)
        yield* Effect.promise(async () => {
          const refuse = {
            status: 500,
            json: { error: { code: "INTERNAL_ERROR", message: "Disk of paper." } }
          }
          await page.route("**/retry", (route) => route.fulfill(refuse))
          await page.getByRole("button", { name: "Retry now" }).click()
          await page.getByText("Disk of paper.").waitFor()
          const refuseList = {
            status: 500,
            json: { error: { code: "INTERNAL_ERROR", message: "List of paper." } }
          }
          await page.route("**/v1/deliveries?*", (route) => route.fulfill(refuseList))
          await page.getByRole("link", { name: "Deliveries", exact: true }).first().click()
          await page.getByText("List of paper.").waitFor()
          await page.unroute("**/v1/deliveries?*")
          await page.getByRole("button", { name: "Try again" }).click()
          await retrying(page).waitFor()
          await page.goto(page.url().replace(/\?.*|$/, "/dlv_01M84HFC8T00009N96AHDACZMJ"))
          await page.getByText("There is no such thing").waitFor()
        })
      })
    )

    it.effect(
      "retry one delivery, then all that match, after a preview",
      () =>
        Effect.gen(function* () {
          const { liveKey, url } = yield* DashboardService
          const { breakAgain, failing, happen, repair } = yield* Receivers
          yield* breakAgain
          const ledger = yield* happen
          const failed = new Set(
            failing.received
              .filter(({ event }) => event["ledger_index"] === ledger)
              .map(({ deliveryId }) => deliveryId)
          )
          const [id] = failed
          // A retry of all takes those that are recorded as failed.
          yield* waitUntil(
            Effect.map(
              allDeliveries(apiClient(url, liveKey)),
              (all) =>
                all.filter((one) => failed.has(one.id) && one.status === "retrying").length === failed.size
            ),
            "60 seconds"
          )
          yield* repair
          const before = failing.received.length
          const opened = yield* openSignedIn(liveKey, `/deliveries/${id}`)
          const { page } = opened
          yield* Effect.promise(async () => {
            await page.getByRole("button", { name: "Retry now" }).click()
            await page.getByText("Delivered: HTTP 200").waitFor()
            await page.getByRole("button", { name: "Retry now" }).waitFor({ state: "detached" })
            const list = `${new URL(page.url()).origin}/deliveries?webhook_id=${failing.webhook.id}`
            await leave(opened, () => page.goto(list))
            await page.getByRole("button", { name: "Retry all that match…" }).click()
            await page.getByRole("button", { name: /^Retry \d+ deliver/ }).click()
            await page.getByText("will be retried").waitFor()
          })
          yield* failing.until((received) => {
            const repaired = new Set(received.slice(before).map(({ deliveryId }) => deliveryId))
            return [...failed].every((one) => repaired.has(one))
          })
          yield* Effect.promise(async () => {
            await page.getByRole("link", { name: "Watch the job" }).click()
            await page.waitForURL("**/replay/rpl_job_*")
          })
          assertQuiet(opened)
        }),
      CHECK_MS
    )
  })
})
