/**
 * Which queued deliveries a request carries. A webhook without `batch` sends one. With it, a request carries up to
 * `max_events` deliveries of a lane, in the order of its queue, as far as their body stays within `batchBodyBytes`.
 * A batch that is not full waits for more, at most `max_wait_ms` from when its first delivery was queued. Pure.
 */
import { type Batch, batchItem } from "../../domain/Batch.ts"
import { defaultFormat } from "../../domain/RequestFormat.ts"
import type { RegisteredWebhook } from "../../webhooks/WebhookRegistry.ts"
import type { Lane, Work } from "./Lane.ts"

/** The deliveries of one request: at least one. */
export interface Sending {
  readonly works: ReadonlyArray<Work>
  /** Their items of the body, if the request is a batch. */
  readonly items?: ReadonlyArray<string>
}

/**
 * Whether the lane's next batch is full, or will not become fuller by waiting: a lane in mode `backlog` reads its next
 * page when its queue is nearly empty.
 */
export const getsNoMore = ({ mode, queued }: Lane, batch: Batch): boolean =>
  mode === "backlog" || queued.length >= batch.max_events

/** How long the lane's next batch must still wait. */
export const batchWaitMs = ({ queued }: Lane, waitMs: number, nowMs: number): number => {
  const waitedMs = nowMs - (queued[0]?.queuedAt ?? 0)
  return Math.max(0, waitMs - waitedMs)
}

/** Takes the deliveries of the next request from the queue; undefined if it is empty. */
export const takeSending = (
  { queued }: Lane,
  { config }: RegisteredWebhook,
  bodyBytes: number
): Sending | undefined => {
  const { batch, format = defaultFormat, id } = config
  if (batch === undefined) {
    const work = queued.shift()
    return work === undefined ? undefined : { works: [work] }
  }
  const items: Array<string> = []
  // The brackets. Each item has a comma or stands last.
  let bytes = 1
  for (const { deliveryId, event } of queued) {
    if (items.length === batch.max_events) break
    const item = batchItem(format, event, id, deliveryId)
    bytes += Buffer.byteLength(item) + 1
    if (items.length > 0 && bytes > bodyBytes) break
    items.push(item)
  }
  return items.length === 0 ? undefined : { works: queued.splice(0, items.length), items }
}
