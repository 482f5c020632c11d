/** A delivery's life on a line, to scale: its attempts, now, and the next attempt. Pure. */
import type { DeliveryDetail } from "../../../api/ledgerhook.ts"

/** The part of a delivery's life that is drawn again, enlarged: most attempts are in it. */
const ENLARGED_MS = 45 * 60_000

interface Mark {
  /** The number of the attempt. */
  readonly attempt: number
  /** Milliseconds after the delivery was made. */
  readonly afterMs: number
  readonly isFailed: boolean
}

export interface Lane {
  readonly createdMs: number
  readonly marks: ReadonlyArray<Mark>
  /** Milliseconds after the delivery was made; undefined if nothing follows. */
  readonly nextMs: number | undefined
  /** The same, only while something follows. */
  readonly nowMs: number | undefined
  /** The line's length. */
  readonly totalMs: number
  /** How much of it is drawn again. Undefined: nothing would be seen better. */
  readonly enlargedMs: number | undefined
}

type Shown = Pick<DeliveryDetail, "attempt_history" | "created_at" | "next_attempt_at" | "status">

export const laneOf = (
  { attempt_history, created_at, next_attempt_at, status }: Shown,
  now: number
): Lane => {
  const createdMs = Date.parse(created_at)
  const after = (iso: string) => Math.max(Date.parse(iso) - createdMs, 0)
  const marks = attempt_history.map(({ attempt, attempted_at, status: outcome }) => ({
    attempt,
    afterMs: after(attempted_at),
    isFailed: outcome === "failed"
  }))
  const follows = status === "retrying" || status === "pending"
  const nextMs = next_attempt_at === null ? undefined : after(next_attempt_at)
  const lastMs = marks.at(-1)?.afterMs ?? 0
  // The clocks of the service and of the viewer differ.
  const nowMs = follows ? Math.max(now - createdMs, lastMs) : undefined
  const totalMs = Math.max(nextMs ?? 0, nowMs ?? 0, lastMs, 1)
  const early = marks.filter(({ afterMs }) => afterMs <= ENLARGED_MS)
  const enlargedMs =
    early.length < 3 ? undefined : Math.min(ENLARGED_MS, Math.max(early.at(-1)!.afterMs * 1.1, 1_000))
  return { createdMs, marks, nextMs, nowMs, totalMs, enlargedMs }
}

/** From 0 to 1. */
export const rootScale = (afterMs: number, wholeMs: number): number =>
  Math.sqrt(Math.min(afterMs / wholeMs, 1))

interface Label {
  readonly at: number
  /** A guess in pixels. */
  readonly width: number
}

/** The labels that do not overlap an earlier one, which matters more. */
export const withoutOverlap = <L extends Label>(labels: ReadonlyArray<L>): ReadonlyArray<L> => {
  const kept: Array<L> = []
  for (const label of labels)
    if (kept.every((other) => Math.abs(other.at - label.at) >= (other.width + label.width) / 2))
      kept.push(label)
  return kept
}
