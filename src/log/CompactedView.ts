/**
 * A map of a compacted topic with one partition: the newest value of each key, kept up to date for the life of the
 * scope. A record that cannot be decoded is logged and skipped. `caughtUp` waits until the map contains every record
 * that was in the topic at the time of the call.
 */
import { Effect, Latch, Result, type Scope } from "effect"
import { Limits } from "../config/Limits.ts"
import { retryUntilSuccess } from "../observability/RetryUntilSuccess.ts"
import { EventLog, type EventLogError, type LogRecord } from "./EventLog.ts"

export interface CompactedView<A> {
  readonly values: ReadonlyMap<string, A>
  readonly caughtUp: Effect.Effect<void, EventLogError>
}

export const make = <A>(options: {
  readonly topic: string
  /** Fails with the reason why the record is skipped. */
  readonly decode: (value: string) => Result.Result<A, string>
  /** Called after each change. `value` is undefined if the key was deleted. */
  readonly onChange: (key: string, value: A | undefined) => void
}): Effect.Effect<CompactedView<A>, never, EventLog | Scope.Scope> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const partition = { topic: options.topic, partition: 0 }
    const values = new Map<string, A>()
    let next = 0
    let advanced = Latch.makeUnsafe()

    /** A decoder that throws counts as failed, so that no record can stop the view. */
    const decode = (value: string): Result.Result<A, string> => {
      try {
        return options.decode(value)
      } catch (error) {
        return Result.fail(String(error))
      }
    }

    const apply = Effect.fnUntraced(function* (record: LogRecord) {
      const { key, value } = record
      if (value === null) {
        if (values.delete(key)) options.onChange(key, undefined)
        return
      }
      const decoded = decode(value)
      if (Result.isFailure(decoded)) {
        yield* Effect.logError(`${record.topic}@${record.offset} (${key}) is skipped: ${decoded.failure}`)
        return
      }
      values.set(key, decoded.success)
      options.onChange(key, decoded.success)
    })

    const advance = (to: number) => {
      next = Math.max(next, to)
      const waiting = advanced
      advanced = Latch.makeUnsafe()
      waiting.openUnsafe()
    }

    const follow = Effect.gen(function* () {
      // The end is read before the records: if nothing is read below it, compaction has dropped what was there.
      const { end } = yield* log.offsets(partition)
      const records = yield* log.read({ ...partition, offset: next }, Limits.logReadRecords)
      for (const record of records) yield* apply(record)
      const last = records.at(-1)
      if (last !== undefined) advance(last.offset + 1)
      else {
        advance(end)
        yield* log.awaitOffset({ ...partition, offset: next })
      }
    })
    yield* Effect.forkScoped(Effect.forever(follow.pipe(retryUntilSuccess(`following ${options.topic}`))))

    const reached = (offset: number): Effect.Effect<void> =>
      Effect.suspend(() =>
        next >= offset ? Effect.void : Effect.flatMap(Latch.await(advanced), () => reached(offset))
      )
    return {
      values,
      caughtUp: Effect.flatMap(log.offsets(partition), ({ end }) => reached(end))
    }
  })
