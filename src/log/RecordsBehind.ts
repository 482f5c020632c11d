/** The metric of how many records of the log each group of consumers has not finished. One process reads it. */
import { Effect } from "effect"
import { Limits } from "../config/Limits.ts"
import { Metrics } from "../observability/Metrics.ts"
import { repeatEvery } from "../observability/RetryUntilSuccess.ts"
import { EventLog, type Partition } from "./EventLog.ts"
import { partitionsOf } from "./Topics.ts"

export interface ConsumerGroup {
  readonly group: "events" | "route" | "deliver"
  readonly topics: ReadonlyArray<string>
}

/** Records that retention has dropped are not behind. */
const behindIn = Effect.fnUntraced(function* (group: string, partition: Partition) {
  const log = yield* EventLog
  // The end is read first: a record that is appended and finished between the two reads does not make it negative.
  const { end, start } = yield* log.offsets(partition)
  return Math.max(0, end - Math.max(start, yield* log.committed(group, partition)))
})

export const showRecordsBehind = (groups: ReadonlyArray<ConsumerGroup>) =>
  Effect.gen(function* () {
    const behind = new Map<string, number>()
    for (const { group } of groups)
      yield* Metrics.recordsBehind.observe({ group }, () => behind.get(group) ?? Number.NaN)
    const read = Effect.forEach(
      groups,
      Effect.fnUntraced(function* ({ group, topics }) {
        const partitions = topics.flatMap((topic) =>
          Array.from({ length: partitionsOf(topic) }, (_, partition) => ({ topic, partition }))
        )
        const each = yield* Effect.forEach(partitions, (partition) => behindIn(group, partition), {
          concurrency: Limits.metricsReadsAtOnce
        })
        behind.set(
          group,
          each.reduce((total, one) => total + one, 0)
        )
      }),
      { discard: true }
    )
    return yield* repeatEvery("reading how far consumers are behind", Limits.metricsReadMs)(read)
  }).pipe(Effect.scoped)
