/** The metrics of replay and retry jobs. */
import { counter, gauge } from "../../spine/observe/MetricKinds.ts"

export const JobMetrics = {
  open: gauge("ledgerhook_replay_jobs", "Replay and retry jobs that have not ended. Of one process", {
    state: ["queued", "running"]
  }),
  ended: counter("ledgerhook_replay_jobs_ended_total", "Replay and retry jobs that have ended", {
    state: ["completed", "failed", "cancelled"]
  })
} as const
