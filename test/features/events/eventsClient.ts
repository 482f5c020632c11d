/** Reads the event index over HTTP, with all pages of a list. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { KeyEnvironment } from "../../../src/spine/event/Network.ts"
import { type Answer, ApiUnderTest } from "../../support/http/api.ts"

export type Query = Readonly<Record<string, string | ReadonlyArray<string>>>

export const pathOf = (query: Query): string => {
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      (typeof value === "string" ? [value] : value).map((one) => [name, one])
    )
  )
  return `/v1/events?${search}`
}

export const eventsClient = Effect.fnUntraced(function* (environment: KeyEnvironment) {
  const api = yield* ApiUnderTest
  const { key } = yield* api.account(environment)
  const get = (path: string) => api.call("GET", path, { key })
  const allPages = Effect.fnUntraced(function* (query: Query) {
    const pages: Array<Answer> = []
    let cursor: string | null = null
    do {
      const page: Answer = yield* get(pathOf(cursor === null ? query : { ...query, cursor }))
      assert.strictEqual(page.status, 200, page.text)
      assert.strictEqual(page.body.has_more, page.body.next_cursor !== null)
      pages.push(page)
      cursor = page.body.next_cursor
    } while (cursor !== null)
    return pages.flatMap(({ body }) => body.data)
  })
  return { get, allPages }
})
