/** Watches how many deliveries of a job have ended, while its page is open. */
import { useEffect, useState } from "react"
import type { ReplayJob } from "../../api/ledgerhook.ts"
import { paceOf, type Sample, withSample } from "./progress.ts"

/** Samples that are kept: 10 minutes of them. */
const KEPT = 200

/** `at`: when the job was read, in Unix milliseconds. */
export const usePace = (job: ReplayJob, at: number) => {
  const [samples, setSamples] = useState<ReadonlyArray<Sample>>([])
  useEffect(() => setSamples((before) => withSample(before, job, at).slice(-KEPT)), [job, at])
  return { samples, pace: paceOf(samples) }
}
