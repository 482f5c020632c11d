/** Signing in to another account than the one that this browser is signed in to: the viewer is asked first. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { accessibilityFaults, describeInBrowser } from "../../support/dashboard/browser.ts"
import { openSignedIn, screens } from "../../support/dashboard/dashboardPages.ts"
import { DashboardService, dashboardService } from "../../support/dashboard/dashboardService.ts"
import { apiClient } from "../../support/http/apiClient.ts"
import { runCommand } from "../../support/program/command.ts"

/** As long as a name may be, in words that are longer than a narrow screen. */
const OTHER =
  "Rundfunkbeitragsservice Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellsch".slice(
    0,
    100
  )

/** An account beside that of the service's keys. */
class Other extends Context.Service<
  Other,
  {
    readonly key: string
    /** Makes a link that signs in to it. */
    readonly link: Effect.Effect<string>
  }
>()("ledgerhook/test/Other") {}

const other = (dataDir: string) =>
  Layer.effect(
    Other,
    Effect.gen(function* () {
      const { url } = yield* DashboardService
      const environment = { DATA_DIR: dataDir, LEDGERHOOK_URL: url, XRPL_MAINNET_URLS: "" }
      const run = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
        const { code, stderr, stdout } = yield* runCommand(args, { environment })
        assert.deepStrictEqual([code, stderr], [0, ""])
        return JSON.parse(stdout)
      })
      const { id } = yield* run(
        ...["account", "create", "--name", OTHER, "--email", "ops@example.com", "--plan", "builder"]
      )
      const { key } = yield* run("key", "create", "--account", id, "--name", "k", "--scopes", "admin")
      return { key, link: Effect.map(run("portal", id), (made) => String(made.url).slice(url.length)) }
    })
  )

const world = Layer.unwrap(
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-other-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    ),
    (dataDir) => other(dataDir).pipe(Layer.provideMerge(dashboardService({ DATA_DIR: dataDir })))
  )
)

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true })
const who = (page: Page, name: string) => page.getByRole("button", { name: new RegExp(`^${name}`) })

describeInBrowser("a sign-in to another account", () => {
  layer(world, { excludeTestServices: true, timeout: "120 seconds" })("in a browser", (it) => {
    /** The name of the account that the service's keys are of. */
    const mine = Effect.gen(function* () {
      const { liveKey, url } = yield* DashboardService
      const { body } = yield* apiClient(url, liveKey).call("GET", "/v1/account")
      return String(body["name"])
    })

    it.effect("by a link asks about it by both names, and the link stays unused if the viewer stays", () =>
      Effect.gen(function* () {
        const { liveKey, open, url } = yield* DashboardService
        const link = yield* (yield* Other).link
        const name = yield* mine
        const { page } = yield* openSignedIn(liveKey)
        yield* Effect.promise(async () => {
          await page.goto(url + link)
          await page.getByRole("heading", { name: `Leave ${name}?` }).waitFor()
          await page.getByText(`This link signs in to another account, ${OTHER}.`).waitFor()
          assert.strictEqual(page.url(), `${url}/sign-in`)
          await button(page, `Stay in ${name}`).click()
          await who(page, name).waitFor()
          assert.strictEqual(page.url(), `${url}/`)
        })
        const elsewhere = yield* open(link)
        yield* Effect.promise(() => who(elsewhere.page, OTHER).waitFor())
      })
    )

    it.effect("ends both sessions of the account that the viewer leaves, also in other tabs", () =>
      Effect.gen(function* () {
        const { liveKey, testKey, url } = yield* DashboardService
        const link = yield* (yield* Other).link
        const name = yield* mine
        const { page } = yield* openSignedIn(liveKey)
        yield* Effect.promise(async () => {
          await page.goto(`${url}/sign-in?add=true`)
          await page.getByLabel("API key", { exact: true }).fill(testKey)
          await button(page, "Sign in").click()
          await page.getByRole("button", { name: /Test key/ }).waitFor()
          const tab = await page.context().newPage()
          await tab.goto(url + link)
          await button(tab, `Leave ${name} and sign in to ${OTHER}`).click()
          await who(tab, OTHER).click()
          // Nothing to switch to: the other account's test session has ended too.
          await tab.getByRole("menuitem", { name: "Add a test key" }).waitFor()
          await page.getByText(/^Another tab of this browser signed out, or signed in/).waitFor()
          const cookies = await page.context().cookies()
          for (const { name, value } of cookies) {
            const environment = name.slice("ledgerhook-".length)
            const answer = await fetch(`${url}/v1/account`, {
              headers: {
                cookie: `${name}=${value}`,
                "x-requested-with": "ledgerhook",
                "x-service-environment": environment
              }
            })
            assert.strictEqual(answer.status, environment === "live" ? 200 : 401)
          }
        })
      })
    )

    it.effect("by a key asks too, also in a tab that did not know of the session", () =>
      Effect.gen(function* () {
        const { liveKey, url } = yield* DashboardService
        const { key } = yield* Other
        const name = yield* mine
        const { page } = yield* openSignedIn(liveKey)
        yield* Effect.promise(async () => {
          await page.evaluate("localStorage.clear()")
          await page.goto(`${url}/account`)
          await page.getByLabel("API key", { exact: true }).fill(key)
          await button(page, "Sign in").click()
          await page.getByText(`This key signs in to another account, ${OTHER}.`).waitFor()
          await button(page, `Stay in ${name}`).click()
          await who(page, name).waitFor()
          assert.strictEqual(page.url(), `${url}/account`)
        })
      })
    )

    it.effect("asks without an accessibility fault, in light, dark and on a narrow screen", () =>
      Effect.gen(function* () {
        const { liveKey, url } = yield* DashboardService
        const link = yield* (yield* Other).link
        for (const screen of screens) {
          const { page } = yield* openSignedIn(liveKey, "/", screen)
          yield* Effect.promise(async () => {
            await page.goto(url + link)
            await page.getByRole("heading", { name: /^Leave / }).waitFor()
          })
          assert.deepStrictEqual(yield* accessibilityFaults(page), [])
          const width = yield* Effect.promise(() =>
            page.evaluate<number>("document.documentElement.scrollWidth")
          )
          assert.isAtMost(width, screen.viewport.width)
        }
      })
    )

    it.effect("is refused with the service's sentence when the key has too many sessions", () =>
      Effect.gen(function* () {
        const { key } = yield* Other
        const { open, url } = yield* DashboardService
        const signIn = Effect.promise(() =>
          fetch(`${url}/v1/session`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ key })
          }).then(({ status }) => status)
        )
        let status = 204
        while (status === 204) status = yield* signIn
        assert.strictEqual(status, 429)
        const { page } = yield* open("/")
        yield* Effect.promise(async () => {
          await page.getByLabel("API key", { exact: true }).fill(key)
          await button(page, "Sign in").click()
          await page.getByText("Too many sessions of this key").waitFor()
          await page.getByText(/sign out of one, or wait until one ends\.$/).waitFor()
        })
      })
    )
  })
})
