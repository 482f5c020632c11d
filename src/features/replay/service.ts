/** What a running service gets from the feature. */
import { Layer } from "effect"
import { WorkNotices } from "../../spine/store/outbox/WorkNotices.ts"
import { supervised } from "../../spine/store/Supervised.ts"
import { makeService } from "../Feature.ts"
import { keepJobs } from "./JobEnds.ts"
import { Replay } from "./ReplayContract.ts"
import { replayLayer } from "./ReplayHandlers.ts"
import { replay } from "./ReplayJobs.ts"
import { ReplayStore } from "./ReplayStore.ts"
import { ReplayWork } from "./ReplayWork.ts"
import { RetryJobs } from "./RetryJobsContract.ts"
import { retryJobsLayer } from "./RetryJobsHandlers.ts"
import { RetryWork } from "./RetryWork.ts"

export const service = makeService({
  api: { groups: [RetryJobs, Replay], handlers: Layer.merge(retryJobsLayer, replayLayer) },
  stores: Layer.mergeAll(ReplayStore.layer, ReplayWork.layer, RetryWork.layer),
  stages: [{ roles: ["replay"], layer: supervised("replay", replay).pipe(Layer.provide(WorkNotices.layer)) }],
  upkeep: [keepJobs]
})
