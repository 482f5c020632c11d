/** The headline of a delivery: where it stands. Pure. */
import type { DeliveryDetail } from "../../../api/ledgerhook.ts"
import { duration, plural } from "../../../words/format.ts"

type Shown = Pick<
  DeliveryDetail,
  "attempt_history" | "attempts" | "created_at" | "next_attempt_at" | "status"
>

const DUE_MS = 1_000

export const deliveryTitle = (delivery: Shown, nowMs: number): string => {
  const { attempts, attempt_history, created_at, next_attempt_at, status } = delivery
  const last = attempt_history.at(-1)
  switch (status) {
    case "delivered": {
      const after = last === undefined ? 0 : Date.parse(last.attempted_at) - Date.parse(created_at)
      return attempts <= 1
        ? "Delivered at the first attempt"
        : `Delivered at attempt ${attempts}, after ${duration(Math.max(after, 0), true)}`
    }
    case "failed":
      return `Failed after ${plural(attempts, "attempt")}`
    case "pending":
      return attempts === 0 ? "Waits for its first attempt" : `Attempt ${attempts + 1} is queued`
    case "retrying": {
      const left = next_attempt_at === null ? 0 : Date.parse(next_attempt_at) - nowMs
      return left < DUE_MS
        ? `Attempt ${attempts + 1} is due`
        : `Attempt ${attempts + 1} in ${duration(left, true)}`
    }
  }
}

/** Why the delivery does not move, if the webhook says so. */
export const whyItWaits = (
  status: DeliveryDetail["status"],
  webhook: { readonly paused: boolean; readonly health: { readonly state: string } } | undefined
): string | undefined => {
  if (status !== "pending" && status !== "retrying") return undefined
  if (webhook?.health.state === "disabled")
    return "The webhook is disabled: nothing is sent until it is enabled."
  if (webhook?.paused) return "The webhook is paused: nothing is sent until it is resumed."
  return undefined
}
