/**
 * Which queued deliveries get their rows because they wait for long, and what follows when they have them: they are in
 * the backlog, and stay in memory at their place. Pure but for the works.
 */
import type { LaneKind, Work } from "./Lane.ts"
import type { Scheduler } from "./LaneStep.ts"

/** Deliveries from the log that have been queued since before `beforeMs`. Their rows may not exist. */
export const unshown = ({ queues }: Scheduler, kind: LaneKind, beforeMs: number): ReadonlyArray<Work> =>
  Array.from(queues.values()).flatMap(({ [kind]: { queued } }) =>
    queued.filter(({ acknowledge, queuedAt }) => acknowledge !== undefined && queuedAt < beforeMs)
  )

/**
 * The rows of these works are in the backlog: the offsets of their records may be committed. But the record of one that
 * has been started meanwhile must come again after a crash, because its retry is appended after its row is written.
 */
export const shown = (machine: Scheduler, kind: LaneKind, works: ReadonlyArray<Work>): void => {
  const queued = new Set(unshown(machine, kind, Number.POSITIVE_INFINITY))
  for (const work of works) {
    work.row = undefined
    if (!queued.has(work)) continue
    work.acknowledge?.()
    work.acknowledge = undefined
  }
}
