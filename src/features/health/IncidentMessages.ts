/** Messages about webhooks that fail and that work again: one for all webhooks of an account at one host. Pure. */

import type { IncidentEnd } from "../../spine/domain/HealthState.ts"
import type { WebhookId } from "../../spine/words/Ids.ts"
import { iso } from "../../spine/words/IsoTime.ts"
import { count, counted, utcMinute } from "../../spine/words/Words.ts"
import { type Account, accountLine, type Message, paragraphs } from "./notify/Mails.ts"

/** Webhooks that a message names. It counts the others. */
export const NAMED_WEBHOOKS = 50

interface Incident {
  readonly id: string
  readonly webhookId: WebhookId
  readonly network: string
  /** Times are Unix milliseconds. */
  readonly beganAt: number
  readonly endedAt: number | null
  readonly endedBy: IncidentEnd | null
  readonly cause: string | null
  readonly attemptsFailed: number
}

interface Recovered extends Incident {
  /** Null if the deliveries were dropped before they were counted. */
  readonly outcome: { readonly waited: number; readonly delivered: number; readonly failed: number } | null
}

/** Incidents of an account at one host, at least one. */
interface AtHost<A> extends Account {
  readonly host: string
  readonly incidents: ReadonlyArray<A>
}

const webhooksTo = (n: number, host: string): string =>
  n === 1 ? `Webhook to ${host}` : `${count(n)} webhooks to ${host}`

const attempts = (n: number): string => `${counted(n, "attempt", "attempts")} failed`

const listed = <A>(incidents: ReadonlyArray<A>, line: (incident: A) => string): ReadonlyArray<string> => {
  const others = incidents.length - NAMED_WEBHOOKS
  return [
    ...incidents.slice(0, NAMED_WEBHOOKS).map(line),
    ...(others > 0 ? [`and ${count(others)} more`] : [])
  ]
}

const mailList = (lines: ReadonlyArray<string>): string => lines.map((line) => `  ${line}`).join("\n")
const noticeText = (sentence: string, lines: ReadonlyArray<string>): string =>
  [`${sentence}.`, ...lines.map((line) => `• ${line}`)].join("\n")

const dataOf = (incident: Incident) => ({
  id: incident.id,
  webhook_id: incident.webhookId,
  network: incident.network,
  began_at: iso(incident.beganAt),
  ended_at: incident.endedAt === null ? null : iso(incident.endedAt),
  ended_by: incident.endedBy,
  cause: incident.cause,
  attempts_failed: incident.attemptsFailed
})

const failingLine = ({ attemptsFailed, beganAt, cause, endedAt, webhookId }: Incident): string =>
  `${webhookId} since ${utcMinute(beganAt)}, ${attempts(attemptsFailed)}${endedAt === null ? "" : ", some were answered"}${
    cause === null ? "" : `\n    newest error: ${cause}`
  }`

/** `othersFail`: most hosts of all accounts fail, so the cause is probably not this host. */
export const failingMessage = ({
  host,
  incidents,
  othersFail,
  ...account
}: AtHost<Incident> & { readonly othersFail: boolean }): Message => {
  const subject = `${webhooksTo(incidents.length, host)} ${incidents.length === 1 ? "is" : "are"} failing`
  const lines = listed(incidents, failingLine)
  const others = "Many other endpoints fail at the same time, so the cause may be at this service"
  return {
    subject,
    body: paragraphs(
      `Webhooks of the ${accountLine(account)}
get errors from ${host}, or no answer:`,
      mailList(lines),
      ...(othersFail ? [`${others}.`] : []),
      "Each delivery is retried for about 21 hours. Nothing is lost if the endpoint works again by then.",
      `1. See what went wrong:       GET /v1/deliveries?status=retrying&webhook_id=ID
2. Check what it answered:    GET /v1/deliveries/ID shows every attempt.
3. Fix the endpoint. Deliveries then arrive with their next attempt, or at once with
   POST /v1/deliveries/retry and {"webhook_id":"ID"}.`
    ),
    notice: {
      type: "webhook.failing",
      text: noticeText(othersFail ? `${subject}. ${others}` : subject, lines),
      data: {
        account_id: account.accountId,
        host,
        webhooks: incidents.length,
        many_others_fail: othersFail,
        incidents: incidents.slice(0, NAMED_WEBHOOKS).map(dataOf)
      }
    }
  }
}

const waitingOf = ({ delivered, failed, waited }: NonNullable<Recovered["outcome"]>): number =>
  Math.max(0, waited - delivered - failed)

const recoveredLine = ({ attemptsFailed, beganAt, endedAt, outcome, webhookId }: Recovered): string =>
  `${webhookId} failed from ${utcMinute(beganAt)} to ${utcMinute(endedAt ?? beganAt)}\n    ${attempts(attemptsFailed)}${
    outcome === null
      ? ""
      : `; of ${count(outcome.waited)} deliveries ${count(outcome.delivered)} arrived, ${count(outcome.failed)} failed for good, ${count(waitingOf(outcome))} wait`
  }`

/** Outcomes of incidents beyond the first `NAMED_WEBHOOKS` are not used. */
export const recoveredMessage = ({ host, incidents, ...account }: AtHost<Recovered>): Message => {
  const subject = `${webhooksTo(incidents.length, host)} ${incidents.length === 1 ? "works" : "work"} again`
  const lines = listed(incidents, recoveredLine)
  return {
    subject,
    body: paragraphs(
      `Webhooks of the ${accountLine(account)}
get answers from ${host} again:`,
      mailList(lines),
      `Deliveries that still wait arrive with their next attempt. To send all of them now, and those
that failed for good again: POST /v1/deliveries/retry with {"webhook_id":"ID"}.`
    ),
    notice: {
      type: "webhook.recovered",
      text: noticeText(subject, lines),
      data: {
        account_id: account.accountId,
        host,
        webhooks: incidents.length,
        incidents: incidents.slice(0, NAMED_WEBHOOKS).map((incident) => ({
          ...dataOf(incident),
          waited: incident.outcome?.waited ?? 0,
          outcome:
            incident.outcome === null
              ? null
              : {
                  delivered: incident.outcome.delivered,
                  failed: incident.outcome.failed,
                  waiting: waitingOf(incident.outcome)
                }
        }))
      }
    }
  }
}
