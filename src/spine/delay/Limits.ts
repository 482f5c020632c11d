/** Limits of delay partitions. Delay reads them from its context, so a test can lower them. */
import { Context } from "effect"

export const delayLimits = {
  /** Records that a delay partition keeps in memory while it waits. There are 54 such partitions. */
  delayBatchRecords: 100
}

export const DelayLimits = Context.Reference<Readonly<typeof delayLimits>>("ledgerhook/delay/DelayLimits", {
  defaultValue: () => delayLimits
})
