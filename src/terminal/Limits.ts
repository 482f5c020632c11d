/** Limits of commands. */
import { deliverLimits } from "../spine/deliver/Limits.ts"

export const terminalLimits = {
  /**
   * A repeated warning is logged once in `windowMs`. The second limit is the number of different warnings that are
   * remembered.
   */
  repeatedMessages: { windowMs: 10_000, messages: 1_000 },
  /** The longest time between SIGTERM and the end of the process. */
  shutdownMs: 15_000,
  /** The largest request body, or event of a stream, that `listen` accepts: a batch of the largest size. */
  listenBodyBytes: deliverLimits.batchBodyBytes
} as const
