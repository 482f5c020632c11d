/**
 * Why a webhook that has a backlog is not sent more: its window is full of requests that its receiver has not answered, or
 * the service uses the window too little. A process without CPU time reads answers late, so that its windows look full.
 * Therefore the part of a request's time that is the event loop's own delay does not count as the receiver's. Pure.
 */

/** Turns of the event loop that a request waits for: to be sent, for the head and for the end of its answer. */
const TURNS = 3
/** A window that is used less than this is not what holds the webhook back. */
const USED_PART = 0.5

export interface WindowUse {
  /** Requests under way, times how long: the sum since the last judgement. */
  inFlightMs: number
  /** Requests that have ended since then. */
  ended: number
  changedAt: number
  judgedAt: number
  /** Since when the service holds the webhook back. */
  heldUpSince: number | undefined
}

export const makeWindowUse = (nowMs: number): WindowUse => ({
  inFlightMs: 0,
  ended: 0,
  changedAt: nowMs,
  judgedAt: nowMs,
  heldUpSince: undefined
})

/** Call it before the number of requests under way changes. */
export const noteInFlight = (use: WindowUse, inFlight: number, nowMs: number): void => {
  use.inFlightMs += inFlight * (nowMs - use.changedAt)
  use.changedAt = nowMs
}

/**
 * How long the service has held the webhook back, up to now, and begins the next span. `window`: how many requests may be
 * under way; undefined if the webhook has no backlog, or something of its own holds it back. `lagMs`: the mean delay of
 * the event loop.
 */
export const heldUpMs = (
  use: WindowUse,
  inFlight: number,
  window: number | undefined,
  lagMs: number,
  nowMs: number
): number => {
  noteInFlight(use, inFlight, nowMs)
  const spanMs = nowMs - use.judgedAt
  const receiversMs = use.inFlightMs - use.ended * TURNS * lagMs
  const isHeldUp = window !== undefined && spanMs > 0 && receiversMs < spanMs * window * USED_PART
  use.heldUpSince = isHeldUp ? (use.heldUpSince ?? use.judgedAt) : undefined
  use.inFlightMs = 0
  use.ended = 0
  use.judgedAt = nowMs
  return use.heldUpSince === undefined ? 0 : nowMs - use.heldUpSince
}
