/** The form of a webhook, as a viewer uses it: types, accounts, the builder of payload filters, faults, leaving. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { addressOfAccountId } from "../../../src/spine/event/AccountId.ts"
import { accessibilityFaults, assertQuiet, describeInBrowser } from "../../support/dashboard/browser.ts"
import { checkOnEveryScreen, openSignedIn } from "../../support/dashboard/dashboardPages.ts"
import { DashboardService, dashboardService } from "../../support/dashboard/dashboardService.ts"
import { apiClient, waitUntil } from "../../support/http/apiClient.ts"

const ACCOUNTS = 1_204
const X_ADDRESS = "X7TYFSeMMWzmBJDgxLiXsy6a4wWVxf5jieKsTnBCKPZKpG6"

const account = (number: number): string => {
  const bytes = Buffer.alloc(20, 7)
  bytes.writeUInt32BE(number + 1, 10)
  return addressOfAccountId(bytes.toString("hex"))
}
const accounts = Array.from({ length: ACCOUNTS }, (_, number) => account(number))

/** Closes ledgers until the event index has payments. */
const ledgers = Effect.gen(function* () {
  const { closeLedger, liveKey, url } = yield* DashboardService
  const counted = apiClient(url, liveKey).call("GET", "/v1/events/counts")
  yield* waitUntil(
    Effect.map(Effect.andThen(closeLedger, counted), ({ body }) =>
      JSON.stringify(body).includes("payment.xrp")
    ),
    "30 seconds"
  )
})

const choose = async (page: Page, label: string, option: string) => {
  await page
    .getByRole("combobox", { name: label })
    .or(page.getByRole("textbox", { name: label }))
    .first()
    .click()
  await page.getByRole("option", { name: option }).first().click()
}

describeInBrowser("the form of a webhook", () => {
  layer(dashboardService(), { excludeTestServices: true, timeout: "120 seconds" })("in a browser", (it) => {
    it.effect(
      "counts types, takes accounts by the thousand, builds a filter, and makes the webhook",
      () =>
        Effect.gen(function* () {
          const { liveKey, url } = yield* DashboardService
          yield* ledgers
          const opened = yield* openSignedIn(liveKey, "/webhooks/new")
          const { page } = opened
          const button = (name: string) => page.getByRole("button", { name, exact: true })
          const created = yield* Effect.promise(async () => {
            await page.getByLabel("Address", { exact: true }).fill("http://127.0.0.1:1/large")
            await page.getByLabel(/^Name as/).fill("Large deposits")
            await page.getByText("on mainnet, last 24 h").waitFor()
            await page.getByText("No event type is chosen yet.").waitFor()
            await page.getByLabel("Search event types").fill("payment")
            await page.getByLabel("payment.xrp", { exact: true }).check()
            await page.getByLabel("Search event types").fill("")
            await page.getByText("1 of 23 types: payment.xrp").waitFor()
            await page.getByText(/^About \d+ events? a day,$/).waitFor()

            // Accounts.
            await page.getByText("Only these", { exact: true }).click()
            await page
              .getByLabel("Accounts to add")
              .fill(`${accounts.join("\n")} ${accounts[0]} rWrong ${X_ADDRESS}`)
            await button("Add").click()
            await page.getByText("1 204 added, 1 was there already".replace(" ", "\u202f")).waitFor()
            await page.getByText("2 were refused:").waitFor()
            await page.getByText("has 6 characters; an address has 25 to 35").waitFor()
            await button("Add its account").click()
            await page.getByText("1 205 accounts".replace(" ", "\u202f")).waitFor()
            assert.isBelow(await page.getByRole("button", { name: /^Remove r/ }).count(), 60)
            await page.getByLabel("Find in the list").fill(accounts[700]!)
            await button(`Remove ${accounts[700]}`).click()
            await page.getByText("No account has this in its address.").waitFor()
            await page.getByLabel("Find in the list").fill("")
            await page.getByText("1 204 accounts".replace(" ", "\u202f")).waitFor()
            await page.locator("input[type=file]").setInputFiles({
              name: "accounts.csv",
              mimeType: "text/csv",
              buffer: Buffer.from(`account\n"${accounts[700]}",\n`)
            })
            await page.getByText("1 205 accounts".replace(" ", "\u202f")).waitFor()
            await button("Remove all").click()
            await page.getByLabel("Accounts to add").fill(accounts[3]!)
            await page.keyboard.press("Enter")
            await page.getByText("1 account", { exact: true }).waitFor()

            // The builder, and its JSON.
            await page.getByText("All accounts", { exact: true }).click()
            await button("Condition").click()
            await choose(page, "Field of condition 1", "amount")
            await choose(page, "Operator of condition 1", "is at least")
            await page.getByLabel("Value of condition 1").fill("0.0000001")
            await page.getByText("Give an amount of XRP, with at most 6 decimals.").waitFor()
            await page.getByLabel("Value of condition 1").fill("0.000001")
            const json = page.getByLabel("JSON")
            await page.waitForFunction(`document.querySelector("textarea").value.includes('"$gte": "1"')`)
            await page.getByText(/^\d+ of \d+ events? of the last 24 h match$/).waitFor()
            await page
              .getByRole("list", { name: "The newest that match" })
              .getByText(/^amount .* XRP$/)
              .first()
              .waitFor()
            await button("Group").click()
            await choose(page, "Field of condition 2.1", "destination_tag")
            await choose(page, "Operator of condition 2.1", "does not exist")
            assert.include(await json.inputValue(), '"$or"')
            await json.fill('{ "amount": { "$regex": 1 } }')
            await page.getByText(/cannot show this filter: it has no operator \$regex/).waitFor()
            await json.fill('{ "amount": { "$gte": "2000000" } }')
            await page.waitForFunction(
              `document.querySelector('[aria-label="Value of condition 1"]').value === "2"`
            )
            await page.getByText(/^About|^No event of the last 24 h would/).waitFor()

            await page.getByLabel("Send batches").check()
            await page.getByLabel("Events in a request, at most").fill("50")
            await page.getByLabel("Strict").check()
            await choose(page, "Signed as", "X-Service-Signature and Standard Webhooks")
            await page.getByLabel("memos").check()
            await button("Header").click()
            await page.getByLabel("Name of header 1").fill("X-Tenant")
            await page.getByLabel("Value of header 1").fill("very secret value")
            opened.forget()
            await button("Create webhook").click()
            await page.getByText(/^whsec_/).waitFor()
            await page.keyboard.press("Escape")
            await button("I have stored it").click()
            await page.getByRole("link", { name: "Go to the webhook" }).click()
            await page.getByRole("heading", { name: "Large deposits" }).waitFor()
            return page.url().split("/").at(-1)!.split("?")[0]!
          })
          const { body } = yield* apiClient(url, liveKey).call("GET", `/v1/webhooks/${created}`)
          assert.deepInclude(body as Record<string, unknown>, {
            event_types: ["payment.xrp"],
            account_filters: [],
            payload_filter: { amount: { $gte: "2000000" } },
            batch: { max_events: 50, max_wait_ms: 500 },
            ordering: "strict",
            signing: ["service", "standard"],
            include: ["memos"]
          })
          assertQuiet(opened)
        }),
      120_000
    )

    it.effect(
      "goes to the first fault, names the nearest value, and counts what is left",
      () =>
        Effect.gen(function* () {
          const { liveKey } = yield* DashboardService
          const { page } = yield* openSignedIn(liveKey, "/webhooks/new")
          const button = (name: string | RegExp) => page.getByRole("button", { name, exact: true })
          const focus = (name: string) =>
            page.waitForFunction(
              `(document.activeElement.getAttribute("aria-label") ?? document.activeElement.name) === "${name}"`
            )
          yield* Effect.promise(async () => {
            await button("Create webhook").click()
            await page.getByText("Give the address that receives the events.").waitFor()
            await page.getByText("2 things to correct:").waitFor()
            await page.getByText("where to, which events").waitFor()
            await page.getByLabel("Address", { exact: true }).fill("http://127.0.0.1:1/")
            await page.getByText("1 thing to correct:").waitFor()
            await page.getByLabel("Payments (payment.*)").check()
            await page.getByText(/to correct:/).waitFor({ state: "detached" })

            await page.getByLabel("JSON").fill('{ "amount.valeu": { "$gte": "1" } }')
            await button("Header").click()
            await page.getByLabel("Name of header 1").fill("Host")
            await page.getByText("No count while the filter has a fault").waitFor()
            await button("Create webhook").click()
            await page.getByText("2 things to correct:").waitFor()
            await page.getByText("It is not a field of these events.").waitFor()
            await focus("Field of condition 1")
            await page.waitForFunction(
              "Math.abs(document.querySelector('[data-section=filter]').getBoundingClientRect().top - 96) <= 2"
            )
          })
          assert.deepStrictEqual(yield* accessibilityFaults(page), [])
          yield* Effect.promise(async () => {
            await button("Next").click()
            await focus("Name of header 1")
            await page.getByText("It must not contain Host: the service sets it itself.").waitFor()
            await page.getByLabel("Name of header 1").fill("X-Host")
            await button("Use amount.value").click()
            await page.getByText(/to correct:/).waitFor({ state: "detached" })
            assert.include(await page.getByLabel("JSON").inputValue(), '"amount.value"')
            await button("Condition").click()
            await button("Create webhook").click()
            await page.getByText("Finish the condition, or remove it.").waitFor()
            await button("Remove condition 2").click()
            await button("Create webhook").click()
            await button("I have stored it").click()
          })
        }),
      120_000
    )

    it.effect("asks before it is left with changes, and saves only those", () =>
      Effect.gen(function* () {
        const { liveKey, url } = yield* DashboardService
        const api = apiClient(url, liveKey)
        const { body } = yield* api.call("POST", "/v1/webhooks", {
          url: "http://127.0.0.1:1/",
          event_types: ["nft.*"],
          account_filters: accounts.slice(0, 3),
          headers: { "X-Tenant": "7" }
        })
        const opened = yield* openSignedIn(liveKey, `/webhooks/${body["id"]}/edit`)
        const { page } = opened
        const button = (name: string) => page.getByRole("button", { name, exact: true })
        yield* Effect.promise(async () => {
          await page.getByText("3 accounts").waitFor()
          await page.getByLabel(/^Name as/).fill("Renamed")
          await page.getByRole("link", { name: "Cancel" }).click()
          await page.getByText("Leave without saving?").waitFor()
          await button("Stay").click()
          assert.strictEqual(await page.getByLabel(/^Name as/).inputValue(), "Renamed")
        })
        // Changed elsewhere meanwhile.
        yield* api.call("POST", `/v1/webhooks/${body["id"]}/account-filters`, { add: [accounts[9]] })
        yield* Effect.promise(async () => {
          await button("Save changes").click()
          await page.getByRole("heading", { name: "Renamed" }).waitFor()
        })
        const after = yield* api.call("GET", `/v1/webhooks/${body["id"]}`)
        assert.strictEqual(after.body["account_filters_count"], 4)
        assert.deepStrictEqual(after.body["headers"], { "X-Tenant": "***" })
        yield* Effect.promise(async () => {
          await page.getByRole("link", { name: "Edit", exact: true }).click()
          await page.getByLabel(/^Name as/).fill("Lost")
          await page.getByRole("link", { name: "Cancel" }).click()
          await button("Leave").click()
          await page.getByRole("heading", { name: "Renamed" }).waitFor()
        })
        assertQuiet(opened)
      })
    )

    it.effect(
      "has no fault that axe-core finds on any screen",
      () =>
        Effect.gen(function* () {
          const { liveKey, url } = yield* DashboardService
          yield* ledgers
          const { body } = yield* apiClient(url, liveKey).call("POST", "/v1/webhooks", {
            url: "http://127.0.0.1:1/",
            event_types: ["payment.*", "check.cashed"],
            account_filters: accounts.slice(0, 50),
            batch: { max_events: 100, max_wait_ms: 500 },
            payload_filter: {
              destination_tag: { $in: [7, 8] },
              $or: [{ amount: { $gte: "1" } }, { "amount.value": { $gt: "0" } }]
            },
            headers: { "X-Tenant": "7" }
          })
          yield* checkOnEveryScreen(liveKey, "/webhooks/new", async ({ page }) => {
            await page.getByText("on mainnet, last 24 h").waitFor()
            await page.getByLabel("All event types").check()
            await page
              .getByText(/events? of the last 24 h$/)
              .first()
              .waitFor()
          })
          yield* checkOnEveryScreen(liveKey, `/webhooks/${body["id"]}/edit`, async ({ page }) => {
            await page.getByText("Replace the headers").waitFor()
            await page
              .getByText(/of the last 24 h/)
              .first()
              .waitFor()
          })
        }),
      240_000
    )

    it.effect("tells a key that may not read events that nothing is counted", () =>
      Effect.gen(function* () {
        const { keyWith } = yield* DashboardService
        const opened = yield* openSignedIn(
          yield* keyWith("live", ["webhooks:write", "webhooks:read"]),
          "/webhooks/new"
        )
        yield* Effect.promise(() =>
          opened.page.getByText("This key may not read events (scope events:read)").waitFor()
        )
        assertQuiet(opened)
      })
    )
  })
})
