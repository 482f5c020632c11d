/**
 * Whether work must still be done. The row decides, because the log may contain a record twice (a producer's retry, a
 * restart, a new owner of the partition). Pure.
 *
 *   current     its attempt is the row's next one, or the first one of a delivery without a row
 *   duplicate   done already, or its row is in the backlog
 *   unanswered  the attempt is recorded, but a crash may have prevented its retry from being appended: append the retry.
 *               If it is in the log twice, the second one is a duplicate
 *   early       the attempt before it is not recorded yet, or was lost in a crash: offer the work again later
 */

import type { DeliveryState } from "../../deliveries/DeliveryStore.ts"
import type { DeliveryWork } from "../../domain/Delivery.ts"

export type WorkState = "current" | "duplicate" | "unanswered" | "early"

export const workState = (
  { attempt, row: unwritten }: Pick<DeliveryWork, "attempt" | "row">,
  row: DeliveryState | undefined,
  /** The record was in the log before this owner started: an earlier owner may have handled it and died. */
  mayBeHandled: boolean
): WorkState => {
  // A retry is appended after its delivery's row was written: without a row, PostgreSQL has refused it.
  if (row === undefined) return unwritten === undefined ? "duplicate" : "current"
  if (row.status !== "pending" && row.status !== "retrying") return "duplicate"
  if (attempt === row.attempts + 2) return "early"
  if (row.parked) return "duplicate"
  if (attempt === row.attempts + 1) return "current"
  return mayBeHandled && row.status === "retrying" && attempt === row.attempts ? "unanswered" : "duplicate"
}
