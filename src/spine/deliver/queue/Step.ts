/**
 * The state of the scheduler, the processing of one message, and the part of it that starts requests: which lane of a
 * webhook is next, when its rate and its batches allow it, and what it sends. Pure.
 */

import type { Batch } from "../../event/Batch.ts"
import type { RegisteredWebhook } from "../../registry/WebhookRegistry.ts"
import type { DeliverLimits } from "../Limits.ts"
import type { Share } from "../send/Attempt.ts"
import type { LaneKind, Work } from "../Work.ts"
import type { Lane } from "./Lane.ts"
import { type MemoryBudget, makeMemoryBudget, remainingFor } from "./MemoryBudget.ts"
import type { Command } from "./Messages.ts"
import {
  batchWaitMs,
  getsNoMore,
  mayStart,
  payRate,
  rateWaitMs,
  requestStarted,
  takeSending,
  type WebhookQueue,
  windowOf
} from "./WebhookQueue.ts"

type Limits = Pick<
  typeof DeliverLimits.Service,
  "partitionDeliveries" | "partitionReplays" | "laneLeast" | "lanePageRows" | "batchBodyBytes" | "lackPauseMs"
>

export interface Scheduler {
  readonly limits: Limits
  readonly queues: Map<string, WebhookQueue>
  readonly budgets: Readonly<Record<LaneKind, MemoryBudget>>
  /** Attempts that have started and are not settled. */
  sending: number
  stopped: boolean
}

/** The processing of one message. */
export interface Step {
  readonly scheduler: Scheduler
  /** Of the monotonic clock. */
  readonly nowMs: number
  /** Whether attempts may start although earlier ones of their webhook, which wait for their record, fill its limit. */
  readonly mayRunAhead: boolean
  readonly commands: Array<Command>
}

export const makeScheduler = (limits: Limits): Scheduler => ({
  limits,
  queues: new Map(),
  budgets: {
    live: makeMemoryBudget("live", limits.partitionDeliveries, limits.laneLeast),
    replays: makeMemoryBudget("replays", limits.partitionReplays, limits.laneLeast)
  },
  sending: 0,
  stopped: false
})

/** Moves deliveries that are held to the backlog. A page may bring their rows from now on. */
export const moveToBacklog = (
  { commands, scheduler }: Step,
  { webhookId }: WebhookQueue,
  lane: Lane,
  works: ReadonlyArray<Work>
) => {
  if (works.length === 0) return
  for (const { key } of works) scheduler.budgets[lane.kind].busy.delete(key)
  lane.moving += works.length
  lane.behind += works.length
  commands.push({ kind: "moveToBacklog", webhookId, lane: lane.kind, works })
}

/** The lane whose next delivery may start, if the rate allows it and there is a connection. */
export const startable = ({ scheduler, mayRunAhead }: Step, queue: WebhookQueue): Lane | undefined =>
  scheduler.stopped || queue.waiting || queue.current?.webhook === undefined
    ? undefined
    : mayStart(queue, windowOf(queue.current.webhook.config), mayRunAhead)

/** Waits for the rate, then asks for a connection. */
export const connect = ({ nowMs, commands }: Step, queue: WebhookQueue, webhook: RegisteredWebhook) => {
  const { webhookId } = queue
  const afterMs = rateWaitMs(queue, webhook.config.max_per_second, nowMs)
  queue.waiting = true
  commands.push(
    afterMs > 0 ? { kind: "wake", webhookId, afterMs, message: "woken" } : { kind: "connect", webhookId }
  )
}

/**
 * Whether the lane's next request is a batch that waits for more events. A lane without memory gets none. The timer
 * that runs is never late: the first message of any later batch was queued later.
 */
export const gathers = (
  { scheduler, nowMs, commands }: Step,
  queue: WebhookQueue,
  lane: Lane,
  batch?: Batch
) => {
  const { webhookId } = queue
  if (batch === undefined || getsNoMore(lane, batch)) return false
  if (remainingFor(scheduler.budgets[lane.kind], queue) === 0) return false
  if (queue.gathering) return true
  const afterMs = batchWaitMs(lane, batch, nowMs)
  if (afterMs === 0) return false
  queue.gathering = true
  commands.push({ kind: "wake", webhookId, afterMs, message: "gathered" })
  return true
}

/** The webhook got a connection. */
export const start = (step: Step, queue: WebhookQueue, share: Share) => {
  const { scheduler, commands } = step
  const lane = startable(step, queue)
  const webhook = queue.current?.webhook
  const sending = webhook && lane && takeSending(lane, webhook, scheduler.limits.batchBodyBytes)
  if (webhook === undefined || sending === undefined) return void commands.push({ kind: "disconnect", share })
  payRate(queue, webhook.config.max_per_second, step.nowMs)
  requestStarted(queue, step.nowMs)
  scheduler.sending += sending.works.length
  commands.push({ kind: "start", webhook, sending, share })
}
