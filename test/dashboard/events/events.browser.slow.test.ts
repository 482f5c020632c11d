/** The pages of events, as a viewer uses them. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { xrp } from "../../../dashboard/src/features/events/amounts.ts"
import { assertQuiet, describeInBrowser } from "../../support/dashboard/browser.ts"
import { checkOnEveryScreen, openSignedIn } from "../../support/dashboard/dashboardPages.ts"
import {
  HOSTILE,
  HOSTILE_SHOWN,
  LONG,
  Receivers,
  receivers
} from "../../support/dashboard/dashboardReceivers.ts"
import { DashboardService, dashboardService } from "../../support/dashboard/dashboardService.ts"
import { apiClient, waitUntil } from "../../support/http/apiClient.ts"

const world = receivers.pipe(Layer.provideMerge(dashboardService()))

const CHECK_MS = 240_000

/** The newest payment of XRP, as the accepting receiver got it. Closes ledgers until there is one. */
const payment = Effect.gen(function* () {
  const { liveKey, url } = yield* DashboardService
  const { accepting, happen } = yield* Receivers
  const find = () => accepting.received.findLast(({ event }) => event.event_type === "payment.xrp")?.event
  while (find() === undefined) yield* happen
  const { event_id, payload } = find()!
  // A page that is opened before the event can be found would not look again.
  yield* waitUntil(
    Effect.map(
      apiClient(url, liveKey).call("GET", `/v1/events/${encodeURIComponent(event_id)}`),
      ({ status }) => status === 200
    ),
    "30 seconds"
  )
  return { id: event_id, payload: payload as { amount: string; sender: string; tx_hash: string } }
})

describeInBrowser("the pages of events", () => {
  layer(world, { excludeTestServices: true, timeout: "120 seconds" })("in a browser", (it) => {
    it.effect(
      "show on every screen what they are for, without a fault that axe-core finds",
      () =>
        Effect.gen(function* () {
          const { liveKey } = yield* DashboardService
          const { id } = yield* payment
          yield* checkOnEveryScreen(liveKey, "/events", ({ page }) =>
            page.getByRole("table").getByText("payment.xrp").first().waitFor()
          )
          yield* checkOnEveryScreen(liveKey, "/events?event_type=payment.xrp,nft.*", async ({ page }) => {
            await page.getByRole("table").getByText("payment.xrp").first().waitFor()
            const filters = page.getByRole("button", { name: "Filters (1 set)" })
            if (await filters.isVisible()) await filters.click()
            await page.getByRole("combobox", { name: "Event types" }).click()
            await page.getByRole("option", { name: "nft.* (all)", selected: true }).waitFor()
          })
          yield* checkOnEveryScreen(liveKey, `/events/${encodeURIComponent(id)}`, async ({ page }) => {
            await page.getByText("Other types only").click()
            await page.getByText("Not concerned").waitFor()
          })
        }),
      CHECK_MS
    )

    it.effect("keep the filters in the address, and lead from an account to its events", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { id, payload } = yield* payment
        const opened = yield* openSignedIn(liveKey, "/events")
        const { page } = opened
        yield* Effect.promise(async () => {
          const table = page.getByRole("table", { name: "Events" })
          await table.getByRole("link").first().waitFor()
          await page.getByRole("combobox", { name: "Event types" }).fill("payment.xrp")
          await page.getByRole("option", { name: "payment.xrp" }).click()
          await page.waitForURL(/event_type=payment\.xrp(&|$)/)
          await page.getByLabel("From ledger").fill("1")
          await page.getByLabel("From ledger").press("Enter")
          await page.waitForURL(/ledger_index_min=1(&|$)/)
          await page.getByLabel("Before").fill("2020-01-02T03:04")
          await page.getByLabel("Before").press("Enter")
          await page.getByText("No event matches").waitFor()
          await page.getByRole("button", { name: "Clear filters" }).click()
          await table.locator(`a[title="${id}"]`).click()
          await page.getByTitle(`${payload.sender}: events of this account`).click()
          await page.waitForURL(new RegExp(`account=${payload.sender}`))
          await table.locator(`a[title="${id}"]`).waitFor()
          assert.strictEqual(await page.getByLabel("Account", { exact: true }).inputValue(), payload.sender)
        })
        assertQuiet(opened)
      })
    )

    it.effect("of several types are chosen with the keyboard, and shared by the address", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { id } = yield* payment
        const opened = yield* openSignedIn(liveKey, "/events")
        const { page } = opened
        yield* Effect.promise(async () => {
          const payment = page.getByRole("table", { name: "Events" }).locator(`a[title="${id}"]`)
          await payment.waitFor()
          const types = page.getByRole("combobox", { name: "Event types" })
          const choose = async (text: string) => {
            await types.pressSequentially(text)
            await types.press("ArrowDown")
            await types.press("Enter")
          }
          await choose("nft.*")
          await payment.waitFor({ state: "detached" })
          await choose("payment.xrp")
          await payment.waitFor()
          await page.waitForURL(/event_type=nft\.\*(,|%2C)payment\.xrp(&|$)/)
          assertQuiet(opened)
          await page.reload()
          opened.forget()
          await payment.waitFor()
          await page.getByRole("search").getByText("nft.* (all)", { exact: true }).first().waitFor()
          await types.press("Backspace")
          await page.waitForURL(/event_type=nft\.\*(&|$)/)
          await types.press("Backspace")
          await page.waitForURL(/\/events$/)
          await payment.waitFor()
        })
        assertQuiet(opened)
      })
    )

    it.effect("show the exact amount, which webhooks got the event, and why another did not", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { id, payload } = yield* payment
        const opened = yield* openSignedIn(liveKey, `/events/${encodeURIComponent(id)}`)
        const { page } = opened
        yield* Effect.promise(async () => {
          await page.getByRole("heading", { name: `${xrp(payload.amount)} paid` }).waitFor()
          await page.getByText(`"amount": "${payload.amount}"`).waitFor()
          await page.getByText("Fields", { exact: true }).click()
          await page.getByText(xrp(payload.amount)!, { exact: true }).waitFor()
          await page.getByRole("heading", { name: "2 webhooks want it" }).waitFor()
          await page.getByRole("heading", { name: "1 does not" }).waitFor()
          const receivers = page.locator("li")
          const accepted = receivers.filter({ hasText: "Accepting" })
          await accepted.getByText("Delivered").waitFor()
          await accepted.getByText("first attempt, HTTP 200").waitFor()
          const failing = receivers.filter({ hasText: `Failing ${HOSTILE_SHOWN}` })
          await failing.getByText(/attempts?, HTTP 503; next at \d/).waitFor()
          await page.getByText("Other types only").click()
          await receivers.filter({ hasText: "Not concerned" }).getByText("Wants account.deleted.").waitFor()
          const explorer = page.getByRole("link", { name: /public explorer/ })
          assert.strictEqual(
            await explorer.getAttribute("href"),
            `https://livenet.xrpl.org/transactions/${payload.tx_hash}`
          )
          assert.strictEqual(await explorer.getAttribute("rel"), "noreferrer noopener")
          await accepted.getByRole("link", { name: "Accepting" }).click()
          await page.getByText("Verify the signature").waitFor()
        })
        assertQuiet(opened)
      })
    )

    it.effect("send an event again to a webhook that did not want it, and copy its id", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { id } = yield* payment
        const opened = yield* openSignedIn(liveKey, `/events/${encodeURIComponent(id)}`, {
          permissions: ["clipboard-read", "clipboard-write"]
        })
        const { page } = opened
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Copy id" }).click()
          await page.getByRole("button", { name: "Copied" }).waitFor()
          assert.strictEqual(await page.evaluate("navigator.clipboard.readText()"), id)
          await page.getByRole("button", { name: "Replay to…" }).click()
          const dialog = page.getByRole("dialog")
          await dialog.getByRole("combobox", { name: "Webhook" }).click()
          await dialog.getByRole("option", { name: "Not concerned" }).click()
          await dialog.getByRole("button", { name: "Replay the event" }).click()
          await dialog.getByRole("link", { name: "Watch it" }).click()
          await page.waitForURL(/\/replay\/rpl_job_/)
        })
        assertQuiet(opened)
      })
    )

    it.effect("show new events while Live is on", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { accepting, happen } = yield* Receivers
        yield* happen
        const { page } = yield* openSignedIn(liveKey, "/events")
        yield* Effect.promise(async () => {
          await page.getByRole("table").getByRole("link").first().waitFor()
          await page.getByRole("switch", { name: "Live" }).click()
        })
        yield* happen
        const { event_id } = accepting.received.at(-1)!.event
        yield* Effect.promise(() => page.locator(`a[title="${event_id}"]`).waitFor({ state: "attached" }))
      })
    )

    it.effect("show a payload with a script, hidden marks and 10,000 characters as text", () =>
      Effect.gen(function* () {
        const { liveKey, url } = yield* DashboardService
        const { id } = yield* payment
        const { body } = yield* apiClient(url, liveKey).call("GET", `/v1/events/${encodeURIComponent(id)}`)
        const { page, ...faults } = yield* openSignedIn(liveKey, "/account", {
          viewport: { width: 360, height: 740 }
        })
        yield* Effect.promise(async () => {
          const uri = Buffer.from(HOSTILE).toString("hex")
          const hostile = { tx_hash: LONG, memo: HOSTILE, uri, list: [HOSTILE], amount: HOSTILE }
          await page.route("**/v1/events/xrpl*", (route) =>
            route.fulfill({ json: { ...body, payload: hostile } })
          )
          await page.evaluate(`history.pushState(null, "", "/events/${encodeURIComponent(id)}")`)
          await page.evaluate("dispatchEvent(new PopStateEvent('popstate'))")
          await page.getByRole("button", { name: /^Show all .* characters/ }).click()
          assert.include(await page.locator("pre").last().textContent(), LONG)
          await page.getByText("Fields", { exact: true }).click()
          await page.getByText(HOSTILE_SHOWN, { exact: true }).nth(2).waitFor()
          assert.isUndefined(await page.evaluate("window.hacked"))
          assert.isAtMost(await page.evaluate<number>("document.documentElement.scrollWidth"), 360)
        })
        assertQuiet({ page, ...faults })
      })
    )

    it.effect("say what a key may not see, and that an event does not exist", () =>
      Effect.gen(function* () {
        const { keyWith } = yield* DashboardService
        const { id } = yield* payment
        const path = `/events/${encodeURIComponent(id)}`
        const reader = yield* openSignedIn(yield* keyWith("live", ["events:read"]), path)
        yield* Effect.promise(() => reader.page.getByText("scope deliveries:read").waitFor())
        assertQuiet(reader)
        const stranger = yield* openSignedIn(yield* keyWith("live", ["deliveries:read"]), path)
        yield* Effect.promise(() => stranger.page.getByText("scope events:read").waitFor())
        assertQuiet(stranger)
        const unknown = `/events/${encodeURIComponent(id.replace(/\d+/, "7"))}`
        const { page } = yield* openSignedIn(yield* keyWith("live", ["events:read"]), unknown)
        yield* Effect.promise(() => page.getByText("There is no such thing").waitFor())
      })
    )

    it.effect("say what failed when the service answers 500, and show the rest", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { id } = yield* payment
        const { page } = yield* openSignedIn(liveKey, "/events")
        yield* Effect.promise(async () => {
          await page.route("**/v1/explain*", (route) =>
            route.fulfill({
              status: 500,
              json: { error: { code: "INTERNAL_ERROR", message: "Disk of paper." } }
            })
          )
          await page.locator(`a[title="${id}"]`).click()
          await page.getByRole("heading", { name: /paid$/ }).waitFor()
          await page.getByText("Disk of paper.").waitFor()
          await page.unroute("**/v1/explain*")
          await page.getByRole("button", { name: "Try again" }).click()
          await page.getByText("Other types only").waitFor()
        })
      })
    )
  })
})
