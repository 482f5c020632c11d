/**
 * Limits that several stages read while they run. They read them from their context (`yield* StageLimits`), where a test
 * may provide smaller numbers. The program provides nothing: the defaults apply. Limits of one stage are in its room.
 */
import { Context } from "effect"

export const stageLimits = {
  /** Records that a stage reads at a time: enough to fill one SQL statement, few enough for memory. */
  takeBatchRecords: 500,
  /**
   * A feed waits for lanes that will soon take more, and looks every `feedPollMs`, until its oldest record was in the log
   * for `feedWaitMs`: others are behind it. So deliveries to endpoints that are fast enough get no row before their
   * outcome.
   */
  feedPollMs: 5,
  feedWaitMs: 1_000,
  /** How long `/readyz` shows that this machine or the database lacked descriptors, ports, memory or space. */
  shortageShownMs: 60_000
}

export const StageLimits = Context.Reference<Readonly<typeof stageLimits>>("ledgerhook/config/StageLimits", {
  defaultValue: () => stageLimits
})
