/** The live ledger on the overview and on its own page, as a viewer uses it. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page, Request } from "playwright-core"
import { assertQuiet, describeInBrowser } from "../../support/dashboard/browser.ts"
import { checkOnEveryScreen, openSignedIn, pointUntil } from "../../support/dashboard/dashboardPages.ts"
import { HOSTILE_SHOWN, Receivers, receivers } from "../../support/dashboard/dashboardReceivers.ts"
import { DashboardService, dashboardService } from "../../support/dashboard/dashboardService.ts"

const world = receivers.pipe(Layer.provideMerge(dashboardService()))

const STREAM = "/v1/activity/stream"
const CHECK_MS = 240_000

const slider = (page: Page) => page.getByRole("slider", { name: "Ledgers of mainnet" })
const answers = (page: Page) => page.getByRole("table", { name: "What the webhooks answered" })

/** The newest ledger of the picture. */
const newestIn = async (page: Page) => Number(await slider(page).getAttribute("aria-valuemax"))

const untilNewestIs = (page: Page, index: number) =>
  page.locator(`[role="slider"][aria-valuemax="${index}"]`).waitFor()

/** What the canvas of the columns shows. */
const PICTURE = `document.querySelector("canvas").toDataURL()`
const picture = (page: Page) => page.evaluate<string>(PICTURE)

/** Makes the page believe that its tab is hidden or seen. */
const setHidden = (page: Page, hidden: boolean) =>
  page.evaluate(`
    Object.defineProperty(document, "hidden", { configurable: true, value: ${hidden} })
    document.dispatchEvent(new Event("visibilitychange"))`)

/** Runs in the page: counts the animations that begin. */
const COUNT_MOVES = `
  globalThis.moves = 0
  const { animate } = Element.prototype
  Element.prototype.animate = function (...given) {
    moves += 1
    return animate.apply(this, given)
  }`

/** Closes two ledgers, of which the receivers have got the first. Returns the index of the second. */
const closeTwo = Effect.gen(function* () {
  const { happen } = yield* Receivers
  const { closeLedger } = yield* DashboardService
  yield* happen
  const { header } = yield* closeLedger
  return header.ledger_index
})

describeInBrowser("the live ledger", () => {
  layer(world, { excludeTestServices: true, timeout: "120 seconds" })("in a browser", (it) => {
    it.effect("waits for the first ledger with a sentence, and then draws it", () =>
      Effect.gen(function* () {
        const { closeLedger, keyWith } = yield* DashboardService
        const { page } = yield* openSignedIn(yield* keyWith("live", ["deliveries:read"]), "/live")
        yield* Effect.promise(() => page.getByText("Waiting for the first ledger").waitFor())
        const { header } = yield* closeLedger
        yield* Effect.promise(() => untilNewestIs(page, header.ledger_index))
        // A service of its own, because it has a first ledger once.
      }).pipe(Effect.provide(dashboardService()))
    )

    it.effect(
      "shows on every screen what it is for, without a fault that axe-core finds",
      () =>
        Effect.gen(function* () {
          const { liveKey } = yield* DashboardService
          yield* closeTwo
          for (const path of ["/", "/live"])
            yield* checkOnEveryScreen(liveKey, path, async ({ page }) => {
              await slider(page).press("ArrowLeft")
              await answers(page).getByText("of ledger").waitFor()
              if (path === "/live") await page.getByRole("table", { name: "Events of ledger" }).waitFor()
            })
        }),
      CHECK_MS
    )

    it.effect("draws new ledgers on the overview and names the failing webhook's answer", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { failing } = yield* Receivers
        const opened = yield* openSignedIn(liveKey, "/")
        const { page } = opened
        yield* Effect.promise(() => slider(page).waitFor())
        const newest = yield* closeTwo
        yield* Effect.promise(async () => {
          await untilNewestIs(page, newest)
          await slider(page).press("ArrowLeft")
          await slider(page).press("ArrowLeft")
          const row = answers(page).getByRole("row").filter({ hasText: HOSTILE_SHOWN })
          await row.getByText("503", { exact: true }).waitFor()
          const colourOf = (cell: string) =>
            page.evaluate<string>(`getComputedStyle(document.querySelector("tr[data-tone] ${cell}")).color`)
          const [red, text] = [await colourOf("td:nth-child(3)"), await colourOf("a")]
          assert.notStrictEqual(red, text)
          await row.getByRole("link").click()
          await page.waitForURL(`**/webhooks/${failing.webhook.id}`)
        })
        assertQuiet(opened)
      })
    )

    it.effect("stands still while it is paused, keeps newer ledgers, and reaches them with its slider", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { page } = yield* openSignedIn(liveKey, "/live")
        const shown = yield* closeTwo
        const before = yield* Effect.promise(async () => {
          await untilNewestIs(page, shown)
          await page.getByRole("button", { name: "Pause" }).click()
          await page.getByRole("heading", { name: /^Paused at / }).waitFor()
          return { index: await newestIn(page), picture: await picture(page) }
        })
        const newest = yield* closeTwo
        yield* Effect.promise(async () => {
          await page.getByRole("heading", { name: /, 2 ledgers behind$/ }).waitFor()
          assert.strictEqual(newest, before.index + 2)
          assert.strictEqual(await newestIn(page), before.index)
          assert.strictEqual(await picture(page), before.picture)
          await page.getByRole("button", { name: "One ledger on" }).click()
          await untilNewestIs(page, before.index + 1)
          await page.getByRole("slider", { name: "Last ledger of the picture" }).press("End")
          await untilNewestIs(page, newest)
          await page.getByRole("button", { name: "Resume" }).click()
          await page.getByRole("button", { name: "Pause" }).waitFor()
        })
      })
    )

    it.effect("is led by the arrow keys, and Enter opens the events of the chosen ledger", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const newest = yield* closeTwo
        const { page } = yield* openSignedIn(liveKey, "/live")
        yield* Effect.promise(async () => {
          await untilNewestIs(page, newest)
          await slider(page).press("ArrowLeft")
          await slider(page).press("ArrowLeft")
          const text = await slider(page).getAttribute("aria-valuetext")
          assert.match(text!, new RegExp(`^Ledger ${newest - 1}, \\d+ events?: .*Enter opens them$`))
          await page.getByRole("heading", { name: "Events of ledger" }).waitFor()
          await slider(page).press("Enter")
          await page.waitForURL(`**/events?ledger_index_min=${newest - 1}&ledger_index_max=${newest - 1}*`)
        })
      })
    )

    it.effect("shows a card of the ledger under the pointer, and the dots by webhook", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { page } = yield* openSignedIn(liveKey, "/live")
        yield* Effect.promise(async () => {
          await pointUntil(
            slider(page),
            ({ height, width }) => ({ x: width - 30, y: height / 2 }),
            page.getByText(/^closed \d\d:\d\d:\d\d · \d+ events?$/)
          )
          await page.mouse.move(0, 0)
          const families = await picture(page)
          await page.getByText("By webhook").click()
          await page
            .getByRole("list", { name: "Colours of the dots" })
            .getByText("answered")
            .first()
            .waitFor()
          await page.waitForFunction(`${PICTURE} !== ${JSON.stringify(families)}`)
        })
      })
    )

    it.effect("ends its stream in a hidden tab and without viewers, and has one for the page", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { page } = yield* openSignedIn(liveKey, "/live")
        yield* Effect.promise(() => slider(page).waitFor())
        let opened = 0
        const ended: Array<Request> = []
        page.on("request", (request) => {
          if (request.url().includes(STREAM)) opened += 1
        })
        page.on("requestfailed", (request) => {
          if (request.url().includes(STREAM)) ended.push(request)
        })
        const before = yield* Effect.promise(async () => {
          await Promise.all([
            page.waitForEvent("requestfailed", (request) => request.url().includes(STREAM)),
            setHidden(page, true)
          ])
          return newestIn(page)
        })
        const newest = yield* closeTwo
        yield* Effect.promise(async () => {
          assert.deepStrictEqual([opened, ended.length, await newestIn(page)], [0, 1, before])
          await setHidden(page, false)
          await untilNewestIs(page, newest)
          assert.strictEqual(opened, 1)
          await Promise.all([
            page.waitForEvent("requestfailed", (request) => request.url().includes(STREAM)),
            page.getByRole("link", { name: "API keys" }).click()
          ])
          assert.strictEqual(opened, 1)
        })
      })
    )

    it.effect("says that the service does not answer, and goes on when it does", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        const { page } = yield* openSignedIn(liveKey, "/live")
        yield* Effect.promise(async () => {
          await slider(page).waitFor()
          await page.route(`**${STREAM}`, (route) => route.abort())
          await setHidden(page, true)
          await setHidden(page, false)
          await page.getByText("No connection to the live ledger").waitFor()
          await slider(page).waitFor()
          await page.unroute(`**${STREAM}`)
          await page.getByText("No connection to the live ledger").waitFor({ state: "hidden" })
        })
      })
    )

    it.effect("moves only for viewers who want motion", () =>
      Effect.gen(function* () {
        const { liveKey } = yield* DashboardService
        for (const reducedMotion of ["reduce", "no-preference"] as const) {
          const { page } = yield* openSignedIn(liveKey, "/live", { reducedMotion })
          yield* Effect.promise(async () => {
            await slider(page).waitFor()
            await page.evaluate(COUNT_MOVES)
          })
          const newest = yield* closeTwo
          yield* Effect.promise(async () => {
            await untilNewestIs(page, newest)
            if (reducedMotion === "no-preference") return void (await page.waitForFunction("moves > 0"))
            const moves = await page.evaluate<number>(
              "new Promise((resolve) => requestAnimationFrame(() => resolve(moves)))"
            )
            assert.strictEqual(moves, 0)
          })
        }
      })
    )

    it.effect("is not there for a key that may not see deliveries", () =>
      Effect.gen(function* () {
        const { keyWith } = yield* DashboardService
        const { page } = yield* openSignedIn(yield* keyWith("live", ["events:read"]), "/live")
        yield* Effect.promise(() => page.getByText("may not see deliveries").waitFor())
      })
    )
  })
})
