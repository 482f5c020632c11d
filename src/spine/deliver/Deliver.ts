/**
 * Stage 4: work → attempts. Runs an actor for each partition of `webhooks.deliveries` that this process owns, and
 * feeds it the partition of the same number of `webhooks.replays`. A sweep ends deliveries that have waited for
 * `stoppedQueueMs` for a disabled or paused webhook.
 */
import { Clock, Effect } from "effect"
import { Limits } from "../config/Limits.ts"
import { DeliveryStore } from "../deliveries/DeliveryStore.ts"
import { DELIVERIES_TOPIC, REPLAYS_TOPIC } from "../domain/Delivery.ts"
import { Log } from "../log/Log.ts"
import { StoredEvents } from "../log/ledgers/StoredEvents.ts"
import { LogIsBack } from "../log/StartAnew.ts"
import { deleteEvery } from "../observe/ClockTrust.ts"
import { EventLoopLag } from "../observe/EventLoopLag.ts"
import { Metrics } from "../observe/Metrics.ts"
import { retryUntilSuccess } from "../observe/RetryUntilSuccess.ts"
import { showAge } from "../observe/StageAges.ts"
import * as Actor from "./Actor.ts"
import type { Dispatcher } from "./queue/Dispatcher.ts"
import { ReplayPace } from "./queue/ReplayPace.ts"
import { ConnectionLimiter } from "./send/ConnectionLimiter.ts"

const DAY_MS = 24 * 3_600_000

export const endStoppedBacklog = Effect.gen(function* () {
  const deliveries = yield* DeliveryStore
  const now = yield* Clock.currentTimeMillis
  for (const [why, reason] of [
    ["disabled", "webhook disabled"],
    ["paused", `webhook paused for more than ${Limits.stoppedQueueMs / DAY_MS} days`]
  ] as const) {
    const ended = yield* deliveries.failBacklogOf(why, now - Limits.stoppedQueueMs, reason, now)
    if (ended > 0)
      yield* Effect.logInfo(`${ended} deliveries failed: their webhooks were ${why} for too long`)
  }
})

export const deliver = Effect.gen(function* () {
  const log = yield* Log
  const store = yield* DeliveryStore
  // Attempts that ended after the log had gone back may have been recorded: the log has no retry of them.
  if (yield* LogIsBack)
    yield* store.moveAllToBacklog.pipe(retryUntilSuccess("moving what waits to the backlog"))
  const actors = Actor.makeActors()
  const sum = (of: (dispatcher: Dispatcher) => number) => () =>
    Array.from(actors.running.values(), ({ dispatcher }) => of(dispatcher)).reduce(
      (total, one) => total + one,
      0
    )
  yield* Metrics.lanes.observe(
    {},
    sum((dispatcher) => dispatcher.webhooks())
  )
  yield* Metrics.attemptsInFlight.observe(
    {},
    sum((dispatcher) => dispatcher.inFlight())
  )
  const lag = yield* EventLoopLag
  yield* showAge("backlog", () =>
    Math.max(0, ...Array.from(actors.running.values(), ({ dispatcher }) => dispatcher.heldUpMs(lag.meanMs)))
  )
  yield* Effect.raceFirst(
    log.consume(
      { group: "deliver", topics: [DELIVERIES_TOPIC, REPLAYS_TOPIC], together: true },
      (partition) =>
        partition.topic === DELIVERIES_TOPIC
          ? Actor.run(partition, actors)
          : Actor.runReplays(partition, actors)
    ),
    endStoppedBacklog.pipe(deleteEvery("ending the backlog of stopped webhooks", Limits.maintenanceMs))
  )
}).pipe(Effect.scoped, Effect.provide([ReplayPace.layer, StoredEvents.layer, ConnectionLimiter.layer]))
