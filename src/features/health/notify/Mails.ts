/**
 * The texts of mails to customers: plain text that says what happened, what it means and what to do. Times are UTC.
 * Pure.
 */

import type { Plan } from "../../../spine/domain/Plans.ts"
import type { QuotaNotice } from "../../../spine/domain/Quota.ts"
import type { AccountId, WebhookId } from "../../../spine/words/Ids.ts"
import { iso } from "../../../spine/words/IsoTime.ts"
import { count, utcMinute } from "../../../spine/words/Words.ts"
import type { Notice } from "./Notices.ts"

export interface MailText {
  readonly subject: string
  readonly body: string
}

/** A mail, and the same as a notice to a URL. */
export interface Message extends MailText {
  readonly notice: Notice
}

export interface Account {
  readonly accountId: AccountId
  readonly name: string
}

const monthName = (month: string): string =>
  new Date(`${month}-01T00:00:00Z`).toLocaleString("en-US", {
    month: "long",
    year: "numeric",
    timeZone: "UTC"
  })

export const accountLine = ({ name, accountId }: Account): string => `account "${name}" (${accountId})`

/** An event may be routed this long after its ledger closed. Replaying it again does no harm: its id is the same. */
const REPLAY_OVERLAP_MS = 60_000

export const paragraphs = (...texts: ReadonlyArray<string>): string => `${texts.join("\n\n")}\n`

const waiting = `They resume automatically, in order, when the new month begins, the plan grows or the limit is
raised. Events that happen meanwhile are not queued; POST /v1/replay sends them afterwards.
Test deliveries and deliveries of the test networks are free and continue.`

/** `month` is `2026-11`; `deliveries` are the attempts counted so far. */
export const quotaMail = (
  reached: Account & {
    readonly percent: QuotaNotice
    readonly plan: Plan
    readonly month: string
    readonly deliveries: number
    readonly quota: number
  }
): Message => {
  const { percent, plan, deliveries, quota } = reached
  const month = monthName(reached.month)
  const usedUp = percent === 100
  const subject = usedUp
    ? `Delivery quota of ${month} is used up: deliveries wait`
    : `${percent}% of the delivery quota of ${month} is used`
  return {
    subject,
    body: paragraphs(
      `The ${accountLine(reached)} has used ${count(deliveries)} of the ${count(quota)} deliveries
that its plan (${plan}) has in ${month}. Every attempt counts, retries and replays included.`,
      usedUp
        ? `Deliveries wait from now on, retries included.\n${waiting}`
        : `When all of them are used, deliveries wait, retries included.\n${waiting}`,
      "GET /v1/account shows the plan, the quota and what is used of it."
    ),
    notice: {
      type: usedUp ? "quota.reached" : "quota.warning",
      text: `${subject}.\n• ${count(deliveries)} of ${count(quota)} deliveries are used.`,
      data: { account_id: reached.accountId, month: reached.month, plan, percent, deliveries, quota }
    }
  }
}

/** `queueWaitsDays`: how long queued deliveries wait for a disabled webhook. */
export const webhookDisabledMail = (
  disabled: Account & {
    readonly webhookId: WebhookId
    readonly network: string
    readonly url: string
    readonly reason: string
    readonly disabledAt: number
    readonly queueWaitsDays: number
  }
): Message => {
  const { webhookId, reason, disabledAt } = disabled
  const { host } = new URL(disabled.url)
  const since = new Date(disabledAt - REPLAY_OVERLAP_MS).toISOString()
  const subject = `Webhook to ${host} was disabled`
  return {
    subject,
    body: paragraphs(
      `Webhook ${webhookId} of the ${accountLine(disabled)}, which sends to
${host}, was disabled at ${utcMinute(disabledAt)}: ${reason}.`,
      `No events are queued for it from now on. Deliveries that were already queued wait for ${disabled.queueWaitsDays} days and
resume when the webhook is enabled again.`,
      `1. See what went wrong:       GET /v1/deliveries?webhook_id=${webhookId}&status=failed
2. Fix it, then enable it:    PATCH /v1/webhooks/${webhookId} with {"status":"active"}
3. Recover what was missed:   POST /v1/replay with
   {"webhook_id":"${webhookId}","filters":{"since":"${since}"}}
   or, on every plan, with "event_ids" instead of "filters".`
    ),
    notice: {
      type: "webhook.disabled",
      text: `${subject}.\n• ${webhookId}: ${reason}.\n• No events are queued for it from now on.`,
      data: {
        account_id: disabled.accountId,
        host,
        webhook_id: webhookId,
        network: disabled.network,
        reason,
        disabled_at: iso(disabledAt)
      }
    }
  }
}

/** Sent once half of the failed deliveries in a row that disable a webhook are reached. */
export const webhookHalfWayMail = (
  failing: Account & {
    readonly webhookId: WebhookId
    readonly url: string
    /** Null if it answers: its responses to batches list deliveries as failed. */
    readonly failingSince: number | null
    readonly failures: number
    readonly disableAfter: number
  }
): MailText => {
  const { webhookId, failingSince, failures, disableAfter } = failing
  const { host } = new URL(failing.url)
  const state =
    failingSince === null
      ? "answers, and lists deliveries as failed"
      : `has accepted nothing since\n${utcMinute(failingSince)}`
  return {
    subject: `Webhook to ${host} will be disabled soon`,
    body: paragraphs(
      `Webhook ${webhookId} of the ${accountLine(failing)}, which sends to
${host}, ${state}. ${count(failures)} deliveries in a row have failed with all their attempts.`,
      `After ${count(disableAfter)} of them the webhook is disabled, and no more events are queued for it.`,
      `1. See what went wrong:       GET /v1/deliveries?webhook_id=${webhookId}&status=failed
2. Fix the endpoint. One accepted delivery sets the count back to 0.`
    )
  }
}

/** Sent by an operator to try the mail server. */
export const trialMail = (nowMs: number): MailText => ({
  subject: "Ledgerhook can send mails",
  body: paragraphs(`This is a trial, sent by \`ledgerhook mail test\` at ${utcMinute(nowMs)}.`)
})
