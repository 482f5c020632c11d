/**
 * Stage 4: work → attempts. One actor per partition of `webhooks.deliveries` that this process owns, with the partition
 * of that number of `webhooks.replays`, and a sweep that ends what has waited too long for a disabled webhook.
 */
import { Clock, Effect } from "effect"
import { Limits } from "../config/Limits.ts"
import { StageLimits } from "../config/StageLimits.ts"
import { DELIVERIES_TOPIC, REPLAYS_TOPIC } from "../domain/Delivery.ts"
import { EventLog } from "../log/EventLog.ts"
import { retryUntilSuccess } from "../observability/RetryUntilSuccess.ts"
import { DeliveryStore } from "../storage/deliveries/DeliveryStore.ts"
import * as Actor from "./Actor.ts"
import { BacklogEvents } from "./BacklogEvents.ts"
import { ConnectionLimiter } from "./ConnectionLimiter.ts"
import { ReplayPace } from "./ReplayPace.ts"

const sweep = Effect.gen(function* () {
  const deliveries = yield* DeliveryStore
  const now = yield* Clock.currentTimeMillis
  const ended = yield* deliveries.failBacklogOfDisabled(now - Limits.disabledQueueMs, "webhook disabled", now)
  if (ended > 0) yield* Effect.logInfo(`${ended} deliveries ended: their webhooks stayed disabled`)
})

/** Never ends by itself. */
export const deliver = Effect.gen(function* () {
  const { disabledSweepMs } = yield* StageLimits
  const log = yield* EventLog
  const actors = Actor.makeActors()
  yield* Effect.raceFirst(
    log.consume(
      { group: "deliver", topics: [DELIVERIES_TOPIC, REPLAYS_TOPIC], together: true },
      (partition) =>
        partition.topic === DELIVERIES_TOPIC
          ? Actor.run(partition, actors)
          : Actor.runReplays(partition, actors)
    ),
    Effect.forever(
      Effect.andThen(
        sweep.pipe(retryUntilSuccess("ending what waits for disabled webhooks")),
        Effect.sleep(disabledSweepMs)
      )
    )
  )
}).pipe(Effect.provide([ReplayPace.layer, BacklogEvents.layer, ConnectionLimiter.layer]))
