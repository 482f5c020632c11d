/**
 * Limits of the progress of webhooks. Those of `WorkLimits` are read from the context, so a test can lower them.
 */
import { Context } from "effect"

export const progressLimits = {
  /** Waiting deliveries of a webhook that its progress counts at most: about 5 ms. */
  progressCounted: 10_000,
  /**
   * How often upkeep looks for the beginnings and ends of webhooks' gaps. One is as many ledgers too wide as close in up to
   * two passes. It is much longer than `accountHoldsMs`: by the next pass, route knows of an end.
   */
  gapSweepMs: 5_000
} as const

export const workLimits = {
  /**
   * Unfinished work of a partition of which a webhook's progress knows every single one, from the committed offset on.
   * One takes about 300 bytes in memory, in processes that are asked for progress.
   */
  progressRecords: 10_000
}

export const WorkLimits = Context.Reference<Readonly<typeof workLimits>>("ledgerhook/progress/WorkLimits", {
  defaultValue: () => workLimits
})
