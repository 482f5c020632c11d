/**
 * Is a piece of work still to be done? The row is the truth; the log may give a record twice (a producer's repeat, a
 * restart, a partition that changed hands). Pure.
 *
 *   current    its attempt is the row's next one
 *   duplicate  done already, or queued here, or remembered by the row alone (parked)
 *   unanswered done already, but the crash may have come before its retry was appended: append it again; should both
 *              arrive, the second is a duplicate
 *   early      the attempt before it is not recorded: it is being recorded, or will be made again; it comes again later
 */
import type { DeliveryWork } from "../domain/Delivery.ts"
import type { DeliveryState } from "../storage/deliveries/DeliveryStore.ts"

export type WorkState = "current" | "duplicate" | "unanswered" | "early"

export const workState = (
  work: Pick<DeliveryWork, "attempt">,
  row: DeliveryState | undefined,
  /** The record was in the log before this owner began: an earlier one may have handled it and died. */
  mayBeHandled: boolean
): WorkState => {
  if (row === undefined || (row.status !== "pending" && row.status !== "retrying")) return "duplicate"
  if (work.attempt === row.attempts + 2) return "early"
  if (row.parked) return "duplicate"
  if (work.attempt === row.attempts + 1) return "current"
  return mayBeHandled && row.status === "retrying" && work.attempt === row.attempts
    ? "unanswered"
    : "duplicate"
}
