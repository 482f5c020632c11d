/**
 * `npm run screenshots`: the screens of the dashboard in light and dark, the chief ones on a narrow screen too, from a service with
 * a day of life in it. They are in the folder screenshots/, which git ignores; three of them, for the README, in docs/images.
 * SCREENSHOTS=overview,webhook makes only those.
 */
import { mkdirSync } from "node:fs"
import { layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { openSignedIn } from "../support/dashboard/dashboardPages.ts"
import { DashboardService } from "../support/dashboard/dashboardService.ts"
import { dayOfLife } from "../support/dashboard/day/dayOfLife.ts"
import { apiClient } from "../support/http/apiClient.ts"

const FOLDER = "screenshots"
const README_FOLDER = "docs/images"
const TIMEOUT_MS = 1_800_000
/** A while in which failing webhooks are tried again and the newest ledgers are delivered. */
const MORNING_MS = 20_000
/** What a page asks the service for after it has drawn. */
const SETTLE_MS = 1_200
/** Of the day that the job on the pictures sends again. */
const REPLAYED_MS = 3_600_000
/** The pixels of a picture for each pixel of the page. */
const DENSITY = 2

const wide = { width: 1_440, height: 900 }
const narrow = { width: 390, height: 844 }

/** The pictures of the README, by the name of the screen. They have a pixel for each of the page's. */
const inReadme = new Set(["overview", "delivery", "webhook"])

interface Screen {
  readonly name: string
  readonly path: string
  /** The key that signs in; by default the live one. `none`: nobody is signed in. */
  readonly as?: "test" | "none"
  readonly act?: (page: Page) => Promise<unknown>
  /** On a narrow screen too. */
  readonly isChief?: boolean
  readonly isWhole?: boolean
}

const chosen = (process.env["SCREENSHOTS"] ?? "").split(",").filter((name) => name !== "")

const fillForm = async (page: Page) => {
  await page.getByLabel("Address", { exact: true }).fill("https://api.deposits.example/v2/large")
  await page.getByLabel(/^Name as/).fill("Large deposits")
  await page.getByLabel("Search event types").fill("payment")
  for (const type of ["payment.xrp", "payment.issued"]) await page.getByLabel(type, { exact: true }).check()
  await page.getByLabel("Search event types").fill("")
  await page
    .getByLabel("JSON")
    .fill('{ "$or": [{ "amount": { "$gte": "100000000" } }, { "amount.value": { "$gte": "1000" } }] }')
  await page.getByText(/ of the last 24 h match$/).waitFor()
}

layer(dayOfLife, { excludeTestServices: true, timeout: "300 seconds" })("in a browser", (it) => {
  it.effect(
    "screenshots",
    () =>
      Effect.gen(function* () {
        const { liveKey, open, testKey, url } = yield* DashboardService
        const { call } = apiClient(url, liveKey)
        yield* Effect.sleep(MORNING_MS)
        const rows = (path: string) =>
          Effect.map(
            call("GET", path),
            ({ body }) => body["data"] as unknown as ReadonlyArray<Readonly<Record<string, string>>>
          )
        /** So that the next picture begins anew. */
        const removeWebhooks = (key: string) =>
          Effect.runPromise(
            Effect.gen(function* () {
              const { call } = apiClient(url, key)
              const { body } = yield* call("GET", "/v1/webhooks")
              for (const { id } of body["data"] as unknown as ReadonlyArray<{ readonly id: string }>)
                yield* call("DELETE", `/v1/webhooks/${id}`)
            })
          )
        const [failing] = yield* rows("/v1/webhooks?sort=health")
        const [slow] = yield* rows("/v1/webhooks?search=archive")
        const retrying = yield* rows(`/v1/deliveries?status=retrying&limit=100&webhook_id=${failing!["id"]}`)
        const delivery = retrying.at(-1)!
        const [incident] = yield* rows(`/v1/webhooks/${failing!["id"]}/incidents`)
        // A job with something of everything: the webhook that it is for is slow.
        const job = yield* call("POST", "/v1/replay", {
          webhook_id: slow!["id"],
          filters: {
            event_types: ["payment.*", "dex.*"],
            since: new Date(Date.now() - REPLAYED_MS).toISOString()
          }
        })
        for (const [name, scopes] of [
          ["Deploy pipeline", ["webhooks:read", "webhooks:write"]],
          ["Alerting", ["deliveries:read", "events:read"]],
          ["Data team", ["events:read"]]
        ] as const) {
          yield* call("POST", "/v1/api-keys", { name, environment: "live", scopes })
        }
        const screens: ReadonlyArray<Screen> = [
          { name: "overview", path: "/", isChief: true },
          { name: "live", path: "/live", isChief: true },
          {
            name: "live-paused",
            path: "/live",
            act: async (page) => {
              await page.getByRole("button", { name: "Pause", exact: true }).click()
              await page.getByRole("slider", { name: "Ledgers of mainnet" }).press("ArrowLeft")
            }
          },
          { name: "webhooks", path: "/webhooks", isChief: true },
          { name: "webhook", path: `/webhooks/${failing!["id"]}`, isChief: true },
          { name: "webhook-whole", path: `/webhooks/${failing!["id"]}`, isWhole: true },
          { name: "deliveries", path: "/deliveries", isChief: true },
          {
            name: "deliveries-selected",
            path: "/deliveries?status=failed,retrying",
            act: async (page) => {
              for (const row of [0, 1, 2, 3])
                await page
                  .getByRole("checkbox", { name: /^Select dlv_/ })
                  .nth(row)
                  .check()
            }
          },
          { name: "delivery", path: `/deliveries/${delivery["id"]}` },
          { name: "incident", path: `/incidents/${incident!["id"]}` },
          { name: "events", path: "/events" },
          { name: "event", path: `/events/${encodeURIComponent(delivery["event_id"]!)}` },
          { name: "coverage", path: "/coverage" },
          { name: "replays", path: "/replay", isChief: true },
          { name: "replay-new", path: `/replay/new?webhook_id=${failing!["id"]}` },
          { name: "replay", path: `/replay/${job.body["job_id"]}` },
          { name: "keys", path: "/keys" },
          {
            name: "keys-new",
            path: "/keys",
            act: async (page) => {
              await page.getByRole("button", { name: "New key", exact: true }).click()
              await page.getByRole("textbox", { name: /^Name/ }).fill("On call")
              await page
                .getByRole("radiogroup", { name: "Deliveries" })
                .getByText("write", { exact: true })
                .click()
              await page.getByRole("button", { name: "Create key", exact: true }).click()
              await page.getByRole("button", { name: "I have stored it" }).waitFor()
            }
          },
          { name: "usage", path: "/account" },
          { name: "webhook-form", path: "/webhooks/new", isChief: true, isWhole: true, act: fillForm },
          {
            name: "webhook-form-fault",
            path: "/webhooks/new",
            act: async (page) => {
              await fillForm(page)
              await page.getByLabel("Address", { exact: true }).fill("ftp://api.deposits.example")
              await page.getByRole("button", { name: "Create webhook", exact: true }).click()
            }
          },
          { name: "catalogue", path: "/catalogue/nft.offer_accepted", isWhole: true },
          { name: "guides", path: "/guides/receiving" },
          {
            name: "guides-search",
            path: "/guides/receiving",
            act: (page) => page.getByLabel("Search the guides").fill("signature")
          },
          { name: "reference", path: "/reference" },
          { name: "sign-in", path: "/sign-in", as: "none" },
          { name: "first-run", path: "/", as: "test" },
          {
            name: "first-run-waiting",
            path: "/",
            as: "test",
            act: async (page) => {
              await page.getByLabel("Address").fill("http://127.0.0.1:1/")
              await page.getByRole("button", { name: "Create webhook", exact: true }).click()
              await page.getByRole("button", { name: "I have stored it", exact: true }).click()
              await page.getByRole("heading", { name: "Waiting for the first event" }).waitFor()
            }
          },
          {
            name: "palette",
            path: "/webhooks",
            act: async (page) => {
              await page.getByRole("button", { name: "Search" }).click()
              await page.getByLabel("Search", { exact: true }).fill(delivery["event_id"]!.split(":")[2]!)
            }
          }
        ]
        for (const folder of [FOLDER, README_FOLDER]) mkdirSync(folder, { recursive: true })
        for (const screen of screens) {
          if (chosen.length > 0 && !chosen.includes(screen.name)) continue
          for (const colorScheme of ["light", "dark"] as const) {
            for (const viewport of screen.isChief ? [wide, narrow] : [wide]) {
              yield* Effect.scoped(
                Effect.gen(function* () {
                  const options = { colorScheme, viewport, deviceScaleFactor: DENSITY }
                  const key = screen.as === "test" ? testKey : liveKey
                  const { page } =
                    screen.as === "none"
                      ? yield* open(screen.path, options)
                      : yield* openSignedIn(key, screen.path, options)
                  yield* Effect.promise(async () => {
                    await page.getByRole("heading", { level: 1 }).waitFor()
                    // The network is never idle: the live ledger's stream stays open.
                    await page.locator(".mantine-Skeleton-root").first().waitFor({ state: "detached" })
                    await screen.act?.(page)
                    await page.waitForTimeout(SETTLE_MS)
                    const path = `${FOLDER}/${screen.name}-${colorScheme}-${viewport.width}.png`
                    await page.screenshot({ path, fullPage: screen.isWhole ?? viewport === narrow })
                    if (screen.name === "first-run-waiting") await removeWebhooks(testKey)
                    if (colorScheme === "light" && viewport === wide && inReadme.has(screen.name))
                      await page.screenshot({ path: `${README_FOLDER}/${screen.name}.png`, scale: "css" })
                  })
                })
              )
            }
          }
        }
      }),
    TIMEOUT_MS
  )
})
