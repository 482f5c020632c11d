/** Prints the lists of the API, page by page. */
import { Effect } from "effect"
import type { Page } from "../terminal/Table.ts"

/** The most items that the API returns in a page. */
const PAGE_ITEMS = 100

interface ApiPage<A> {
  readonly data: ReadonlyArray<A>
  readonly has_more: boolean
  readonly next_cursor: string | null
}

/** Each run reads the next page, until `most` items are read. */
export const nextPage = <A, E, R>(
  read: (page: { readonly limit: string; readonly cursor?: string }) => Effect.Effect<ApiPage<A>, E, R>,
  most = Number.POSITIVE_INFINITY
): Effect.Effect<Page<A>, E, R> => {
  let left = most
  let cursor: string | null = null
  return Effect.suspend(() =>
    read({ limit: String(Math.min(left, PAGE_ITEMS)), ...(cursor === null ? {} : { cursor }) })
  ).pipe(
    Effect.map(({ data, has_more, next_cursor }) => {
      left -= data.length
      cursor = next_cursor
      return { items: data, more: has_more && left > 0 }
    })
  )
}
