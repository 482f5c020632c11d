/**
 * The room `queue` of one actor: holds its deliveries until they may be sent. It gives messages to the scheduler and
 * executes the scheduler's commands: it starts requests, reads pages of the backlog and moves deliveries there. Each
 * slow operation is a fiber of the actor or a callback; its end is a message. A delivery that has been queued for
 * `rowAfterMs` gets its row in the backlog, and stays queued at its place.
 */

import { Effect, FiberSet, Latch } from "effect"
import { permissionUnder } from "../../domain/Quota.ts"
import { AccountHolds } from "../../registry/AccountHolds.ts"
import { WebhookRegistry } from "../../registry/WebhookRegistry.ts"
import type { WebhookId } from "../../words/Ids.ts"
import { monotonicClock } from "../../words/Monotonic.ts"
import { DeliverLimits } from "../Limits.ts"
import { makeAttempts, makeGuarded } from "../send/Attempt.ts"
import { type LaneKind, laneKinds, type Work } from "../Work.ts"
import { makeBacklog } from "./Backlog.ts"
import { remainingFor } from "./MemoryBudget.ts"
import type { ActorMessage, Command, WebhookMessage } from "./Messages.ts"
import { ReplayPace } from "./ReplayPace.ts"
import { advance } from "./Scheduler.ts"
import { makeScheduler, type Scheduler } from "./Step.ts"
import { type CurrentWebhook, heldUpMs, isCrowded } from "./WebhookQueue.ts"

export interface Dispatcher {
  /**
   * Calls `onSettled` with the key of each attempt that is recorded from now on, until the returned function is
   * called.
   */
  readonly watch: (onSettled: (key: string) => void) => () => void
  /**
   * Queues the work, or moves it to the backlog, from where its lane reads it. Work of a deleted webhook is ended.
   * `isSlow`: the lane did not take the work in time, so it takes no more work from the log until it has drained.
   */
  readonly offer: (webhookId: WebhookId, work: Work, isSlow: boolean) => void
  /** Waits until what was offered is queued or has its row. */
  readonly kept: Effect.Effect<void>
  /** Whether the webhook's lane will take more work in a moment, and not now. */
  readonly isCrowded: (kind: LaneKind, webhookId: WebhookId) => boolean
  /** For webhooks that have a backlog. */
  readonly resume: (webhookIds: ReadonlyArray<WebhookId>) => void
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
  /** Dies when a fiber of the dispatcher dies. */
  readonly failure: Effect.Effect<void>
}

/** Deliveries from the log that have been queued since before `beforeMs`. Their rows may not exist. */
export const withoutRow = ({ queues }: Scheduler, kind: LaneKind, beforeMs: number): ReadonlyArray<Work> =>
  Array.from(queues.values()).flatMap(({ [kind]: { queued } }) =>
    queued.filter(({ acknowledge, queuedAt }) => acknowledge !== undefined && queuedAt < beforeMs)
  )

/**
 * The rows of these works are in the backlog, and the works stay queued: the offsets of their records may be committed.
 * But the record of one that has started meanwhile must be read again after a crash, because its retry is appended
 * after its row is written.
 */
export const gotRows = (scheduler: Scheduler, kind: LaneKind, works: ReadonlyArray<Work>): void => {
  const queued = new Set(withoutRow(scheduler, kind, Number.POSITIVE_INFINITY))
  for (const work of works) {
    work.row = undefined
    if (!queued.has(work)) continue
    work.acknowledge?.()
    work.acknowledge = undefined
  }
}

/** In strict order, a failed delivery that is retried by hand has its place among replayed ones. */
const placed = (current: CurrentWebhook | undefined, work: Work): Work =>
  current?.webhook?.config.ordering === "strict" && work.attempt > work.seriesAttempt && work.isTest !== true
    ? { ...work, kind: "replays" }
    : work

type Move = Extract<Command, { readonly kind: "moveToBacklog" }>

export const makeDispatcher = Effect.gen(function* () {
  const limits = yield* DeliverLimits
  const registry = yield* WebhookRegistry
  const holds = yield* AccountHolds
  const pace = yield* ReplayPace
  const nowMs = yield* monotonicClock
  const backlog = yield* makeBacklog
  const fibers = yield* FiberSet.make<void, never>()
  const run = yield* FiberSet.runtime(fibers)()
  const guarded = makeGuarded(run)
  const attempts = yield* makeAttempts(run, (webhookId) => dispatch({ kind: "woken", webhookId }))

  const scheduler = makeScheduler(limits)
  /** Open when the scheduler is stopped and nothing is in flight. */
  const idle = Latch.makeUnsafe()
  const watchers = new Set<(key: string) => void>()
  let moves: Array<Move> = []
  const someMoves = Latch.makeUnsafe()
  const kept = Latch.makeUnsafe(true)

  /**
   * Executing a command may dispatch another message before the next command: the scheduler's state includes them all.
   */
  const dispatch = (message: WebhookMessage | ActorMessage): void => {
    const commands = advance(scheduler, message, { nowMs: nowMs(), mayRunAhead: attempts.mayRunAhead() })
    for (const command of commands) execute(command)
    if (scheduler.stopped && scheduler.sending === 0) idle.openUnsafe()
  }

  /** One statement after the other: what comes meanwhile is written together. */
  const moveAll = Effect.gen(function* () {
    yield* Latch.await(someMoves)
    const taken = moves
    moves = []
    someMoves.closeUnsafe()
    const isDeleted = ({ webhookId }: Move) => scheduler.queues.get(webhookId)?.current === undefined
    const worksOf = (some: ReadonlyArray<Move>) => some.flatMap(({ works }) => works)
    const remaining = taken.filter((one) => !isDeleted(one))
    yield* backlog.end(worksOf(taken.filter(isDeleted)))
    for (const lane of laneKinds)
      yield* backlog.move(lane, worksOf(remaining.filter((one) => one.lane === lane)))
    for (const { lane, webhookId, works } of taken)
      dispatch({ kind: "movedToBacklog", webhookId, lane, works })
    if (moves.length === 0) kept.openUnsafe()
  })
  run(Effect.forever(moveAll))

  const start = ({ webhook, sending, share }: Extract<Command, { readonly kind: "start" }>) => {
    const webhookId = webhook.config.id
    const { works } = sending
    if (works[0]?.kind === "live") pace.liveStarted()
    attempts.send(webhook, sending, share, {
      notSent: (shortage) => {
        run(Effect.logWarning(`this machine ${shortage}; attempts that it could not make do not count`))
        dispatch({ kind: "notSent", webhookId, works })
      },
      ended: (holds) => dispatch({ kind: "ended", webhookId, holds }),
      settled: () => {
        for (const { key } of works) for (const onSettled of watchers) onSettled(key)
        dispatch({ kind: "settled", webhookId, works })
      }
    })
  }

  /**
   * From here until undici gets the request, the code does not wait. So the request is signed with the secret of every
   * rotation that the API has answered. While the database is away, one request of each webhook waits for it, so they
   * do not all leave together when it is back.
   */
  const whenWebhooksCurrent = (body: () => void) =>
    registry.whenCurrent(() => {
      if (!scheduler.stopped) guarded(body)
    })

  const connect = (webhookId: WebhookId) => {
    // The webhook may have changed or been deleted during the wait.
    const webhook = scheduler.queues.get(webhookId)?.current?.webhook
    if (webhook === undefined) return dispatch({ kind: "woken", webhookId })
    const share = attempts.connect(webhook)
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
        attempts.disconnect(command.share)
        break
      case "wake": {
        const { afterMs, message: kind, webhookId } = command
        run(Effect.map(Effect.sleep(afterMs), () => dispatch({ kind, webhookId })))
        break
      }
      case "askReplayStart": {
        const { webhookId } = command
        pace.ask(() => dispatch({ kind: "replayMayStart", webhookId }))
        break
      }
      case "readPage": {
        const { webhookId, lane, rows, afterId, limit } = command
        run(
          Effect.map(backlog.readPage(webhookId, rows, afterId, limit), (page) =>
            dispatch({ kind: "pageRead", webhookId, lane, page })
          )
        )
        break
      }
      case "moveToBacklog":
        moves.push(command)
        kept.closeUnsafe()
        someMoves.openUnsafe()
        break
      case "forget":
        attempts.leave(command.webhookId)
        break
    }
  }

  /** Undefined if the webhook is deleted. */
  const currentWebhook = (webhookId: WebhookId): CurrentWebhook | undefined => {
    const webhook = registry.get(webhookId)
    if (webhook === undefined)
      return registry.isKnown(webhookId) ? { webhook: undefined, permission: "none" } : undefined
    const { account_id, network, paused, status } = webhook.config
    const permission = status === "active" ? permissionUnder(holds.get(account_id), network) : "none"
    return { webhook, permission: paused === true && permission === "all" ? "free" : permission }
  }

  const changed = (webhookId: WebhookId) => {
    if (scheduler.queues.has(webhookId))
      dispatch({ kind: "changed", webhookId, current: currentWebhook(webhookId) })
  }
  const subscriptions = [
    registry.subscribe(changed),
    holds.subscribe((accountId) => {
      for (const webhookId of scheduler.queues.keys()) {
        if (registry.get(webhookId)?.config.account_id === accountId) changed(webhookId)
      }
    })
  ]
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const unsubscribe of subscriptions) unsubscribe()
    })
  )

  let showing = false
  /** Writes the rows of deliveries that wait, until none of them lacks one. */
  const showWaiting = Effect.gen(function* () {
    yield* Effect.sleep(limits.rowAfterMs)
    do {
      yield* Effect.sleep(limits.rowAfterMs / 4)
      for (const lane of laneKinds) {
        const works = withoutRow(scheduler, lane, nowMs() - limits.rowAfterMs)
        yield* backlog.move(lane, works)
        gotRows(scheduler, lane, works)
      }
    } while (laneKinds.some((lane) => withoutRow(scheduler, lane, Number.POSITIVE_INFINITY).length > 0))
    showing = false
  })

  const result: Dispatcher = {
    watch: (onSettled) => {
      watchers.add(onSettled)
      return () => void watchers.delete(onSettled)
    },
    offer: (webhookId, work, isSlow) => {
      const current = currentWebhook(webhookId)
      dispatch({ kind: "offered", webhookId, current, work: placed(current, work), isSlow })
      if (!showing) {
        showing = true
        run(showWaiting)
      }
    },
    kept: Latch.await(kept),
    isCrowded: (kind, webhookId) => {
      const queue = scheduler.queues.get(webhookId)
      if (queue === undefined) return false
      return isCrowded(queue, kind, remainingFor(scheduler.budgets[kind], queue) > 0, nowMs())
    },
    resume: (webhookIds) => {
      for (const webhookId of webhookIds)
        dispatch({ kind: "resumed", webhookId, current: currentWebhook(webhookId) })
    },
    openBacklog: (lane) => dispatch({ kind: "caughtUp", lane }),
    drain: Effect.suspend(() => {
      dispatch({ kind: "stopped" })
      return Latch.await(idle)
    }),
    inFlight: () => scheduler.sending,
    webhooks: () => scheduler.queues.size,
    heldUpMs: (lagMs) => {
      let longest = 0
      for (const queue of scheduler.queues.values())
        longest = Math.max(longest, heldUpMs(queue, lagMs, nowMs()))
      return longest
    },
    failure: FiberSet.join(fibers)
  }
  return result
})
