/**
 * Lets a stage know that the readers of what it appends wait, so that it does not run ahead of them: deliver spills what
 * is in the log for too long. It does not see readers in other processes.
 */
import { Context, Effect } from "effect"

export interface Pace {
  /** How many readers wait now. */
  readonly waiting: () => number
  /** Counts a reader while it waits. */
  readonly during: <A, E, R>(wait: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const makePace = (): Pace => {
  let waiting = 0
  const add = (count: number) =>
    Effect.sync(() => {
      waiting += count
    })
  return {
    waiting: () => waiting,
    during: (wait) =>
      Effect.acquireUseRelease(
        add(1),
        () => wait,
        () => add(-1)
      )
  }
}

/** One for the process. */
export class ReaderPace extends Context.Reference<Pace>("ledgerhook/log/ReaderPace", {
  defaultValue: makePace
}) {}
