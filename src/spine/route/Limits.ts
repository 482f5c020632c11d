/** Limits of routing. Route reads them from its context, so a test can lower them. */
import { Context } from "effect"

export const routeLimits = {
  /** Deliveries that route queues in one transaction. An event for more webhooks is routed in parts. */
  routeBatchDeliveries: 2_000,
  /** Deliveries of such a part. Events behind it wait for one part at a time. */
  routePartDeliveries: 500,
  /** While more deliveries than this wait for their part, no further events are read. Each takes up to 100 bytes. */
  routeDeferredMost: 200_000,
  /** Events that are routed while one before them has parts left. A restart reads them again. */
  routeAheadRecords: 10_000
}

export const RouteLimits = Context.Reference<Readonly<typeof routeLimits>>("ledgerhook/route/RouteLimits", {
  defaultValue: () => routeLimits
})
