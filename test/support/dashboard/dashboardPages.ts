/** What a viewer does on every page of the dashboard. */
import { assert } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import type { BrowserContextOptions, Locator } from "playwright-core"
import { accessibilityFaults, assertQuiet, type OpenPage } from "./browser.ts"
import { DashboardService } from "./dashboardService.ts"

/** Opens `path` and signs in with `key`, which leads back to `path`. */
export const openSignedIn = (
  key: string,
  path = "/",
  options?: BrowserContextOptions
): Effect.Effect<OpenPage, never, DashboardService | Scope.Scope> =>
  Effect.gen(function* () {
    const { open } = yield* DashboardService
    const opened = yield* open(path, options)
    const { page } = opened
    yield* Effect.promise(async () => {
      await page.getByLabel("API key", { exact: true }).fill(key)
      await page.getByRole("button", { name: "Sign in" }).click()
      await page.getByRole("navigation", { name: "Pages" }).waitFor()
    })
    return opened
  })

/** How long a page may take to answer one movement of the pointer. */
const ANSWER_MS = 1_000

/**
 * Moves the pointer to a place of `target` until `sign` is seen: what loads meanwhile may push the target away from
 * under a pointer that does not move.
 */
export const pointUntil = async (
  target: Locator,
  place: (box: { readonly width: number; readonly height: number }) => { x: number; y: number },
  sign: Locator
): Promise<void> => {
  for (let tries = 0; tries < 30; tries++) {
    const box = await target.boundingBox()
    if (box !== null) await target.hover({ position: place(box) })
    const seen = await sign.waitFor({ timeout: ANSWER_MS }).then(
      () => true,
      () => false
    )
    if (seen) return
    await target.page().mouse.move(0, 0)
  }
  await sign.waitFor()
}

/** The screens on which each page is checked. */
export const screens = [
  { colorScheme: "light", viewport: { width: 1_280, height: 900 } },
  { colorScheme: "dark", viewport: { width: 1_280, height: 900 } },
  { colorScheme: "light", viewport: { width: 360, height: 740 } }
] as const

/**
 * Opens a page in light, dark and on a narrow screen, waits for `content`, and asserts that axe-core finds nothing, that
 * the page is not wider than the screen, and that the console is empty.
 */
export const checkOnEveryScreen = (
  key: string,
  path: string,
  content: (opened: OpenPage) => Promise<unknown>
): Effect.Effect<void, never, DashboardService> =>
  Effect.forEach(
    screens,
    (screen) =>
      Effect.gen(function* () {
        const opened = yield* openSignedIn(key, path, screen)
        yield* Effect.promise(() => content(opened))
        const where = `${path} in ${screen.colorScheme} at ${screen.viewport.width} pixels`
        assert.deepStrictEqual(yield* accessibilityFaults(opened.page), [], where)
        const width = yield* Effect.promise(() =>
          opened.page.evaluate<number>("document.documentElement.scrollWidth")
        )
        assert.isAtMost(width, screen.viewport.width, `the width of ${where}`)
        assertQuiet(opened)
      }).pipe(Effect.scoped),
    { discard: true }
  )
