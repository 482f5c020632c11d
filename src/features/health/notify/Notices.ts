/**
 * Notices to a URL of the account: their types, and the body of the request. `standard` is a Standard Webhooks request,
 * `slack` a message for an incoming webhook of Slack. Pure.
 */

import { createHash } from "node:crypto"
import type { AccountId, WebhookId } from "../../../spine/words/Ids.ts"
import { iso } from "../../../spine/words/IsoTime.ts"
import { count, counted } from "../../../spine/words/Words.ts"

export const noticeTypes = [
  "webhook.failing",
  "webhook.recovered",
  "webhook.disabled",
  "quota.warning",
  "quota.reached",
  "replay.finished",
  "webhook.gap"
] as const
export type NoticeType = (typeof noticeTypes)[number]

/** The type of the notice that tries a URL. It is sent whatever types the account has chosen. */
export const TEST_NOTICE = "notice.test"

export const noticeFormats = ["standard", "slack"] as const
export type NoticeFormat = (typeof noticeFormats)[number]

/** `Type`: what happened. */
export interface Notice<Type extends string = NoticeType> {
  readonly type: Type
  /** For people: a sentence, and lines. */
  readonly text: string
  /** For programs. */
  readonly data: object
}

/** Identifies a notice for its receiver: the same at every attempt. Depends only on the cause. */
export const noticeId = (cause: string): string =>
  `ntc_${createHash("sha256").update(cause).digest("hex").slice(0, 26)}`

/** Slack reads these characters as markup. */
const slackText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** The same for every attempt. */
export const noticeBody = (
  format: NoticeFormat,
  { data, text, type }: Notice<string>,
  createdAt: number
): string =>
  JSON.stringify(format === "slack" ? { text: slackText(text) } : { type, timestamp: iso(createdAt), data })

/**
 * A replay or retry job that has finished: it has ended, and none of its deliveries waits. Their counts are null for a
 * job from before they were counted.
 */
export const replayNotice = (job: {
  readonly account_id: AccountId
  readonly job_id: string
  readonly webhook_id: WebhookId
  readonly network: string
  readonly status: "completed" | "cancelled" | "failed"
  readonly error: string | null
  readonly total_events: number
  readonly processed_events: number
  readonly failed_events: number
  readonly delivered: number | null
  readonly waiting: number | null
  readonly failed: number | null
}): Notice => ({
  type: "replay.finished",
  text: `Replay ${job.job_id} ${job.status === "completed" ? "is completed" : `was ${job.status}`}.\n• ${count(
    job.processed_events
  )} of ${count(job.total_events)} events were queued for ${job.webhook_id}.${
    job.delivered === null
      ? ""
      : `\n• ${counted(job.delivered, "delivery was", "deliveries were")} delivered, ${count(job.failed ?? 0)} failed.`
  }${job.error === null ? "" : `\n• ${job.error}`}`,
  data: job
})

/** Tries the URL. */
export const testNotice = (accountId: AccountId): Notice<typeof TEST_NOTICE> => ({
  type: TEST_NOTICE,
  text: "This is a test. Notices of Ledgerhook arrive here.",
  data: { account_id: accountId }
})
