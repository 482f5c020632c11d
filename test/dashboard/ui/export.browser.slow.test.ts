/** Lists of the dashboard saved as files, with the filters that the page has. */
import { readFile } from "node:fs/promises"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { assertQuiet, describeInBrowser } from "../../support/dashboard/browser.ts"
import { openSignedIn } from "../../support/dashboard/dashboardPages.ts"
import { Receivers, receivers } from "../../support/dashboard/dashboardReceivers.ts"
import { DashboardService, dashboardService } from "../../support/dashboard/dashboardService.ts"
import { apiClient, waitUntil } from "../../support/http/apiClient.ts"

/** The file that the page's menu saves. */
const saved = async (page: Page, format: string) => {
  await page.getByRole("button", { name: "Export" }).click()
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: format, exact: true }).click()
  ])
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), "utf8") }
}

describeInBrowser("a list", () => {
  layer(Layer.provideMerge(receivers, dashboardService()), {
    excludeTestServices: true,
    timeout: "120 seconds"
  })("in a browser", (it) => {
    it.effect(
      "is saved as CSV and as NDJSON with its filters: webhooks, events, incidents",
      () =>
        Effect.gen(function* () {
          const { liveKey, url } = yield* DashboardService
          const { happen } = yield* Receivers
          yield* happen
          // Pages of what is past do not refresh themselves.
          yield* waitUntil(
            Effect.map(apiClient(url, liveKey).call("GET", "/v1/events/counts"), ({ body }) =>
              JSON.stringify(body).includes('"payment.')
            ),
            "30 seconds"
          )
          const opened = yield* openSignedIn(liveKey, "/webhooks?search=Accepting")
          const { page } = opened
          yield* Effect.promise(async () => {
            await page.getByText("1 shown").waitFor()
            const webhooks = await saved(page, "CSV")
            assert.match(webhooks.name, /^webhooks-.*\.csv$/)
            const [head, ...rows] = webhooks.text.trimEnd().split("\r\n")
            assert.match(head!, /^id,description,url,network,status,paused,health,/)
            assert.lengthOf(rows, 1)
            assert.match(rows[0]!, /^wh_\w+,Accepting,http/)
            await page.getByText("1 saved.").waitFor()

            await page.goto(new URL("/events?event_type=payment.*", page.url()).href)
            await page
              .getByRole("link", { name: /^payment\./ })
              .first()
              .waitFor()
            const events = await saved(page, "NDJSON")
            const lines = events.text.trimEnd().split("\n")
            assert.isAtLeast(lines.length, 1)
            for (const line of lines) assert.match(JSON.parse(line).event_type, /^payment\./)

            await page.goto(new URL("/incidents", page.url()).href)
            await page.getByRole("table", { name: "Incidents" }).getByRole("link").first().waitFor()
            const incidents = await saved(page, "CSV")
            assert.match(incidents.text, /^id,webhook_id,began_at,.*\r\ninc_/)
          })
          assertQuiet(opened)
        }),
      120_000
    )
  })
})
