/**
 * Pages of lists, newest first by id. A cursor is the last id shown plus a hash of that id, the caller and the filters.
 * If the caller or a filter changes, the cursor is refused, so a page never silently belongs to another list.
 */
import { hash } from "node:crypto"
import { Effect } from "effect"
import { pageDefaults } from "./contract/Common.ts"
import { ValidationError } from "./Errors.ts"

/** Identifies a list: its name, the caller, and every filter. */
type ListKey = ReadonlyArray<string | number | undefined>

interface PageQuery {
  readonly limit?: string
  readonly cursor?: string
}

const HASH_CHARS = 12

const hashOf = (list: ListKey, id: string): string =>
  hash("sha256", JSON.stringify([...list, id]), "base64url").slice(0, HASH_CHARS)

const cursorOf = (list: ListKey, lastId: string): string =>
  Buffer.from(`${hashOf(list, lastId)}${lastId}`).toString("base64url")

/** The id before which the page begins; undefined if the cursor was not made for this list. */
const idOfCursor = (list: ListKey, cursor: string): string | undefined => {
  const id = Buffer.from(cursor, "base64url").toString().slice(HASH_CHARS)
  return cursorOf(list, id) === cursor ? id : undefined
}

/** `read` returns at most `limit` rows with ids below `beforeId`, newest first. */
export const page = Effect.fnUntraced(function* <Row extends { readonly id: string }, Item, E, R>(
  query: PageQuery,
  list: ListKey,
  read: (beforeId: string | undefined, limit: number) => Effect.Effect<ReadonlyArray<Row>, E, R>,
  itemOf: (row: Row) => Item
) {
  const limit = query.limit === undefined ? pageDefaults.limit : Number(query.limit)
  const beforeId = query.cursor === undefined ? undefined : idOfCursor(list, query.cursor)
  if (query.cursor !== undefined && beforeId === undefined) {
    return yield* ValidationError.because(
      "cursor must be the next_cursor of the previous page, with the same filters, account and key environment."
    )
  }
  // One more row than shown: it exists if there is another page.
  const rows = yield* read(beforeId, limit + 1)
  const shown = rows.slice(0, limit)
  const has_more = rows.length > limit
  return {
    data: shown.map(itemOf),
    has_more,
    next_cursor: has_more ? cursorOf(list, shown.at(-1)!.id) : null
  }
})
