/** The metrics of replay and retry jobs. */
import { counter } from "../../spine/observe/MetricKinds.ts"

export const replayJobsEnded = counter(
  "ledgerhook_replay_jobs_ended_total",
  "Replay and retry jobs that have ended",
  {
    state: ["completed", "failed", "cancelled"]
  }
)
