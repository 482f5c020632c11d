/**
 * The lanes of one actor as a machine: events in, commands out. Work is queued or refused; outlets start attempts within
 * their webhook's window, rate and share of connections, live ones first; lanes page their backlog. Memory is bounded by a
 * room for each kind (Room), and no webhook waits for another. It knows no fiber, no clock and no store: what happens is
 * told to it (LaneEvents), and Lanes does what it says.
 */
import type { BacklogPage } from "./Backlog.ts"
import type { Share } from "./ConnectionShares.ts"
import {
  afterPage,
  type Known,
  type Lane,
  type LaneKind,
  lanePassage,
  makeOutlet,
  mayStart,
  type Outlet,
  pageLimit,
  parkedKindOf,
  takeUp,
  turnOut,
  type Work,
  wantsPage
} from "./Lane.ts"
import type { ActorEvent, Command, LaneEvent } from "./LaneEvents.ts"
import { hoarder, hold, makeRoom, type Room, roomFor } from "./Room.ts"

export interface MachineLimits {
  readonly lanes: { readonly laneShare: number; readonly laneLeast: number }
  readonly partitionDeliveries: number
  readonly partitionReplays: number
  readonly lanePageRows: number
}

export interface LaneMachine {
  readonly pageRows: number
  readonly outlets: Map<string, Outlet>
  readonly rooms: Readonly<Record<LaneKind, Room>>
  /** Attempts that have begun and are not settled. */
  sending: number
  stopped: boolean
}

/** What an event meets outside. */
export interface Moment {
  readonly nowMs: number
  /** How many attempts may begin although earlier ones of their webhooks wait to be recorded. */
  readonly ahead: number
}

export const makeMachine = (limits: MachineLimits): LaneMachine => ({
  pageRows: limits.lanePageRows,
  outlets: new Map(),
  rooms: {
    live: makeRoom("live", { ...limits.lanes, deliveries: limits.partitionDeliveries }),
    replays: makeRoom("replays", { ...limits.lanes, deliveries: limits.partitionReplays })
  },
  sending: 0,
  stopped: false
})

/** Whether the attempt is queued, sent and not settled, or going back to its row. */
export const isBusy = ({ rooms }: LaneMachine, key: string): boolean =>
  rooms.live.busy.has(key) || rooms.replays.busy.has(key)

/** Whether a replayed delivery of the webhook would be refused for want of room alone, and so may wait for it. */
export const isFull = ({ outlets, rooms }: LaneMachine, webhookId: string): boolean => {
  const outlet = outlets.get(webhookId)
  return (
    outlet?.replays.mode === "log" && outlet.known?.passage === "all" && roomFor(rooms.replays, outlet) === 0
  )
}

/** One event's way through the machine. */
interface Step {
  readonly machine: LaneMachine
  readonly nowMs: number
  readonly commands: Array<Command>
  ahead: number
}

const lanesOf = ({ live, replays }: Outlet): ReadonlyArray<Lane> => [live, replays]

/** What came from the log is done with once it is settled, or its row remembers it; what a page brought is nobody's. */
const forget = ({ machine, commands }: Step, outlet: Outlet, work: Work) => {
  const room = machine.rooms[work.kind]
  room.busy.delete(work.key)
  hold(room, outlet, -1)
  if (work.settled !== undefined) commands.push({ kind: "done", work })
}

const take = ({ rooms }: LaneMachine, outlet: Outlet, work: Work) => {
  const room = rooms[work.kind]
  room.busy.add(work.key)
  hold(room, outlet, 1)
  outlet[work.kind].queue.push(work)
}

const giveBack = ({ commands }: Step, { webhookId }: Outlet, lane: Lane, works: ReadonlyArray<Work>) => {
  if (works.length === 0) return
  lane.givingBack++
  commands.push({ kind: "giveBack", webhookId, lane: lane.kind, works })
}

/** Whoever holds too much gives its queue back, when this one has no room. */
const makeWay = (step: Step, room: Room, outlet: Outlet) => {
  if (roomFor(room, outlet) > 0) return
  const one = hoarder(room, outlet)
  if (one !== undefined) giveBack(step, one, one[room.kind], turnOut(one[room.kind]))
}

/** There is room again: it goes to the lanes that may have it, the one that has waited longest first. */
const feed = (step: Step, room: Room) => {
  for (const outlet of [...room.hungry]) {
    if (room.held >= room.limits.deliveries) return
    if (roomFor(room, outlet) === 0) continue
    room.hungry.delete(outlet)
    next(step, outlet)
  }
}

const askPage = (step: Step, outlet: Outlet, lane: Lane) => {
  const { pageRows, rooms } = step.machine
  const room = rooms[lane.kind]
  makeWay(step, room, outlet)
  const limit = pageLimit(lane, roomFor(room, outlet), pageRows)
  if (limit === 0) return void room.hungry.add(outlet)
  lane.page = { limit, settled: new Set(), changed: false, stale: false }
  hold(room, outlet, limit)
  const { webhookId } = outlet
  const { kind, cursor: afterId } = lane
  step.commands.push({ kind: "readPage", webhookId, lane: kind, rows: parkedKindOf(lane), afterId, limit })
}

/** The webhook is deleted, and its rows are ended elsewhere (storage/deliveries/DeletedQueues.ts). */
const end = (step: Step, outlet: Outlet) => {
  for (const lane of lanesOf(outlet)) {
    for (const work of turnOut(lane)) forget(step, outlet, work)
    step.machine.rooms[lane.kind].hungry.delete(outlet)
  }
  if (outlet.live.held + outlet.replays.held > 0) return
  step.machine.outlets.delete(outlet.webhookId)
  step.commands.push({ kind: "forget", webhookId: outlet.webhookId })
}

/** The lane whose next delivery may start now, once there is a token of the rate and a connection for it. */
const startable = ({ machine, ahead }: Step, outlet: Outlet): Lane | undefined =>
  machine.stopped || outlet.waiting || outlet.known === undefined
    ? undefined
    : mayStart(outlet, outlet.known.webhook.config.max_in_flight, ahead > 0)

/** Asks for what one more attempt needs. */
const connect = ({ nowMs, commands }: Step, outlet: Outlet, { webhook }: Known) => {
  const { webhookId } = outlet
  const afterMs = outlet.rate.waitMs(webhook.config.max_per_second, nowMs)
  outlet.waiting = true
  commands.push(afterMs > 0 ? { kind: "wake", webhookId, afterMs } : { kind: "connect", webhook })
}

/** Looks at what the outlet may do now: everything that changes something for it ends here. */
const next = (step: Step, outlet: Outlet): void => {
  const { known, webhookId } = outlet
  const { pageRows, rooms, stopped } = step.machine
  if (stopped) return
  if (known === undefined) {
    end(step, outlet)
    return
  }
  for (const lane of lanesOf(outlet)) {
    const passage = lanePassage(lane, known.passage)
    if (passage !== lane.passage) giveBack(step, outlet, lane, takeUp(lane, passage))
  }
  const lane = startable(step, outlet)
  if (lane === outlet.live) connect(step, outlet, known)
  else if (lane !== undefined && !outlet.turnAsked) {
    outlet.turnAsked = true
    step.commands.push({ kind: "askTurn", webhookId })
  }
  for (const lane of lanesOf(outlet)) {
    if (rooms[lane.kind].open && wantsPage(lane, pageRows)) askPage(step, outlet, lane)
  }
}

const start = (step: Step, outlet: Outlet, share: Share) => {
  const lane = startable(step, outlet)
  const work = lane?.queue.shift()
  if (work === undefined || outlet.known === undefined) {
    step.commands.push({ kind: "disconnect", share })
    return
  }
  outlet.rate.take()
  outlet.inFlight++
  outlet.unsettled++
  step.machine.sending++
  step.ahead--
  step.commands.push({ kind: "start", webhook: outlet.known.webhook, work, share })
}

const offer = (step: Step, outlet: Outlet, work: Work) => {
  const lane = outlet[work.kind]
  const room = step.machine.rooms[work.kind]
  if (lane.mode === "log") makeWay(step, room, outlet)
  if (lane.mode === "backlog" || outlet.known?.passage !== "all" || roomFor(room, outlet) === 0) {
    // From here on the lane cannot turn live before this work is parked: nothing may overtake it.
    lane.mode = "backlog"
    lane.parking++
    step.commands.push({ kind: "refuse" })
    return
  }
  take(step.machine, outlet, work)
  next(step, outlet)
}

const takePage = (step: Step, outlet: Outlet, lane: Lane, { rows, lastId, works }: BacklogPage) => {
  const { machine } = step
  const room = machine.rooms[lane.kind]
  const { mode, page } = lane
  if (page === undefined) return
  lane.page = undefined
  hold(room, outlet, -page.limit)
  if (!page.stale && !machine.stopped) {
    for (const work of works) {
      if (!isBusy(machine, work.key) && !page.settled.has(work.deliveryId)) take(machine, outlet, work)
    }
    afterPage(lane, page, rows, lastId)
  }
  // A page that brought nothing is not read again before something has changed. Replays begin when the live lane is live.
  if (page.stale || page.changed || lane.queue.length > 0 || lane.mode !== mode) next(step, outlet)
  feed(step, room)
}

const settle = (step: Step, outlet: Outlet, work: Work) => {
  const { page } = outlet[work.kind]
  forget(step, outlet, work)
  outlet.unsettled--
  step.machine.sending--
  if (page !== undefined) page.changed = true
  page?.settled.add(work.deliveryId)
  next(step, outlet)
  feed(step, step.machine.rooms[work.kind])
}

/** The outlet that the event concerns: the first one of a webhook makes it. */
const outletOf = ({ outlets }: LaneMachine, event: LaneEvent): Outlet | undefined => {
  const { kind, webhookId } = event
  const outlet = outlets.get(webhookId)
  if (outlet !== undefined || (kind !== "offered" && kind !== "resumed")) return outlet
  const made = makeOutlet(webhookId, event.known, kind === "offered" ? "log" : "backlog")
  outlets.set(webhookId, made)
  return made
}

const onActor = (step: Step, event: ActorEvent) => {
  const { machine } = step
  if (event.kind === "stopped") {
    machine.stopped = true
    return
  }
  const room = machine.rooms[event.lane]
  if (room.open) return
  room.open = true
  for (const outlet of [...machine.outlets.values()]) next(step, outlet)
}

const onLane = (step: Step, outlet: Outlet, event: LaneEvent) => {
  switch (event.kind) {
    case "offered":
      offer(step, outlet, event.work)
      break
    case "resumed":
      next(step, outlet)
      break
    case "changed":
      outlet.known = event.known
      next(step, outlet)
      break
    case "parked": {
      const lane = outlet[event.lane]
      lane.parking -= event.works
      if (lane.page !== undefined) lane.page.changed = true
      next(step, outlet)
      break
    }
    case "overdue": {
      const lane = outlet[event.lane]
      // What came from the backlog holds no offset back.
      if (lane.queue.some(({ settled }) => settled !== undefined)) giveBack(step, outlet, lane, turnOut(lane))
      break
    }
    case "gaveBack": {
      for (const work of event.works) forget(step, outlet, work)
      outlet[event.lane].givingBack--
      // Whoever made it go comes first.
      feed(step, step.machine.rooms[event.lane])
      next(step, outlet)
      break
    }
    case "pageRead":
      takePage(step, outlet, outlet[event.lane], event.page)
      break
    case "connected":
      outlet.waiting = false
      start(step, outlet, event.share)
      next(step, outlet)
      break
    case "woken":
      outlet.waiting = false
      next(step, outlet)
      break
    case "turnCame": {
      outlet.turnAsked = false
      const lane = startable(step, outlet)
      if (outlet.known !== undefined && lane === outlet.replays) connect(step, outlet, outlet.known)
      break
    }
    case "ended":
      outlet.inFlight--
      step.commands.push({ kind: "disconnect", share: event.share })
      next(step, outlet)
      break
    case "settled":
      settle(step, outlet, event.work)
      break
  }
}

/** Changes the machine by the event, and returns what is to be done, in order. */
export const advance = (
  machine: LaneMachine,
  event: LaneEvent | ActorEvent,
  { nowMs, ahead }: Moment
): ReadonlyArray<Command> => {
  const step: Step = { machine, nowMs, ahead, commands: [] }
  if (event.kind === "stopped" || event.kind === "caughtUp") onActor(step, event)
  else if (event.kind === "offered" && isBusy(machine, event.work.key)) {
    if (event.work.settled !== undefined) step.commands.push({ kind: "done", work: event.work })
  } else {
    const outlet = outletOf(machine, event)
    if (outlet !== undefined) onLane(step, outlet, event)
  }
  return step.commands
}
