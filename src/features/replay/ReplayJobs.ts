/**
 * Stage 6: replays past events. Each process claims up to `replayJobs` jobs, oldest first. If a process dies, another
 * one takes its jobs over when their leases end.
 */

import { Clock, Effect, FiberSet, Option, Semaphore } from "effect"
import { Settings } from "../../spine/config/Config.ts"
import { BackfillRequests } from "../../spine/ledger/backfill/BackfillRequests.ts"
import { StoredEvents } from "../../spine/log/ledgers/StoredEvents.ts"
import { retryUntilSuccess } from "../../spine/observe/RetryUntilSuccess.ts"
import { WorkNotices } from "../../spine/store/outbox/WorkNotices.ts"
import { replayLimits } from "./Limits.ts"
import { runJob } from "./ReplayRunner.ts"
import { ReplayWork } from "./ReplayWork.ts"

export const replay = Effect.gen(function* () {
  const jobs = yield* ReplayWork
  const notices = yield* WorkNotices
  const slots = yield* Semaphore.make(replayLimits.replayJobs)
  const fibers = yield* FiberSet.make<void, never>()

  // The settings may have changed: jobs that wait for history which no server provides any more must fail.
  const { networks } = yield* Settings
  const { failOthers } = yield* BackfillRequests
  yield* failOthers(
    networks.flatMap(({ historyUrls, network }) => (historyUrls.length === 0 ? [] : [network]))
  ).pipe(retryUntilSuccess("failing replay jobs without history servers"))

  const claim = Effect.flatMap(Clock.currentTimeMillis, jobs.claim).pipe(
    retryUntilSuccess("claiming a replay job")
  )
  const next = Effect.gen(function* () {
    yield* Semaphore.take(slots, 1)
    const job = yield* claim
    if (Option.isSome(job)) {
      yield* FiberSet.run(fibers, Effect.ensuring(runJob(job.value), Semaphore.release(slots, 1)))
    } else {
      yield* Semaphore.release(slots, 1)
      yield* notices.next("replays")
    }
  })
  return yield* Effect.raceFirst(Effect.forever(next), FiberSet.join(fibers))
}).pipe(Effect.scoped, Effect.provide(StoredEvents.layer))
