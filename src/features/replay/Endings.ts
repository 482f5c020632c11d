/**
 * The states and reasons with which jobs end.
 */
import type { JobEnd, ReplayConditions } from "./ReplayWork.ts"

export const failed = (error: string): JobEnd => ({ status: "failed", error })
export const COMPLETED: JobEnd = { status: "completed", error: null }
export const CANCELLED: JobEnd = { status: "cancelled", error: null }
export const QUOTA_USED_UP = failed("The month's delivery quota is used up.")

/** Why a job towards this webhook must end now; undefined if it may continue. Pure. */
export const webhookEndOf = (webhook: ReplayConditions["webhook"]): JobEnd | undefined =>
  webhook === "active" ? undefined : failed(`The webhook was ${webhook}.`)

/** Why a replay must end now; undefined if it may continue. Pure. */
export const jobEndOf = ({ webhook, quotaLeft }: ReplayConditions): JobEnd | undefined =>
  webhookEndOf(webhook) ?? (quotaLeft === 0 ? QUOTA_USED_UP : undefined)
