/**
 * The lanes of one actor. `offer` queues work or says that it must be parked; outlets start attempts within their
 * webhook's window, rate and share of connections, live ones first; lanes page their backlog and hand what they sent to
 * the recorder. Memory is bounded by a room for each kind (Room), and no webhook waits for another.
 */
import { Effect, FiberSet, Latch } from "effect"
import { Limits } from "../config/Limits.ts"
import { type Passage, passageUnder } from "../domain/Quota.ts"
import { patiently } from "../observability/Patiently.ts"
import { DeliveryStore } from "../storage/deliveries/DeliveryStore.ts"
import { AccountHolds } from "../webhooks/AccountHolds.ts"
import { type RegisteredWebhook, WebhookRegistry } from "../webhooks/WebhookRegistry.ts"
import { makeAttempt } from "./Attempt.ts"
import { makeBacklog } from "./Backlog.ts"
import type { Share } from "./ConnectionShares.ts"
import {
  afterPage,
  type Lane,
  type LaneKind,
  lanePassage,
  makeOutlet,
  mayStart,
  type Outlet,
  pageLimit,
  parkedKindOf,
  turn,
  turnOut,
  type Work,
  wantsPage
} from "./Lane.ts"
import { Recorder } from "./Recorder.ts"
import { ReplayPace, type ReplayTurn } from "./ReplayPace.ts"
import { hoarder, hold, makeRoom, type Room, roomFor } from "./Room.ts"
import { makeStartGate } from "./StartGate.ts"

export interface Lanes {
  /** Whether the attempt is queued, sent and not settled, or going back to its row. */
  readonly isBusy: (key: string) => boolean
  /** True when the work is queued, or was already; false: refused, it must be parked. */
  readonly offer: (webhookId: string, work: Work) => boolean
  /** Waits for room for a replayed delivery of the webhook, but not for one whose lane does not move. */
  readonly awaitRoom: (webhookId: string) => Effect.Effect<void>
  /** Gives the webhook's queue back to its rows: for what was taken from the log long ago and holds its offsets back. */
  readonly putAside: (kind: LaneKind, webhookId: string) => void
  /** Makes the rows of refused work its only memory, for their lanes to page. Every refused `offer` must come here. */
  readonly park: (works: ReadonlyArray<Refused>) => Effect.Effect<void>
  /** Lanes of webhooks whose rows were parked before this actor began: what is offered to them is refused from now on. */
  readonly resume: (webhookIds: ReadonlyArray<string>) => void
  /**
   * Lets lanes page. Only once all that was in their log at the start has been offered: part of it comes before what is
   * parked already.
   */
  readonly openBacklog: (kind: LaneKind) => void
  /** Starts nothing new and waits for what is in flight. */
  readonly drain: Effect.Effect<void>
  /** Attempts that have begun and are not settled. */
  readonly inFlight: () => number
  /** Never ends, but for a defect in one of the lanes' fibers. */
  readonly failure: Effect.Effect<void>
}

export interface Refused {
  readonly kind: LaneKind
  readonly webhookId: string
  readonly deliveryId: string
}

export const makeLanes = Effect.gen(function* () {
  const registry = yield* WebhookRegistry
  const holds = yield* AccountHolds
  const deliveries = yield* DeliveryStore
  const recorder = yield* Recorder
  const pace = yield* ReplayPace
  const backlog = yield* makeBacklog
  const fibers = yield* FiberSet.make<void, never>()
  const run = yield* FiberSet.runtime(fibers)()
  // Before the attempts: its scope closes when none of them can end any more.
  const gate = yield* makeStartGate(run, (outlet) => next(outlet))
  const attempt = yield* makeAttempt(run)

  const outlets = new Map<string, Outlet>()
  const turns = new Map<Outlet, ReplayTurn>()
  const rooms: Readonly<Record<LaneKind, Room>> = {
    live: makeRoom("live", { ...Limits.lanes, deliveries: Limits.partitionDeliveries }),
    replays: makeRoom("replays", { ...Limits.lanes, deliveries: Limits.partitionReplays })
  }
  const idle = Latch.makeUnsafe(true)
  /** Opened when a replayed delivery has been settled. */
  const freed = Latch.makeUnsafe()
  let sending = 0
  let stopping = false

  const outletOf = (webhookId: string, mode: Lane["mode"]): Outlet => {
    let outlet = outlets.get(webhookId)
    if (outlet === undefined) {
      outlet = makeOutlet(webhookId, mode)
      outlets.set(webhookId, outlet)
    }
    return outlet
  }

  /** Undefined when the webhook is deleted. */
  const passageOf = (webhookId: string): Passage | undefined => {
    const config = registry.get(webhookId)?.config
    if (config === undefined) return undefined
    return config.status === "active" ? passageUnder(holds.get(config.account_id), config.network) : "none"
  }

  const isBusy: Lanes["isBusy"] = (key) => rooms.live.busy.has(key) || rooms.replays.busy.has(key)

  const take = (outlet: Outlet, work: Work) => {
    const room = rooms[work.kind]
    room.busy.add(work.key)
    hold(room, outlet, 1)
    outlet[work.kind].queue.push(work)
  }

  const forget = (outlet: Outlet, work: Work) => {
    const room = rooms[work.kind]
    room.busy.delete(work.key)
    hold(room, outlet, -1)
    work.settled?.()
  }

  const settle = (outlet: Outlet, work: Work) => {
    forget(outlet, work)
    outlet.unsettled--
    sending--
    if (sending === 0) idle.openUnsafe()
    const lane = outlet[work.kind]
    lane.changes++
    if (work.kind === "replays") freed.openUnsafe()
    if (lane.paging) lane.settledMeanwhile.add(work.deliveryId)
    next(outlet)
    feed(work.kind)
  }

  /** There is room again: it goes to the lanes that may have it, the one that has waited longest first. */
  const feed = (kind: LaneKind) => {
    const room = rooms[kind]
    if (room.hungry.size === 0) return
    for (const outlet of [...room.hungry]) {
      if (room.held >= room.limits.deliveries) return
      if (roomFor(room, outlet) === 0) continue
      room.hungry.delete(outlet)
      next(outlet)
    }
  }

  /** Whoever holds too much gives its queue back, when this one has no room. */
  const makeWay = (room: Room, outlet: Outlet) => {
    const one = hoarder(room, outlet)
    if (one !== undefined) giveBack(one, one[room.kind], turnOut(one[room.kind]))
  }

  const send = (outlet: Outlet, webhook: RegisteredWebhook, work: Work, share: Share) => {
    outlet.inFlight++
    outlet.unsettled++
    sending++
    idle.closeUnsafe()
    if (work.kind === "live") pace.live()
    attempt(webhook, work, ({ record, retry }) => {
      outlet.inFlight--
      gate.release(share)
      recorder.offer({
        attempt: record,
        retry,
        parked: work.settled === undefined,
        settled: () => settle(outlet, work)
      })
      next(outlet)
    })
  }

  /** The lane that may start a delivery now, by the window and the rate. */
  const startable = (outlet: Outlet, { config }: RegisteredWebhook): Lane | undefined => {
    if (outlet.waiting) return undefined
    // An outlet that this stops has attempts that wait to be recorded, and looks again when they are.
    return mayStart(outlet, config.max_in_flight, recorder.mayRunAhead())
  }

  /** Starts the lane's next delivery, unless the outlet has to wait. */
  const start = (outlet: Outlet, lane: Lane, webhook: RegisteredWebhook): boolean => {
    const share = gate.enter(outlet, webhook)
    if (share === undefined) return false
    send(outlet, webhook, lane.queue.shift()!, share)
    return true
  }

  const turnOf = (outlet: Outlet): ReplayTurn => {
    let one = turns.get(outlet)
    if (one === undefined) {
      one = () => {
        const webhook = registry.get(outlet.webhookId)
        if (stopping || webhook === undefined || passageOf(outlet.webhookId) !== "all") return false
        const lane = startable(outlet, webhook)
        if (lane !== outlet.replays || !start(outlet, lane, webhook)) return false
        see(outlet)
        return startable(outlet, webhook) === outlet.replays
      }
      turns.set(outlet, one)
    }
    return one
  }

  /** Starts what the window and the rate allow, then sees to the backlog. */
  const next = (outlet: Outlet): void => {
    if (stopping) return
    const webhook = registry.get(outlet.webhookId)
    const passage = passageOf(outlet.webhookId)
    if (webhook === undefined || passage === undefined) {
      remove(outlet)
      return
    }
    for (const lane of [outlet.live, outlet.replays]) {
      const own = lanePassage(lane, passage)
      if (own !== lane.passage) giveBack(outlet, lane, turn(lane, own))
    }
    while (startable(outlet, webhook) === outlet.live) if (!start(outlet, outlet.live, webhook)) break
    if (startable(outlet, webhook) === outlet.replays) pace.ask(turnOf(outlet))
    see(outlet)
  }

  /** Sees to the backlog. */
  const see = (outlet: Outlet) => {
    for (const lane of [outlet.live, outlet.replays]) {
      if (rooms[lane.kind].open && wantsPage(lane, Limits.lanePageRows)) page(outlet, lane)
    }
  }

  /** The webhook is deleted, and its rows are ended elsewhere (storage/deliveries/DeletedQueues.ts). */
  const remove = (outlet: Outlet) => {
    for (const lane of [outlet.live, outlet.replays]) {
      for (const work of lane.queue) forget(outlet, work)
      lane.queue = []
      rooms[lane.kind].hungry.delete(outlet)
    }
    outlets.delete(outlet.webhookId)
    gate.leave(outlet)
    turns.delete(outlet)
  }

  /** From here on the rows alone remember this work. */
  const giveBack = (outlet: Outlet, lane: Lane, works: ReadonlyArray<Work>) => {
    if (works.length === 0) return
    lane.parking += works.length
    lane.givingBack++
    const { webhookId } = outlet
    run(
      Effect.map(park(works.map(({ deliveryId, kind }) => ({ kind, webhookId, deliveryId }))), () => {
        for (const work of works) forget(outlet, work)
        lane.givingBack--
        // Whoever made it go comes first.
        feed(lane.kind)
        next(outlet)
      })
    )
  }

  const page = (outlet: Outlet, lane: Lane) => {
    const room = rooms[lane.kind]
    if (roomFor(room, outlet) === 0) makeWay(room, outlet)
    const limit = pageLimit(lane, roomFor(room, outlet), Limits.lanePageRows)
    if (limit === 0) return void room.hungry.add(outlet)
    lane.paging = true
    hold(room, outlet, limit)
    const { changes: changesBefore, turns } = lane
    run(
      Effect.map(
        backlog(outlet.webhookId, parkedKindOf(lane), lane.cursor, limit),
        ({ rows, lastId, works }) => {
          lane.paging = false
          hold(room, outlet, -limit)
          const settled = new Set(lane.settledMeanwhile)
          lane.settledMeanwhile.clear()
          // Other deliveries may start than when the page was asked for: its rows are still parked.
          if (stopping || lane.turns !== turns) {
            next(outlet)
            return feed(lane.kind)
          }
          for (const work of works) {
            if (!isBusy(work.key) && !settled.has(work.deliveryId)) take(outlet, work)
          }
          const { mode } = lane
          afterPage(lane, { rows, limit, lastId, changesBefore })
          // Replays begin when the live backlog is through.
          if (lane.queue.length > 0 || lane.changes !== changesBefore || lane.mode !== mode) next(outlet)
          if (works.length < limit) feed(lane.kind)
        }
      )
    )
  }

  const park: Lanes["park"] = Effect.fnUntraced(function* (works) {
    yield* deliveries.park(works.map(({ deliveryId }) => deliveryId)).pipe(patiently("parking deliveries"))
    for (const { kind, webhookId } of works) {
      const lane = outletOf(webhookId, "backlog")[kind]
      lane.parking--
      lane.changes++
    }
    for (const webhookId of new Set(works.map((work) => work.webhookId))) next(outletOf(webhookId, "backlog"))
  })

  const lookAgain = (webhookId: string) => {
    const outlet = outlets.get(webhookId)
    if (outlet !== undefined) next(outlet)
  }
  const subscriptions = [
    registry.subscribe(lookAgain),
    holds.subscribe((accountId) => {
      for (const webhookId of outlets.keys()) {
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
    isBusy,
    offer: (webhookId, work) => {
      if (isBusy(work.key)) {
        work.settled?.()
        return true
      }
      const outlet = outletOf(webhookId, "live")
      const lane = outlet[work.kind]
      const room = rooms[work.kind]
      if (lane.mode === "live" && roomFor(room, outlet) === 0) makeWay(room, outlet)
      if (lane.mode === "backlog" || passageOf(webhookId) !== "all" || roomFor(room, outlet) === 0) {
        // From here on the lane cannot turn live before this work is parked: nothing may overtake it.
        lane.mode = "backlog"
        lane.parking++
        return false
      }
      take(outlet, work)
      next(outlet)
      return true
    },
    awaitRoom: (webhookId) => {
      const isFull = () => {
        const outlet = outlets.get(webhookId)
        return (
          outlet?.replays.mode === "live" &&
          passageOf(webhookId) === "all" &&
          roomFor(rooms.replays, outlet) === 0
        )
      }
      const wait: Effect.Effect<void> = Effect.suspend(() => {
        if (!isFull()) return Effect.void
        freed.closeUnsafe()
        return Effect.andThen(Latch.await(freed), wait)
      })
      return Effect.suspend(() =>
        isFull() ? Effect.asVoid(Effect.timeoutOption(wait, Limits.replayRoomMs)) : Effect.void
      )
    },
    putAside: (kind, webhookId) => {
      const outlet = outlets.get(webhookId)
      // What came from the backlog holds no offset back.
      if (outlet?.[kind].queue.some(({ settled }) => settled !== undefined))
        giveBack(outlet, outlet[kind], turnOut(outlet[kind]))
    },
    park,
    resume: (webhookIds) => {
      for (const webhookId of webhookIds) next(outletOf(webhookId, "backlog"))
    },
    openBacklog: (kind) => {
      const room = rooms[kind]
      if (room.open) return
      room.open = true
      for (const outlet of [...outlets.values()]) next(outlet)
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
