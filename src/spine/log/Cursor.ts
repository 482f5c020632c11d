/** Reads the records of a partition one by one. They are fetched `Limits.logReadRecords` at a time. */
import { Effect } from "effect"
import { Limits } from "../config/Limits.ts"
import type { LogReader, LogRecord, Position } from "./Log.ts"

export const makeCursor = (log: Pick<LogReader["Service"], "read">, start: Position) => {
  let page: ReadonlyArray<LogRecord> = []
  let place = 0
  let offset = start.offset
  /** The next record, which stays the next one; undefined at the end. */
  const peek = Effect.gen(function* () {
    if (place === page.length) {
      page = yield* log.read({ ...start, offset }, Limits.logReadRecords)
      place = 0
    }
    return page[place]
  })
  const next = Effect.tap(peek, (record) =>
    Effect.sync(() => {
      if (record === undefined) return
      place++
      offset = record.offset + 1
    })
  )
  return { next, peek }
}
