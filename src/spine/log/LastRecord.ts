/** Finds the last record of a partition by reading, since compaction may have dropped the newest offsets. */
import { Effect } from "effect"
import { Limits } from "../config/Limits.ts"
import type { LogReader, LogRecord, Partition } from "./Log.ts"

export const makeLast = ({ offsets, read }: Pick<LogReader["Service"], "offsets" | "read">) => {
  /** The last record at `offset` or later. */
  const lastFrom = Effect.fnUntraced(function* (partition: Partition, offset: number) {
    let last: LogRecord | undefined
    for (let next = offset; ; next = last.offset + 1) {
      const found: LogRecord | undefined = (yield* read(
        { ...partition, offset: next },
        Limits.logReadRecords
      )).at(-1)
      if (found === undefined) return last
      last = found
    }
  })

  return Effect.fnUntraced(function* (partition: Partition) {
    const { start, end } = yield* offsets(partition)
    // Each round reads from twice as far back.
    for (let span = 1; ; span *= 2) {
      const from = Math.max(start, end - span)
      const found = yield* lastFrom(partition, from)
      if (found !== undefined || from === start) return found
    }
  })
}
