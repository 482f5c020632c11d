/**
 * Pages of lists, newest first by id unless a list says otherwise. A cursor is the last id shown (or its `place`, where
 * the list has another order) plus an HMAC of it, the caller and the filters.
 * Only this service can make one (its key derives from SECRETS_KEY), so what a cursor holds needs no further check, and
 * a page never silently belongs to another caller or to other filters.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { Effect } from "effect"
import { SecretBox } from "../spine/store/secrets/SecretBox.ts"
import { pageDefaults } from "./ContractParts.ts"
import { ValidationError } from "./Errors.ts"

/** Identifies a list: its name, the caller, and every filter. */
type ListKey = ReadonlyArray<string | number | undefined>

interface PageQuery {
  readonly limit?: string
  readonly cursor?: string
}

const MAC_BYTES = 16

const macOf = (key: Buffer, list: ListKey, id: string): Buffer =>
  createHmac("sha256", key)
    .update(JSON.stringify([...list, id]))
    .digest()
    .subarray(0, MAC_BYTES)

const cursorOf = (key: Buffer, list: ListKey, lastId: string): string =>
  Buffer.concat([macOf(key, list, lastId), Buffer.from(lastId)]).toString("base64url")

/** The id before which the page begins; undefined if none of the keys made the cursor for this list. */
const idOfCursor = (keys: ReadonlyArray<Buffer>, list: ListKey, cursor: string): string | undefined => {
  const bytes = Buffer.from(cursor, "base64url")
  const mac = bytes.subarray(0, MAC_BYTES)
  // Node ignores characters that are not base64url, so one cursor would have many spellings.
  if (mac.length < MAC_BYTES || bytes.toString("base64url") !== cursor) return undefined
  const id = bytes.subarray(MAC_BYTES).toString()
  return keys.some((key) => timingSafeEqual(macOf(key, list, id), mac)) ? id : undefined
}

/** Returns the function that makes pages. */
export const makePage = Effect.gen(function* () {
  const { keysFor } = yield* SecretBox

  /** `read` returns at most `limit` rows with ids below `beforeId`, newest first. */
  return Effect.fnUntraced(function* <
    Row extends { readonly id: string; readonly place?: string },
    Item,
    E,
    R
  >(
    query: PageQuery,
    list: ListKey,
    read: (beforeId: string | undefined, limit: number) => Effect.Effect<ReadonlyArray<Row>, E, R>,
    itemOf: (row: Row) => Item
  ) {
    const limit = query.limit === undefined ? pageDefaults.limit : Number(query.limit)
    const [key, ...previous] = keysFor("cursors")
    const beforeId =
      query.cursor === undefined ? undefined : idOfCursor([key, ...previous], list, query.cursor)
    if (query.cursor !== undefined && beforeId === undefined) {
      return yield* ValidationError.because(
        "cursor must be the next_cursor of the previous page, with the same filters, account and key environment.",
        { param: "cursor" }
      )
    }
    // One more row than shown: it exists if there is another page.
    const rows = yield* read(beforeId, limit + 1)
    const shown = rows.slice(0, limit)
    const has_more = rows.length > limit
    const last = shown.at(-1)
    return {
      data: shown.map(itemOf),
      has_more,
      next_cursor: last !== undefined && has_more ? cursorOf(key, list, last.place ?? last.id) : null
    }
  })
})
