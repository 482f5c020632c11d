/**
 * Follows a compacted topic with one partition for the life of the scope, and hands each record to its caller. A record
 * that cannot be decoded is handed to `putAside` and skipped: at each start again, because each start reads the whole
 * topic.
 */
import { Effect, Latch, Result, type Scope } from "effect"
import { Limits } from "../config/Limits.ts"
import { retryUntilSuccess } from "../observe/RetryUntilSuccess.ts"
import { Log, type LogError, type LogRecord } from "./Log.ts"
import { logWentBack, StartAnew } from "./StartAnew.ts"

export interface CompactedView {
  /** Waits until every record has been handled that was in the topic at the time of the call. */
  readonly caughtUp: Effect.Effect<void, LogError>
}

export interface Unreadable {
  readonly record: LogRecord
  readonly reason: string
}

/** Keeps records that were skipped. If it fails, they are read again. */
export type PutAside = (unreadable: ReadonlyArray<Unreadable>) => Effect.Effect<void, unknown>

/** `apply` fails, or throws, with the reason why the record is skipped. Its value is null if the key was deleted. */
export const follow = (
  topic: string,
  apply: (key: string, value: string | null) => Result.Result<void, string>,
  putAside: PutAside
): Effect.Effect<CompactedView, never, Log | Scope.Scope> =>
  Effect.gen(function* () {
    const log = yield* Log
    const startAnew = yield* StartAnew
    const partition = { topic, partition: 0 }
    let next = 0
    const advanced = Latch.makeUnsafe()

    const advance = (to: number) => {
      next = Math.max(next, to)
      return advanced.release
    }

    /** If `apply` throws, it counts as failed, so that no record can stop the view. */
    const applied = ({ key, value }: LogRecord): Result.Result<void, string> =>
      Result.flatMap(Result.try({ try: () => apply(key, value), catch: String }), (result) => result)

    const readMore = Effect.gen(function* () {
      // The end is read before the records: if nothing is read below it, compaction has dropped what was there.
      const { end } = yield* log.offsets(partition)
      if (end < next) yield* startAnew(logWentBack(`${topic} ends at ${end}, and ${next} records were read`))
      const records = yield* log.read({ ...partition, offset: next }, Limits.logReadRecords)
      const unreadable: Array<Unreadable> = []
      for (const record of records) {
        const result = applied(record)
        if (Result.isFailure(result)) unreadable.push({ record, reason: result.failure })
      }
      if (unreadable.length > 0) yield* putAside(unreadable)
      const last = records.at(-1)
      if (last !== undefined) yield* advance(last.offset + 1)
      else {
        yield* advance(end)
        yield* log.awaitOffset({ ...partition, offset: next })
      }
    })
    yield* Effect.forkScoped(Effect.forever(readMore.pipe(retryUntilSuccess(`following ${topic}`))))

    const reached = (offset: number): Effect.Effect<void> =>
      Effect.suspend(() =>
        next >= offset ? Effect.void : Effect.flatMap(advanced.await, () => reached(offset))
      )
    return { caughtUp: Effect.flatMap(log.offsets(partition), ({ end }) => reached(end)) }
  })
