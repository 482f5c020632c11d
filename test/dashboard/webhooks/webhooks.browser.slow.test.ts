/** The pages of webhooks, as a viewer uses them: every action, a key that may only read, and an API that fails. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { accessibilityFaults, assertQuiet, describeInBrowser } from "../../support/dashboard/browser.ts"
import { checkOnEveryScreen, openSignedIn } from "../../support/dashboard/dashboardPages.ts"
import { DashboardService, dashboardService } from "../../support/dashboard/dashboardService.ts"
import { apiClient } from "../../support/http/apiClient.ts"

const SCRIPT = "<script>globalThis.ran = true</script>"

/** A server that accepts everything. */
const receiver = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<ReturnType<typeof createServer>>((resolve) => {
        const server = createServer((request, response) => request.resume().on("end", () => response.end()))
        server.listen(0, "127.0.0.1", () => resolve(server))
      })
  ),
  (server) => Effect.sync(() => server.close())
).pipe(Effect.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`))

/** Creates a webhook of mainnet and returns its id. */
const register = Effect.fnUntraced(function* (fields: object) {
  const { liveKey, url } = yield* DashboardService
  const { body } = yield* apiClient(url, liveKey).call("POST", "/v1/webhooks", {
    url: "http://127.0.0.1:1/",
    event_types: ["*"],
    ...fields
  })
  return String(body["id"])
})

/** Deletes the webhooks of the key, those of a run before that failed. */
const deleteAll = Effect.fnUntraced(function* (key: string) {
  const { url } = yield* DashboardService
  const { call } = apiClient(url, key)
  const { body } = yield* call("GET", "/v1/webhooks?limit=100")
  for (const { id } of Object(body["data"]) as ReadonlyArray<{ readonly id: string }>)
    yield* call("DELETE", `/v1/webhooks/${id}`)
})

describeInBrowser("the pages of webhooks", () => {
  layer(dashboardService(), { excludeTestServices: true, timeout: "120 seconds" })("in a browser", (it) => {
    it.effect(
      "create, test, pause, disable, enable, rotate, edit and delete a webhook",
      () =>
        Effect.gen(function* () {
          const faults: Array<string> = []
          const { liveKey } = yield* DashboardService
          yield* deleteAll(liveKey)
          const hook = yield* receiver
          const opened = yield* openSignedIn(liveKey, "/webhooks")
          const { page } = opened
          const faultsNow = () => Effect.runPromise(accessibilityFaults(page))
          const button = (name: string) => page.getByRole("button", { name, exact: true })
          const more = async (name: string) => {
            await button("More").click()
            await page.getByRole("menuitem", { name }).click()
          }
          yield* Effect.promise(async () => {
            await page.getByRole("link", { name: "New webhook" }).first().click()
            await page.getByLabel("Address", { exact: true }).fill(hook)
            await page.getByLabel(/^Name as/).fill(`Shop ${SCRIPT}`)
            await page.getByLabel("Search event types").fill("minted")
            await page.getByLabel("nft.minted", { exact: true }).check()
            await page.getByLabel("Search event types").fill("")
            await page.getByLabel("Payments (payment.*)").check()
            await page.getByText("3 of 23 types: nft.minted, payment.*").waitFor()
            await button("Header").click()
            await page.getByLabel("Name of header 1").fill("X-Tenant")
            await page.getByLabel("Value of header 1").fill("very secret value")
            await button("Create webhook").click()
            await page.getByText(/^whsec_/).waitFor()
            await button("Copy the secret").waitFor()
            await button("I have stored it").click()
            await page.getByRole("link", { name: "Go to the webhook" }).click()

            await button("Test event").click()
            await page.getByLabel("Payload").fill('{"sender": 5}')
            await button("Send it").click()
            await page.getByText(/payload\.sender must be a classic XRP Ledger address/).waitFor()
            faults.push(...(await faultsNow()))
            opened.forget()
            await button("Show the sample again").click()
            const sample = await page.getByLabel("Payload").inputValue()
            await page.getByLabel("Payload").fill(sample.replace(/"amount": "\d+"/, '"amount": "321"'))
            await button("Send it").click()
            await page.getByRole("dialog").getByText("HTTP 200").waitFor()
            faults.push(...(await faultsNow()))
            await button("Send again").click()
            await page.getByRole("dialog").getByRole("link", { name: "See the delivery" }).waitFor()
            await page.keyboard.press("Escape")
            await page.getByText("Delivered", { exact: true }).first().waitFor()

            await more("Pause")
            await page.getByText(/^Paused since/).waitFor()
            await button("Resume").click()
            await button("Resume").waitFor({ state: "detached" })

            await more("Disable")
            await page.getByText(/^Disabled since/).waitFor()
            await button("Enable").click()
            await button("Enable").waitFor({ state: "detached" })

            await page.getByRole("tab", { name: "Requests and secret" }).click()
            await page.getByText("X-Tenant: ***").waitFor()
            await button("Rotate the secret").click()
            faults.push(...(await faultsNow()))
            await button("Make a new secret").click()
            const secret = (await page.getByText(/^whsec_/).textContent())!
            faults.push(...(await faultsNow()))
            await page.keyboard.press("Escape")
            await page.mouse.click(5, 5)
            await page.goBack()
            await page.getByText("Store the secret before you leave").waitFor()
            assert.strictEqual(await page.getByText(/^whsec_/).textContent(), secret)
            await button("I have stored it").click()
            await page.getByRole("dialog").waitFor({ state: "detached" })
            assert.notInclude(await page.content(), secret)

            await page.getByRole("tab", { name: "Events it wants" }).click()
            await page.getByLabel("Transaction hash").fill("0".repeat(64))
            await button("Explain").click()
            await page.getByText("No event of this transaction is known").waitFor()

            await page.getByRole("link", { name: "Edit", exact: true }).click()
            await page.getByText("X-Tenant").waitFor()
            assert.notInclude(await page.content(), "very secret value")
            await page
              .getByText(/of the last 24 h/)
              .first()
              .waitFor()
            await page.getByLabel(/^Name as/).fill("Renamed")
            await button("Save changes").click()
            await page.getByRole("heading", { name: "Renamed" }).waitFor()

            await more("Delete the webhook")
            faults.push(...(await faultsNow()))
            assert.isTrue(await button("Delete it").isDisabled())
            await page.getByLabel(/Type its name/).fill("Renamed")
            await button("Delete it").click()
            await page.getByRole("heading", { name: /^\d+ webhooks?/, level: 1 }).waitFor()
            await page.getByText("Renamed").waitFor({ state: "detached" })
            assert.isUndefined(await page.evaluate("globalThis.ran"))
          })
          assert.deepStrictEqual(faults, [])
          assertQuiet(opened)
        }),
      120_000
    )

    it.effect(
      "show on every screen what they are for, without a fault that axe-core finds",
      () =>
        Effect.gen(function* () {
          const { liveKey } = yield* DashboardService
          const id = yield* register({
            description: SCRIPT,
            payload_filter: { amount: { $gte: "1" } },
            account_filters: ["rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX"],
            headers: { "X-Tenant": "7" }
          })
          yield* checkOnEveryScreen(liveKey, "/webhooks", ({ page }) =>
            page.getByText(SCRIPT).first().waitFor()
          )
          yield* checkOnEveryScreen(liveKey, `/webhooks/${id}`, ({ page }) =>
            page.getByText("Newest deliveries").waitFor()
          )
          yield* checkOnEveryScreen(liveKey, `/webhooks/${id}?tab=events`, ({ page }) =>
            page.getByText("rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX").waitFor()
          )
          yield* checkOnEveryScreen(liveKey, `/webhooks/${id}?tab=requests`, ({ page }) =>
            page.getByText("X-Tenant: ***").waitFor()
          )
          yield* checkOnEveryScreen(liveKey, "/webhooks/new", ({ page }) =>
            page.getByText("How it is sent").waitFor()
          )
          yield* checkOnEveryScreen(liveKey, `/webhooks/${id}/edit`, ({ page }) =>
            page.getByText("Replace the headers").waitFor()
          )
        }),
      240_000
    )

    it.effect("filter the list by health, type and name, and sort it by any column", () =>
      Effect.gen(function* () {
        const { keyWith, url } = yield* DashboardService
        const testKey = yield* keyWith("test", ["admin"])
        const { call } = apiClient(url, testKey)
        yield* deleteAll(testKey)
        for (const [description, event_types, network] of [
          ["Cherry", ["dex.*"], "testnet"],
          ["Apple", ["nft.minted"], "devnet"],
          ["Banana", ["*"], "testnet"]
        ] as const) {
          yield* call("POST", "/v1/webhooks", {
            url: "http://127.0.0.1:1/",
            description,
            event_types,
            network,
            paused: true
          })
        }
        const opened = yield* openSignedIn(testKey, "/webhooks")
        const { page } = opened
        const names = () => page.locator("tbody a").allTextContents()
        yield* Effect.promise(async () => {
          await page.getByRole("heading", { name: "3 webhooks" }).waitFor()
          await page.getByRole("button", { name: "Webhook", exact: true }).click()
          await page.waitForURL("**sort=name")
          assert.deepStrictEqual(await names(), ["Apple", "Banana", "Cherry"])
          await page.getByRole("button", { name: "Webhook", exact: true }).click()
          await page.waitForURL("**sort=-name")
          assert.deepStrictEqual(await names(), ["Cherry", "Banana", "Apple"])
          await page.getByRole("button", { name: "Network", exact: true }).click()
          await page.getByRole("combobox", { name: "Network" }).selectOption("testnet")
          await page.getByText("Apple").waitFor({ state: "detached" })
          await page.getByRole("button", { name: "Clear: Network" }).click()
          await page.getByText("Apple").waitFor()
          await page.goto(`${url}/webhooks?event_type=nft.minted&health=paused`)
          await page.getByText("2 shown").waitFor()
          assert.deepStrictEqual((await names()).sort(), ["Apple", "Banana"])
          await page.getByRole("button", { name: "More about Apple" }).click()
          await page.getByRole("menuitem", { name: "Resume" }).click()
          await page.getByText("1 shown").waitFor()
        })
        assertQuiet(opened)
      })
    )

    it.effect("show a refusal at the field that it names, and forget it when the field changes", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { page } = yield* openSignedIn(liveKey, "/webhooks/new")
        yield* Effect.promise(async () => {
          await page.getByLabel("All event types").check()
          await page.getByRole("button", { name: "Create webhook" }).click()
          await page.getByText("Give the address that receives the events.").waitFor()
          await page.getByLabel("Address", { exact: true }).fill("ftp://example.com")
          await page.getByRole("button", { name: "Create webhook" }).click()
          await page.getByText(/^It must be/).waitFor()
        })
        assert.deepStrictEqual(yield* accessibilityFaults(page), [])
        yield* Effect.promise(async () => {
          await page.getByLabel("Address", { exact: true }).fill("http://127.0.0.1:1/")
          await page.getByText(/^It must be/).waitFor({ state: "detached" })
        })
      })
    )

    it.effect("offer no action to a key that may only read, and no statistics without the scope", () =>
      Effect.gen(function* () {
        const { keyWith } = yield* DashboardService
        const id = yield* register({ description: "Only to look at" })
        const key = yield* keyWith("live", ["webhooks:read"])
        const opened = yield* openSignedIn(key, "/webhooks")
        const { page } = opened
        yield* Effect.promise(async () => {
          await page.getByRole("link", { name: "Only to look at" }).first().waitFor()
          assert.strictEqual(await page.getByRole("link", { name: "New webhook" }).count(), 0)
          assert.strictEqual(await page.getByRole("columnheader", { name: "Waiting" }).count(), 0)
          await page.getByRole("link", { name: "Only to look at" }).first().click()
          await page.getByText("This key may not see deliveries").waitFor()
          for (const name of ["More", "Test event", "Edit"]) {
            assert.strictEqual(await page.getByRole("button", { name }).count(), 0, name)
          }
          await page.getByRole("tab", { name: "Requests and secret" }).click()
          await page.getByText("Each request is signed").waitFor()
          assert.strictEqual(await page.getByRole("button", { name: "Rotate the secret" }).count(), 0)
        })
        assertQuiet(opened)
        const none = yield* openSignedIn(yield* keyWith("live", ["events:read"]), `/webhooks/${id}/edit`)
        yield* Effect.promise(() => none.page.getByText("This key may not change webhooks").waitFor())
        assertQuiet(none)
      })
    )

    it.effect("say what went wrong if the API fails, and try again", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        yield* register({ description: "Back again" })
        const { page } = yield* openSignedIn(liveKey, "/account")
        yield* Effect.promise(async () => {
          await page.getByText("Limits of the plan").waitFor()
          await page.route("**/v1/webhooks?**", (route) =>
            route.fulfill({
              status: 500,
              contentType: "application/json",
              headers: { "x-request-id": "req-7" },
              body: '{"error":{"code":"INTERNAL_ERROR","message":"The request failed."}}'
            })
          )
          await page.getByRole("link", { name: "Webhooks" }).click()
          await page.getByText("req-7").waitFor()
          await page.unroute("**/v1/webhooks?**")
          await page.getByRole("button", { name: "Try again" }).click()
          await page.getByText("Back again").first().waitFor()
        })
      })
    )
  })
})
