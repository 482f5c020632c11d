/** Upkeep of webhooks' health: stores the outcomes of incidents every minute. A pass may be repeated at any point. */
import { Clock, Effect } from "effect"
import { Settings } from "../../spine/config/Config.ts"
import { Limits } from "../../spine/config/Limits.ts"
import { repeatEvery } from "../../spine/observe/RetryUntilSuccess.ts"
import { storeOutcomes } from "./IncidentStore.ts"

export const keepHealth = Effect.gen(function* () {
  const { retentionDeliveriesMs } = yield* Settings
  const pass = Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
    storeOutcomes(nowMs, nowMs - retentionDeliveriesMs)
  )
  return yield* pass.pipe(repeatEvery("health of webhooks", Limits.sweepMs))
})
