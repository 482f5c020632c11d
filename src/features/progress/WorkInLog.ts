/**
 * Which live deliveries still wait in the log, where a delivery is until it has a row: its event is not routed yet, or
 * its work is not finished. If more work of a partition is unfinished than one read returns, nothing is searched and
 * all of them count as waiting.
 */

import { Effect } from "effect"
import { Limits } from "../../spine/config/Limits.ts"
import { DELIVERIES_TOPIC, parseWork } from "../../spine/domain/Delivery.ts"
import { eventsTopic } from "../../spine/event/LedgerEvent.ts"
import type { Network } from "../../spine/event/Network.ts"
import type { LogReader } from "../../spine/log/Log.ts"
import { partitionOf } from "../../spine/log/Topics.ts"
import type { WebhookId } from "../../spine/words/Ids.ts"

export interface WantedDelivery {
  readonly id: string
  readonly webhookId: WebhookId
  /** In the events topic of the network. */
  readonly eventOffset: number
}

/** Which of these webhooks' deliveries the partition has, among the work that deliver has not finished. */
const unfinished = Effect.fnUntraced(function* (
  log: LogReader["Service"],
  partition: number,
  wanted: ReadonlyArray<WantedDelivery>
) {
  const from = { topic: DELIVERIES_TOPIC, partition }
  const { end, start } = yield* log.offsets(from)
  let offset = Math.max(start, yield* log.committed("deliver", from))
  if (end - offset > Limits.logReadRecords) return wanted
  const queued = new Set<string | undefined>()
  while (offset < end) {
    const records = yield* log.read({ ...from, offset }, Limits.logReadRecords)
    if (records.length === 0) break
    for (const { value } of records) queued.add(parseWork(value ?? "")?.delivery_id)
    offset = records.at(-1)!.offset + 1
  }
  return wanted.filter(({ id }) => queued.has(id))
})

/** Returns the ids of those that wait. Read the rows before: a delivery may get its row meanwhile. */
export const waitingInLog = Effect.fnUntraced(function* (
  log: LogReader["Service"],
  network: Network,
  wanted: ReadonlyArray<WantedDelivery>
) {
  if (wanted.length === 0) return new Set<string>()
  // This is read first: what is routed by now has its work in the log.
  const routedTo = yield* log.committed("route", { topic: eventsTopic(network), partition: 0 })
  const unrouted = wanted.filter(({ eventOffset }) => eventOffset >= routedTo)
  const routed = wanted.filter(({ eventOffset }) => eventOffset < routedTo)
  const byPartition = Map.groupBy(routed, ({ webhookId }) => partitionOf(DELIVERIES_TOPIC, webhookId))
  const queued = yield* Effect.forEach(byPartition, ([partition, some]) => unfinished(log, partition, some))
  return new Set([...unrouted, ...queued.flat()].map(({ id }) => id))
})
