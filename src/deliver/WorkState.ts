/**
 * Whether work must still be done. The row decides, because the log may contain a record twice (a producer's retry, a
 * restart, a new owner of the partition). Pure.
 *
 *   current     its attempt is the row's next one
 *   duplicate   done already, or its row is in the backlog
 *   unanswered  the attempt is recorded, but a crash may have prevented its retry from being appended: append the retry.
 *               If it is in the log twice, the second one is a duplicate
 *   early       the attempt before it is not recorded yet, or was lost in a crash: offer the work again later
 */
import type { DeliveryWork } from "../domain/Delivery.ts"
import type { DeliveryState } from "../storage/deliveries/DeliveryStore.ts"

export type WorkState = "current" | "duplicate" | "unanswered" | "early"

export const workState = (
  work: Pick<DeliveryWork, "attempt">,
  row: DeliveryState | undefined,
  /** The record was in the log before this owner started: an earlier owner may have handled it and died. */
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
