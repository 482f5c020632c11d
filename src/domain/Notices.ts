/**
 * Notices to a URL of the account: their types, and the body of the request. `standard` is a Standard Webhooks request,
 * `slack` a message for an incoming webhook of Slack. Pure.
 */
import { iso } from "./IsoTime.ts"

export const noticeTypes = [
  "webhook.failing",
  "webhook.recovered",
  "webhook.disabled",
  "quota.warning",
  "quota.reached",
  "replay.finished"
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
