/**
 * The lanes of one actor. `offer` queues work or says that it must be parked; lanes start attempts within their
 * webhook's window and rate, page their backlog, and hand what they sent to the recorder. Memory is bounded by
 * Limits.partitionDeliveries, and no lane waits for another.
 */
import { Clock, Effect, FiberSet, Latch } from "effect"
import { Limits } from "../config/Limits.ts"
import { patiently } from "../config/Retrying.ts"
import { type Passage, passageUnder } from "../domain/Quota.ts"
import { DeliveryStore } from "../storage/DeliveryStore.ts"
import { AccountHolds } from "../webhooks/AccountHolds.ts"
import { WebhookRegistry } from "../webhooks/WebhookRegistry.ts"
import { makeAttempt } from "./Attempt.ts"
import { makeBacklog } from "./Backlog.ts"
import { afterPage, type Lane, laneRoom, makeLane, mayStart, turn, type Work, wantsPage } from "./Lane.ts"
import { Recorder } from "./Recorder.ts"

export interface Lanes {
  /** True when the work is queued, or was already; false: refused, it must be parked. */
  readonly offer: (webhookId: string, work: Work) => boolean
  /** Makes the rows of refused work its only memory, for their lanes to page. Every refused `offer` must come here. */
  readonly park: (works: ReadonlyArray<Refused>) => Effect.Effect<void>
  /** Lanes of webhooks whose rows were parked before this actor began. */
  readonly resume: (webhookIds: ReadonlyArray<string>) => void
  /** Starts nothing new and waits for what is in flight. */
  readonly drain: Effect.Effect<void>
  /** Attempts that have begun and are not settled. */
  readonly inFlight: () => number
  /** Never ends, but for a defect in one of the lanes' fibers. */
  readonly failure: Effect.Effect<void>
}

export interface Refused {
  readonly webhookId: string
  readonly deliveryId: string
}

export const makeLanes = Effect.fnUntraced(function* (settleOffset: (offset: number) => void) {
  const registry = yield* WebhookRegistry
  const holds = yield* AccountHolds
  const deliveries = yield* DeliveryStore
  const recorder = yield* Recorder
  const attempt = yield* makeAttempt
  const backlog = yield* makeBacklog
  const clock = yield* Clock.Clock
  const fibers = yield* FiberSet.make<void, never>()
  const run = yield* FiberSet.runtime(fibers)()

  const lanes = new Map<string, Lane>()
  /** Deliveries queued or in flight: the guard against two records of one attempt, and the bound on memory. */
  const busy = new Set<string>()
  /** Lanes that wait for room to page their backlog. */
  const hungry = new Set<Lane>()
  const idle = Latch.makeUnsafe(true)
  let sending = 0
  let stopping = false

  const laneOf = (webhookId: string, mode: Lane["mode"]): Lane => {
    let lane = lanes.get(webhookId)
    if (lane === undefined) {
      lane = makeLane(webhookId, mode)
      lanes.set(webhookId, lane)
    }
    return lane
  }

  /** Undefined when the webhook is deleted. */
  const passageOf = (webhookId: string): Passage | undefined => {
    const config = registry.get(webhookId)?.config
    if (config === undefined) return undefined
    return config.status === "active" ? passageUnder(holds.get(config.account_id), config.network) : "none"
  }

  const roomOf = (lane: Lane) => laneRoom(lane, Limits.partitionDeliveries - busy.size, Limits.laneShare)

  const forget = (work: Work) => {
    busy.delete(work.deliveryId)
    if (work.offset !== undefined) settleOffset(work.offset)
  }

  const settle = (lane: Lane, work: Work) => {
    forget(work)
    lane.unsettled--
    sending--
    if (sending === 0) idle.openUnsafe()
    lane.changes++
    if (lane.paging) lane.settledMeanwhile.add(work.deliveryId)
    next(lane)
    const starving = hungry.values().next().value
    if (starving !== undefined) {
      hungry.delete(starving)
      next(starving)
    }
  }

  const send = (lane: Lane, work: Work) => {
    const webhook = registry.get(lane.webhookId)
    if (webhook === undefined) return forget(work)
    lane.inFlight++
    lane.unsettled++
    sending++
    idle.closeUnsafe()
    run(
      Effect.map(attempt(webhook, work), ({ record, retry }) => {
        lane.inFlight--
        recorder.offer({ attempt: record, retry, settled: () => settle(lane, work) })
        next(lane)
      })
    )
  }

  /** Starts what the window and the rate allow, then sees to the backlog. */
  const next = (lane: Lane): void => {
    if (stopping) return
    const webhook = registry.get(lane.webhookId)
    const passage = passageOf(lane.webhookId)
    if (webhook === undefined || passage === undefined) {
      remove(lane)
      return
    }
    if (passage !== lane.passage) giveBack(lane, turn(lane, passage))
    const { max_in_flight, max_per_second } = webhook.config
    while (!lane.waiting && mayStart(lane, max_in_flight, Limits.unsettledSlack)) {
      const waitMs = lane.rate.take(max_per_second, clock.currentTimeMillisUnsafe())
      if (waitMs > 0) {
        lane.waiting = true
        run(
          Effect.map(Effect.sleep(waitMs), () => {
            lane.waiting = false
            next(lane)
          })
        )
        break
      }
      send(lane, lane.queue.shift()!)
    }
    if (wantsPage(lane, Limits.lanePageRows)) page(lane)
  }

  /** The webhook is deleted: its rows have been ended. */
  const remove = (lane: Lane) => {
    for (const work of lane.queue) forget(work)
    lane.queue = []
    lanes.delete(lane.webhookId)
  }

  /** From here on the rows alone remember this work. */
  const giveBack = (lane: Lane, works: ReadonlyArray<Work>) => {
    if (works.length === 0) return
    lane.parking += works.length
    lane.givingBack++
    run(
      Effect.map(park(works.map(({ deliveryId }) => ({ webhookId: lane.webhookId, deliveryId }))), () => {
        for (const work of works) forget(work)
        lane.givingBack--
        next(lane)
      })
    )
  }

  const page = (lane: Lane) => {
    const limit = Math.min(Limits.lanePageRows, roomOf(lane))
    if (limit === 0) return void hungry.add(lane)
    lane.paging = true
    const { changes: changesBefore, turns } = lane
    const which = lane.passage === "free" ? "free" : "all"
    run(
      Effect.map(backlog(lane.webhookId, which, lane.cursor, limit), ({ rows, lastId, works }) => {
        lane.paging = false
        const settled = new Set(lane.settledMeanwhile)
        lane.settledMeanwhile.clear()
        // Other deliveries may start than when the page was asked for: its rows are still parked.
        if (stopping || lane.turns !== turns) return next(lane)
        for (const work of works) {
          if (busy.has(work.deliveryId) || settled.has(work.deliveryId)) continue
          busy.add(work.deliveryId)
          lane.queue.push(work)
        }
        afterPage(lane, { rows, limit, lastId, changesBefore })
        if (lane.queue.length > 0 || lane.changes !== changesBefore) next(lane)
      })
    )
  }

  const park: Lanes["park"] = Effect.fnUntraced(function* (works) {
    yield* deliveries.park(works.map(({ deliveryId }) => deliveryId)).pipe(patiently("parking deliveries"))
    for (const { webhookId } of works) {
      const lane = laneOf(webhookId, "backlog")
      lane.parking--
      lane.changes++
    }
    for (const webhookId of new Set(works.map((work) => work.webhookId))) next(laneOf(webhookId, "backlog"))
  })

  const lookAgain = (webhookId: string) => {
    const lane = lanes.get(webhookId)
    if (lane !== undefined) next(lane)
  }
  const subscriptions = [
    registry.subscribe(lookAgain),
    holds.subscribe((accountId) => {
      for (const webhookId of lanes.keys()) {
        if (registry.get(webhookId)?.config.account_id === accountId) lookAgain(webhookId)
      }
    })
  ]
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const unsubscribe of subscriptions) unsubscribe()
    })
  )

  const result: Lanes = {
    offer: (webhookId, work) => {
      if (busy.has(work.deliveryId)) {
        if (work.offset !== undefined) settleOffset(work.offset)
        return true
      }
      const lane = laneOf(webhookId, "live")
      if (lane.mode === "backlog" || passageOf(webhookId) !== "all" || roomOf(lane) === 0) {
        // From here on the lane cannot turn live before this work is parked: nothing may overtake it.
        lane.mode = "backlog"
        lane.parking++
        return false
      }
      busy.add(work.deliveryId)
      lane.queue.push(work)
      next(lane)
      return true
    },
    park,
    resume: (webhookIds) => {
      for (const webhookId of webhookIds) next(laneOf(webhookId, "backlog"))
    },
    drain: Effect.suspend(() => {
      stopping = true
      return Effect.asVoid(Latch.await(idle))
    }),
    inFlight: () => sending,
    failure: FiberSet.join(fibers)
  }
  return result
})
