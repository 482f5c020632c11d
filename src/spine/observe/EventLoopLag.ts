/** The mean delay of the event loop in the last seconds, in milliseconds. ProcessMetrics.ts measures it. */
import { Context } from "effect"

export class EventLoopLag extends Context.Reference<{ meanMs: number }>(
  "ledgerhook/observability/EventLoopLag",
  { defaultValue: () => ({ meanMs: 0 }) }
) {}
