/**
 * `npm run screenshots`: every page of the dashboard in light, dark and on a narrow screen, in the folder screenshots/,
 * which git ignores; three of them for the README in docs/images. The simulated testnet first closes SCREENSHOT_LEDGERS
 * (30) ledgers, about one in 2 seconds, for a receiver that works, one that is down and one that sometimes fails.
 */
import { mkdirSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import type { Page } from "playwright-core"
import type { NetworkCoverage } from "../../dashboard/src/api/ledgerhook.ts"
import { apiClient } from "../support/apiClient.ts"
import { openSignedIn, screens } from "../support/dashboardPages.ts"
import { DashboardService, dashboardService } from "../support/dashboardService.ts"

const LEDGERS = Number(process.env["SCREENSHOT_LEDGERS"] ?? 30)
const TIMEOUT_MS = 600_000 + LEDGERS * 4_000
const FOLDER = "screenshots"
const README_FOLDER = "docs/images"

/** The pictures of the README, by the name of the page. */
const inReadme = new Set(["overview", "delivery", "coverage"])

/** Every seventh request to /sometimes fails, and every one to /down. */
const receiver = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<ReturnType<typeof createServer>>((resolve) => {
        let requests = 0
        const server = createServer((request, response) => {
          requests += 1
          const fails = request.url === "/down" || (request.url === "/sometimes" && requests % 7 === 0)
          request.resume().on("end", () => {
            response.statusCode = fails ? 503 : 200
            response.end(fails ? "down for maintenance" : "ok")
          })
        })
        server.listen(0, "127.0.0.1", () => resolve(server))
      })
  ),
  (server) => Effect.sync(() => server.closeAllConnections())
)

/** Waits until the page has drawn its data. */
const settle = async (page: Page) => {
  await page.getByRole("heading", { level: 1 }).waitFor()
  await page.waitForLoadState("networkidle")
}

const lastHour = (page: Page) => page.getByText("1h", { exact: true }).click()

layer(dashboardService(), { excludeTestServices: true, timeout: "120 seconds" })((it) => {
  it.effect(
    "screenshots",
    () =>
      Effect.gen(function* () {
        const { testKey, url } = yield* DashboardService
        const { port } = (yield* receiver).address() as AddressInfo
        const { call } = apiClient(url, testKey)
        for (const [path, description] of [
          ["ok", "Shop: payments received"],
          ["sometimes", "NFT marketplace"],
          ["down", "Old accounting system"]
        ]) {
          const body = { url: `http://127.0.0.1:${port}/${path}`, event_types: ["*"], description }
          yield* call("POST", "/v1/webhooks", body)
        }
        const taken = Effect.map(call("GET", "/v1/ledgers/coverage"), ({ body }) => {
          const [testnet] = body["data"] as unknown as ReadonlyArray<NetworkCoverage>
          return testnet!.ranges.reduce((sum, { ledgers }) => sum + ledgers, 0)
        })
        yield* Effect.repeat(taken, {
          schedule: Schedule.spaced("1 second"),
          until: (ledgers) => ledgers >= LEDGERS
        })
        const first = (path: string) =>
          Effect.map(
            call("GET", path),
            ({ body }) => (body["data"] as unknown as ReadonlyArray<{ id: string; event_id: string }>)[0]!
          )
        const webhook = yield* first("/v1/webhooks")
        const delivery = yield* first("/v1/deliveries?status=retrying")
        const pages: ReadonlyArray<
          readonly [name: string, path: string, act?: (page: Page) => Promise<void>]
        > = [
          ["overview", "/", lastHour],
          ["webhooks", "/webhooks"],
          ["webhook", `/webhooks/${webhook.id}`],
          ["new-webhook", "/webhooks/new"],
          ["edit-webhook", `/webhooks/${webhook.id}/edit`],
          ["deliveries", "/deliveries"],
          ["delivery", `/deliveries/${delivery.id}`],
          ["events", "/events"],
          ["event", `/events/${encodeURIComponent(delivery.event_id)}`],
          ["coverage", "/coverage"],
          ["replay", "/replay"],
          ["new-replay", "/replay/new"],
          ["keys", "/keys"],
          ["account", "/account"]
        ]
        for (const folder of [FOLDER, README_FOLDER]) mkdirSync(folder, { recursive: true })
        for (const screen of screens) {
          for (const [name, path, act] of pages) {
            yield* Effect.scoped(
              Effect.gen(function* () {
                const { page } = yield* openSignedIn(testKey, path, screen)
                yield* Effect.promise(async () => {
                  await settle(page)
                  await act?.(page)
                  await settle(page)
                  const { width } = screen.viewport
                  await page.screenshot({
                    path: `${FOLDER}/${name}-${screen.colorScheme}-${width}.png`,
                    fullPage: true
                  })
                  if (screen === screens[0] && inReadme.has(name)) {
                    await page.screenshot({ path: `${README_FOLDER}/${name}.png` })
                  }
                })
              })
            )
          }
        }
      }),
    TIMEOUT_MS
  )
})
