/** Makes the partitions of the coming days, and drops those past RETENTION_DELIVERIES. */

import { Clock, Effect, Option } from "effect"
import { Settings } from "../config/Config.ts"
import { Limits } from "../config/Limits.ts"
import { DAY_MS, DAYS_AHEAD } from "../log/TimePartitions.ts"
import { makeClockTrust } from "../observe/ClockTrust.ts"
import { repeatEvery } from "../observe/RetryUntilSuccess.ts"
import { DeliveryStore } from "./DeliveryStore.ts"
import { deliveryRowLimits } from "./Limits.ts"
import { Partitions } from "./Partitions.ts"

/**
 * Drops days past RETENTION_DELIVERIES. A day that has backlog is kept, with all days
 * after it: an account's quota may be used up for longer than deliveries are kept. After deliveryRowLimits.waitingKeptMs more,
 * its deliveries end `failed`, and the next run drops the day.
 */
export const applyRetention = Effect.fnUntraced(function* (now: number) {
  const { retentionDeliveriesMs } = yield* Settings
  const partitions = yield* Partitions
  const deliveries = yield* DeliveryStore
  const keptFrom = now - retentionDeliveriesMs
  const oldestInBacklog = Option.getOrElse(yield* deliveries.oldestInBacklog, () => keptFrom)
  const dropped = yield* partitions.drop(Math.min(keptFrom, oldestInBacklog))
  if (dropped > 0)
    yield* Effect.logInfo(`retention dropped ${dropped} partitions of deliveries, attempts and their totals`)
  const ended = yield* deliveries.failBacklogBefore(
    keptFrom - deliveryRowLimits.waitingKeptMs,
    "waited too long",
    now
  )
  if (ended > 0) yield* Effect.logWarning(`${ended} deliveries failed: they waited past their retention`)
})

/** Makes partitions ahead, and applies retention. Hourly. */
export const maintain = Effect.gen(function* () {
  const partitions = yield* Partitions
  const isTrusted = yield* makeClockTrust("retention of deliveries")
  const once = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    yield* partitions.ensure(now, now + DAYS_AHEAD * DAY_MS)
    if (yield* isTrusted) yield* applyRetention(now)
  })
  return yield* once.pipe(repeatEvery("retention of deliveries", Limits.maintenanceMs))
})
