/**
 * Pages of lists, newest first by id. A cursor is the last id shown, with a hash over it, whose list it is and its
 * filters: with any of them changed it is refused, so that a page never silently belongs to another list.
 */
import { hash } from "node:crypto"
import { Effect } from "effect"
import { pageDefaults } from "./contract/Common.ts"
import { ValidationError } from "./Errors.ts"

/** What a list depends on, besides where a page begins: who asks, and every filter. */
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

/** The id before which the page begins; undefined for a cursor that was not made for this list. */
const idOfCursor = (list: ListKey, cursor: string): string | undefined => {
  const id = Buffer.from(cursor, "base64url").toString().slice(HASH_CHARS)
  return cursorOf(list, id) === cursor ? id : undefined
}

/** The page that is asked for. `read` gives at most `limit` rows with ids below `beforeId`, newest first. */
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
      "cursor must be the next_cursor of a page with the same filters and the same kind of key."
    )
  }
  // One more than is shown tells whether more follow.
  const rows = yield* read(beforeId, limit + 1)
  const shown = rows.slice(0, limit)
  const has_more = rows.length > limit
  return {
    data: shown.map(itemOf),
    has_more,
    next_cursor: has_more ? cursorOf(list, shown.at(-1)!.id) : null
  }
})
