/**
 * How long a record stays in its delay topic. `due_at` and the record's timestamp are of the wall clock of the process
 * that appended it, so their difference, the record's own wait, is right although that clock may be wrong. The wall
 * clock of this process only shortens the wait by the time that has passed since the append. When a record has been
 * taken, only the monotonic clock counts. Pure.
 */
import { Limits } from "../config/Limits.ts"
import type { DeliveryWork } from "../domain/Delivery.ts"
import type { BothClocks } from "../domain/Monotonic.ts"

/** The records below offset `end` were in the log at `atMs` of the monotonic clock. */
export interface Sighting {
  readonly end: number
  readonly atMs: number
}

/** The whole wait that the work had before it when its record was appended. */
const ownWaitMs = ({ due_at }: DeliveryWork, timestamp: number): number => {
  const waitMs = due_at - timestamp
  // No stage makes work wait for longer. It would block the partition, so it counts as due.
  return waitMs > Limits.workWaitsMostMs ? 0 : Math.max(0, waitMs)
}

/**
 * When work is due and when its record leaves the topic, both on the monotonic clock. Only a part of a long wait fits
 * into a topic: `longestMs`. `sightings` are in order. They say how long a record has been in the log at least that was
 * not taken until now, because others before it were waiting.
 */
export const waitOf = (
  work: DeliveryWork,
  record: { readonly offset: number; readonly timestamp: number },
  longestMs: number,
  sightings: ReadonlyArray<Sighting>,
  { monotonicMs, wallMs }: BothClocks
): { readonly dueAt: number; readonly leavesAt: number } => {
  const seenMs = sightings.find(({ end }) => end > record.offset)?.atMs ?? monotonicMs
  // By the wall clock, but no later than if the record had been appended when it was first seen.
  const over = (waitMs: number) => Math.min(monotonicMs + record.timestamp + waitMs - wallMs, seenMs + waitMs)
  const waitMs = ownWaitMs(work, record.timestamp)
  return { dueAt: over(waitMs), leavesAt: over(Math.min(waitMs, longestMs)) }
}
