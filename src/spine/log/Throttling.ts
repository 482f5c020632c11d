/**
 * How long the brokers have lately made this process wait, because a quota of Kafka limits its user. That is no failure:
 * work is slower, and none is lost. The part `log` shows it.
 */
import { Context, Effect } from "effect"
import { Metrics } from "../observe/Metrics.ts"
import { monotonicNow } from "../words/Monotonic.ts"

/** How long it is shown after the last wait. */
const SHOWN_MS = 60_000

class LastThrottled extends Context.Reference<{ atMs: number }>("ledgerhook/log/LastThrottled", {
  defaultValue: () => ({ atMs: Number.NEGATIVE_INFINITY })
}) {}

/** Notes a wait that a broker's answer names. */
export const noteThrottled = Effect.fnUntraced(function* (throttleMs: number) {
  const last = yield* LastThrottled
  last.atMs = yield* monotonicNow
  yield* Metrics.kafkaThrottled.add({}, throttleMs / 1_000)
  yield* Effect.logWarning("Kafka's brokers throttle this user: a quota limits it, and work waits")
})

/** Whether brokers have throttled this process within the last minute. */
export const isThrottled = Effect.gen(function* () {
  const { atMs } = yield* LastThrottled
  return (yield* monotonicNow) - atMs < SHOWN_MS
})
