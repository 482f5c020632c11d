/** The metrics of streams. */
import { counter } from "../../../spine/observe/MetricKinds.ts"

export const StreamMetrics = {
  streamsEnded: counter(
    "ledgerhook_streams_ended_total",
    "Streams of events and of ledgers that have ended. `reader`: the reader closed it",
    { reason: ["reader", "slow", "stalled", "key", "unchecked", "log", "stop"] }
  )
} as const
