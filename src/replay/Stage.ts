/**
 * Stage 6: past events again. Any number of processes take jobs, the oldest first, each a few at once; a job whose
 * process died is taken over when its lease is over.
 */
import { Clock, Effect, FiberSet, Option, Semaphore } from "effect"
import { Settings } from "../config/Config.ts"
import { Limits } from "../config/Limits.ts"
import { retryUntilSuccess } from "../observability/RetryUntilSuccess.ts"
import { WorkNotices } from "../storage/outbox/WorkNotices.ts"
import { HistoryRequests } from "../storage/replays/HistoryRequests.ts"
import { ReplayWork } from "../storage/replays/ReplayWork.ts"
import { runJob } from "./Runner.ts"

/** Never ends by itself. */
export const replay = Effect.gen(function* () {
  const jobs = yield* ReplayWork
  const notices = yield* WorkNotices
  const places = yield* Semaphore.make(Limits.replayJobs)
  const fibers = yield* FiberSet.make<void, never>()

  // Their settings may have been changed while jobs waited.
  const { networks } = yield* Settings
  const { failOthers } = yield* HistoryRequests
  yield* failOthers(
    networks.flatMap(({ historyUrls, network }) => (historyUrls.length === 0 ? [] : [network]))
  ).pipe(retryUntilSuccess("looking for replay jobs"))

  const claim = Effect.flatMap(Clock.currentTimeMillis, jobs.claim).pipe(
    retryUntilSuccess("looking for replay jobs")
  )
  const next = Effect.gen(function* () {
    yield* Semaphore.take(places, 1)
    const job = yield* claim
    if (Option.isSome(job)) {
      yield* FiberSet.run(fibers, Effect.ensuring(runJob(job.value), Semaphore.release(places, 1)))
    } else {
      yield* Semaphore.release(places, 1)
      yield* notices.next("replays")
    }
  })
  return yield* Effect.raceFirst(Effect.forever(next), FiberSet.join(fibers))
}).pipe(Effect.scoped)
