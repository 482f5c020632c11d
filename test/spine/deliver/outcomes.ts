/** An attempt that delivered, and its work, for tests of the recorder. */
import type { Work } from "../../../src/spine/deliver/Work.ts"
import type { AttemptRecord } from "../../../src/spine/deliveries/Transitions.ts"
import { eventOf } from "../../support/deliver/events.ts"

export const delivered: AttemptRecord = {
  deliveryId: "dlv_1",
  attempt: 1,
  status: "delivered",
  responseStatus: 200,
  responseTimeMs: 1,
  responseBody: "",
  error: null,
  attemptedAt: 0,
  endedAt: 1,
  nextDelayMs: null
}

/** A delivery whose row exists. */
export const work: Work = {
  key: "dlv_1 1",
  deliveryId: "dlv_1",
  attempt: 1,
  seriesAttempt: 1,
  event: eventOf({}),
  kind: "live",
  acknowledge: undefined,
  queuedAt: 0,
  wasFree: false
}
