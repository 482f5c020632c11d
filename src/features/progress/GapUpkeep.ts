/**
 * Upkeep of webhooks' gaps, also of what the log lost. Each pass reads up to which ledger events are routed, and then
 * which accounts are on hold. So a hold that it sees for the first time has begun after the position of the pass before.
 * A gap that has ended gets its last ledger two passes later: by then route knows that it has ended, and what it routed
 * before is not newer. If the log of a network cannot be read, the others have their pass all the same.
 */
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Settings, watchedNetworks } from "../../spine/config/Config.ts"
import { UsageStore } from "../../spine/deliveries/UsageStore.ts"
import { type Hold, monthOf } from "../../spine/domain/Quota.ts"
import { Log } from "../../spine/log/Log.ts"
import { repeatEvery } from "../../spine/observe/RetryUntilSuccess.ts"
import { type EndedGap, makeGapStore, type NetworkPosition } from "../../spine/registry/GapStore.ts"
import { makeLostLedgers } from "../../spine/registry/LostLedgers.ts"
import { eachAlone } from "../../spine/words/EachAlone.ts"
import { gapNotices } from "../health/notify/GapNotices.ts"
import { queueNotices } from "../health/notify/NoticeStore.ts"
import { progressLimits } from "./Limits.ts"
import { readRouted } from "./UnfinishedWork.ts"

const ofQuota = (holds: ReadonlyMap<string, Hold>) =>
  [...holds].flatMap(([id, hold]) => (hold === "quota" ? [id] : []))

/** Returns a pass. */
export const makeGapSweep = Effect.gen(function* () {
  const networks = watchedNetworks(yield* Settings)
  const log = yield* Log
  const usage = yield* UsageStore
  const gaps = yield* makeGapStore
  const lost = yield* makeLostLedgers
  const sql = yield* SqlClient.SqlClient
  let ended: ReadonlyArray<EndedGap> = []
  let sweptMs: number | undefined

  return Effect.gen(function* () {
    const routed: Array<NetworkPosition> = []
    const read = yield* Effect.exit(
      eachAlone(
        networks,
        Effect.fnUntraced(function* (network) {
          const found = yield* readRouted(log, network)
          // Afterwards: what was read of a topic that was made again is of no use.
          if (!(yield* lost.look(network, found?.newest)) || found === undefined) return
          routed.push({ network, routedThrough: found.through, newest: found.newest })
        })
      )
    )
    const nowMs = yield* Clock.currentTimeMillis
    const held = ofQuota(yield* usage.holds(nowMs))
    // A quota that was used up a moment before the month's end.
    const wasHeld =
      sweptMs === undefined || monthOf(sweptMs) === monthOf(nowMs)
        ? held
        : [...held, ...ofQuota(yield* usage.holds(sweptMs))]
    yield* gaps.sweep(routed, wasHeld, held, ended)
    ended = yield* gaps.ended
    sweptMs = nowMs
    yield* lost.open((opened) => queueNotices(sql, gapNotices(opened, nowMs), nowMs))
    // Shown, and tried again. The gaps of this network get their last ledger when its log can be read.
    yield* read
  })
})

export const keepGaps = Effect.gen(function* () {
  const sweep = yield* makeGapSweep
  return yield* sweep.pipe(repeatEvery("gaps of webhooks", progressLimits.gapSweepMs))
})
