/**
 * How long a record stays in its delay topic. `due_at` and the record's timestamp are of the wall clock of the process
 * that made it, so their difference, the record's own wait, is right although that clock may be wrong. If the
 * record was not taken at once, the wall clock of this process shortens the wait by the time since then. When a record
 * has been taken, only the monotonic clock counts. Pure.
 */
import type { DeliveryWork } from "../domain/Delivery.ts"
import type { BothClocks } from "../words/Monotonic.ts"

/** The longest time that work waits: a delay of 24 h, half of it as jitter, `Retry-After`, and reserve for clocks. */
const LONGEST_WAIT_MS = 37 * 3_600_000

/** The records below offset `end` were in the log at `atMs` of the monotonic clock. */
export interface Sighting {
  readonly end: number
  readonly atMs: number
}

/** The whole wait that the work had before it when its record was appended. */
const ownWaitMs = ({ due_at }: DeliveryWork, timestamp: number): number => {
  const waitMs = due_at - timestamp
  // No stage makes work wait for longer. It would block the partition, so it counts as due.
  return waitMs > LONGEST_WAIT_MS ? 0 : Math.max(0, waitMs)
}

interface TakenRecord {
  readonly offset: number
  /** When it was made, by the wall clock of another process. */
  readonly timestamp: number
  /** Whether the stage was waiting for it: it has just been appended, whatever the clocks say. */
  readonly isNew: boolean
}

/**
 * When work is due and when its record leaves the topic, both on the monotonic clock. Only a part of a long wait fits
 * into a topic: `longestMs`. `sightings` are in order. They say how long a record has been in the log at least that was
 * not taken until now, because others before it were waiting.
 */
export const waitOf = (
  work: DeliveryWork,
  { isNew, offset, timestamp }: TakenRecord,
  longestMs: number,
  sightings: ReadonlyArray<Sighting>,
  { monotonicMs, wallMs }: BothClocks
): { readonly dueAt: number; readonly leavesAt: number } => {
  const ageMs = isNew ? 0 : wallMs - timestamp
  const seenMs = sightings.find(({ end }) => end > offset)?.atMs ?? monotonicMs
  // By the wall clock, but no later than if the record had been appended when it was first seen.
  const after = (waitMs: number) => Math.min(monotonicMs - ageMs, seenMs) + waitMs
  const waitMs = ownWaitMs(work, timestamp)
  return { dueAt: after(waitMs), leavesAt: after(Math.min(waitMs, longestMs)) }
}
