/** How long the parts of an attempt took. Pure. */
import type { Attempt } from "../../../api/ledgerhook.ts"
import { duration } from "../../../words/format.ts"

export interface Timing {
  /** DNS, connecting and TLS; 0 if the connection was reused. */
  readonly connectMs: number
  /** From the request to the first byte of the response. */
  readonly waitMs: number
  /** From the first byte to the end. */
  readonly readMs: number
  readonly totalMs: number
}

/** Undefined if the attempt's duration is not known. */
export const timingOf = ({ connect_ms, first_byte_ms, total_ms }: Attempt): Timing | undefined => {
  if (total_ms === null) return undefined
  // Without a response, everything after connecting was waiting.
  const connectMs = Math.min(connect_ms ?? 0, total_ms)
  const firstByteMs = Math.max(Math.min(first_byte_ms ?? total_ms, total_ms), connectMs)
  return { connectMs, waitMs: firstByteMs - connectMs, readMs: total_ms - firstByteMs, totalMs: total_ms }
}

export const timingText = (attempt: Attempt): string =>
  [
    attempt.connect_ms === null ? undefined : `connected after ${duration(attempt.connect_ms)}`,
    attempt.first_byte_ms === null ? "no response" : `first byte after ${duration(attempt.first_byte_ms)}`,
    attempt.total_ms === null ? undefined : `${duration(attempt.total_ms)} in total`
  ]
    .filter((part) => part !== undefined)
    .join(", ")
