/**
 * Runs an actor's lanes: dispatches events to the machine (Scheduler) and executes its commands. It starts attempts
 * and hands their outcomes to the recorder, reads pages of the backlog, spills work, takes and releases connections.
 * Every slow operation is a fiber of the actor or a callback; when it ends, it sends the machine an event.
 */
import { Clock, Effect, FiberSet, Latch } from "effect"
import { StageLimits } from "../../config/StageLimits.ts"
import { monotonicClock } from "../../domain/Monotonic.ts"
import { permissionUnder } from "../../domain/Quota.ts"
import { retryUntilSuccess } from "../../observability/RetryUntilSuccess.ts"
import { DeliveryStore } from "../../storage/deliveries/DeliveryStore.ts"
import { AccountHolds } from "../../webhooks/AccountHolds.ts"
import { WebhookRegistry } from "../../webhooks/WebhookRegistry.ts"
import { Recorder } from "../record/Recorder.ts"
import { makeActorConnections } from "../send/ActorConnections.ts"
import { makeAttempt, makeGuarded } from "../send/Attempt.ts"
import { makeBacklog } from "./Backlog.ts"
import { longestHeldUpMs } from "./HeldUp.ts"
import { type CurrentWebhook, type LaneKind, laneKinds, type Work } from "./Lane.ts"
import type { ActorMessage, Command, WebhookMessage } from "./Messages.ts"
import { ReplayPace } from "./ReplayPace.ts"
import { advance, isCrowded, makeScheduler } from "./Scheduler.ts"
import { shown, unshown } from "./Showing.ts"

export interface Dispatcher {
  /**
   * Calls `onSettled` with the key of each attempt that is recorded from now on, until the returned function is
   * called.
   */
  readonly watch: (onSettled: (key: string) => void) => () => void
  /**
   * Queues the work, or spills it to the database, from where its lane reads it. Work of a deleted webhook is ended.
   * `isSlow`: the lane did not have room in time, so it takes no more work from the log until it has drained.
   */
  readonly offer: (webhookId: string, work: Work, isSlow: boolean) => void
  /** Waits until what was offered is queued or has its row. */
  readonly spilled: Effect.Effect<void>
  /** Whether the webhook's lane will take more work in a moment, and not now. */
  readonly isCrowded: (kind: LaneKind, webhookId: string) => boolean
  /** For webhooks that have a backlog. */
  readonly resume: (webhookIds: ReadonlyArray<string>) => void
  /**
   * Lets lanes read their backlog. Call it after all work that was in the log at the start has been offered: some of
   * that work precedes the deliveries in the backlog.
   */
  readonly openBacklog: (kind: LaneKind) => void
  /** Starts no new attempts and waits until all attempts in flight are settled. */
  readonly drain: Effect.Effect<void>
  /** Attempts that have started and are not settled. */
  readonly inFlight: () => number
  /** Webhooks that have deliveries in memory. */
  readonly webhooks: () => number
  /** How long the service has held back a webhook with a backlog, since the last call. `lagMs`: of the event loop. */
  readonly heldUpMs: (lagMs: number) => number
  /** Dies when a fiber of the lanes dies. */
  readonly failure: Effect.Effect<void>
}

interface Spill {
  readonly webhookId: string
  readonly lane: LaneKind
  readonly works: ReadonlyArray<Work>
}

export const makeDispatcher = Effect.gen(function* () {
  const limits = yield* StageLimits
  const registry = yield* WebhookRegistry
  const holds = yield* AccountHolds
  const deliveries = yield* DeliveryStore
  const recorder = yield* Recorder
  const pace = yield* ReplayPace
  const nowMs = yield* monotonicClock
  const readPage = yield* makeBacklog
  const fibers = yield* FiberSet.make<void, never>()
  const run = yield* FiberSet.runtime(fibers)()
  // Made before the attempts, so it is closed after them: they release connections.
  const connections = yield* makeActorConnections((webhookId) => dispatch({ kind: "woken", webhookId }))
  const attempt = yield* makeAttempt(run)
  const guarded = makeGuarded(run)

  const machine = makeScheduler(limits)
  /** Open when the machine is stopped and nothing is in flight. */
  const idle = Latch.makeUnsafe()
  const watchers = new Set<(key: string) => void>()
  /** What the lanes hold and the work that their feeds have just read. */
  let toMove: Array<Spill> = []
  const someToMove = Latch.makeUnsafe()
  const spilled = Latch.makeUnsafe(true)

  /**
   * Executing a command may dispatch another event before the next command: the machine's state includes them all.
   */
  const dispatch = (event: WebhookMessage | ActorMessage): void => {
    const commands = advance(machine, event, { nowMs: nowMs(), ahead: recorder.ahead() })
    for (const command of commands) execute(command)
    if (machine.stopped && machine.sending === 0) idle.openUnsafe()
  }

  const spillRows = (lane: LaneKind, works: ReadonlyArray<Work>) =>
    deliveries.spill(works, lane).pipe(retryUntilSuccess("moving deliveries to the backlog"))

  const endRows = Effect.fnUntraced(function* (works: ReadonlyArray<Work>) {
    const now = yield* Clock.currentTimeMillis
    yield* deliveries
      .failUnwritten(works, "webhook deleted", now)
      .pipe(retryUntilSuccess("ending deliveries of deleted webhooks"))
  })

  /** One statement after the other: what comes meanwhile is written together. */
  const spillAll = Effect.gen(function* () {
    yield* Latch.await(someToMove)
    const spills = toMove
    toMove = []
    someToMove.closeUnsafe()
    const isDeleted = ({ webhookId }: Spill) => machine.queues.get(webhookId)?.current === undefined
    const worksOf = (some: ReadonlyArray<Spill>) => some.flatMap(({ works }) => works)
    const [deleted, kept] = [spills.filter(isDeleted), spills.filter((one) => !isDeleted(one))]
    if (deleted.length > 0) yield* endRows(worksOf(deleted))
    for (const lane of laneKinds) {
      const works = worksOf(kept.filter((one) => one.lane === lane))
      for (let i = 0; i < works.length; i += limits.showAtOnce) {
        yield* spillRows(lane, works.slice(i, i + limits.showAtOnce))
      }
    }
    for (const { lane, webhookId, works } of spills)
      dispatch({ kind: "movedToBacklog", webhookId, lane, works })
    if (toMove.length === 0) spilled.openUnsafe()
  })
  run(Effect.forever(spillAll))

  const start = ({ webhook, sending, share }: Extract<Command, { readonly kind: "start" }>) => {
    const webhookId = webhook.config.id
    const { works } = sending
    const isLive = works[0]?.kind === "live"
    if (isLive) pace.liveStarted()
    attempt(webhook, sending, (results) => {
      if ("shortage" in results) {
        run(
          Effect.logWarning(`this machine ${results.shortage}; attempts that it could not make do not count`)
        )
        dispatch({ kind: "notSent", webhookId, share, works })
        return
      }
      let unsettled = results.length
      const onSettled = () => {
        if (--unsettled > 0) return
        for (const { key } of works) for (const onSettled of watchers) onSettled(key)
        dispatch({ kind: "settled", webhookId, works })
      }
      for (const { record, retry, work } of results) {
        const fromBacklog = work.acknowledge === undefined
        const delivery = { accountId: webhook.config.account_id, webhookId, work }
        recorder.offer({ attempt: record, retry, fromBacklog, delivery, onSettled })
      }
      dispatch({ kind: "attemptEnded", webhookId, share })
    })
  }

  /**
   * From here until undici gets the request, the code does not wait. So the request is signed with the secret of every
   * rotation that the API has answered. While the database is away, one request of each webhook waits for it, so they
   * do not all leave together when it is back.
   */
  const whenWebhooksCurrent = (body: () => void) =>
    registry.whenCurrent(() => {
      if (!machine.stopped) guarded(body)
    })

  const connect = (webhookId: string) => {
    // The webhook may have changed or been deleted during the wait.
    const webhook = machine.queues.get(webhookId)?.current?.webhook
    if (webhook === undefined) return void dispatch({ kind: "woken", webhookId })
    const share = connections.take(webhook)
    if (share !== undefined) dispatch({ kind: "connected", webhookId, share })
  }

  const execute = (command: Command) => {
    switch (command.kind) {
      case "start":
        start(command)
        break
      case "connect":
        whenWebhooksCurrent(() => connect(command.webhookId))
        break
      case "disconnect":
        connections.release(command.share)
        break
      case "wake": {
        const { afterMs, event: kind, webhookId } = command
        run(Effect.map(Effect.sleep(afterMs), () => void dispatch({ kind, webhookId })))
        break
      }
      case "askReplayStart": {
        const { webhookId } = command
        pace.ask(() => void dispatch({ kind: "replayMayStart", webhookId }))
        break
      }
      case "readPage": {
        const { webhookId, lane, rows, afterId, limit } = command
        run(
          Effect.map(
            readPage(webhookId, rows, afterId, limit),
            (page) => void dispatch({ kind: "pageRead", webhookId, lane, page })
          )
        )
        break
      }
      case "moveToBacklog":
        toMove.push(command)
        spilled.closeUnsafe()
        someToMove.openUnsafe()
        break
      case "acknowledge":
        command.work.acknowledge?.()
        break
      case "forget":
        connections.leave(command.webhookId)
        break
    }
  }

  /** Undefined if the webhook is deleted. */
  const currentWebhook = (webhookId: string): CurrentWebhook | undefined => {
    const webhook = registry.get(webhookId)
    if (webhook === undefined)
      return registry.isKnown(webhookId) ? { webhook: undefined, permission: "none" } : undefined
    const { account_id, network, status } = webhook.config
    return {
      webhook,
      permission: status === "active" ? permissionUnder(holds.get(account_id), network) : "none"
    }
  }

  const changed = (webhookId: string) => {
    if (machine.queues.has(webhookId))
      dispatch({ kind: "changed", webhookId, current: currentWebhook(webhookId) })
  }
  const subscriptions = [
    registry.subscribe(changed),
    holds.subscribe((accountId) => {
      for (const webhookId of machine.queues.keys()) {
        if (registry.get(webhookId)?.config.account_id === accountId) changed(webhookId)
      }
    })
  ]
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const unsubscribe of subscriptions) unsubscribe()
    })
  )

  /**
   * Writes the rows of deliveries that have been queued for long to the backlog. They stay in memory and keep their
   * place; after a crash the backlog has them.
   */
  const show = Effect.fnUntraced(function* (lane: LaneKind) {
    const waiting = unshown(machine, lane, nowMs() - limits.unshownMs)
    for (let i = 0; i < waiting.length; i += limits.showAtOnce) {
      const works = waiting.slice(i, i + limits.showAtOnce)
      yield* spillRows(lane, works)
      shown(machine, lane, works)
    }
  })
  let showing = false
  const showWaiting = Effect.gen(function* () {
    yield* Effect.sleep(limits.unshownMs)
    do {
      yield* Effect.sleep(limits.showEveryMs)
      for (const lane of laneKinds) yield* show(lane)
    } while (laneKinds.some((lane) => unshown(machine, lane, Number.POSITIVE_INFINITY).length > 0))
    showing = false
  })

  const result: Dispatcher = {
    watch: (onSettled) => {
      watchers.add(onSettled)
      return () => void watchers.delete(onSettled)
    },
    offer: (webhookId, work, isSlow) => {
      const current = currentWebhook(webhookId)
      dispatch({ kind: "offered", webhookId, current, work, isSlow })
      if (!showing) {
        showing = true
        run(showWaiting)
      }
    },
    spilled: Latch.await(spilled),
    isCrowded: (kind, webhookId) => isCrowded(machine, kind, webhookId, nowMs()),
    resume: (webhookIds) => {
      for (const webhookId of webhookIds)
        dispatch({ kind: "resumed", webhookId, current: currentWebhook(webhookId) })
    },
    openBacklog: (lane) => void dispatch({ kind: "caughtUp", lane }),
    drain: Effect.suspend(() => {
      dispatch({ kind: "stopped" })
      return Latch.await(idle)
    }),
    inFlight: () => machine.sending,
    webhooks: () => machine.queues.size,
    heldUpMs: (lagMs) => longestHeldUpMs(machine, lagMs, nowMs()),
    failure: FiberSet.join(fibers)
  }
  return result
})
