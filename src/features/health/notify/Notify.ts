/**
 * Notifies accounts by mail. It queues the mails about quotas, and about failing and disabled webhooks. Several processes
 * may run it: for each cause one mail is queued.
 */

import { Clock, Effect } from "effect"
import { Settings } from "../../../spine/config/Config.ts"
import { Limits } from "../../../spine/config/Limits.ts"
import { UsageStore } from "../../../spine/deliveries/UsageStore.ts"
import { deleteEvery } from "../../../spine/observe/ClockTrust.ts"
import { repeatEvery } from "../../../spine/observe/RetryUntilSuccess.ts"
import { reportDisabled } from "../DisabledMails.ts"
import { reportHalfWay } from "../HalfWayMails.ts"
import { reportIncidents } from "../IncidentNotices.ts"
import { healthLimits } from "../Limits.ts"
import { sendMails, sendNotices } from "./MailSender.ts"
import { MailStore } from "./MailStore.ts"
import { quotaMail } from "./Mails.ts"
import { NoticeStore } from "./NoticeStore.ts"

/** Queues mails to accounts that have used 80 % or 100 % of their quota (`quotaNotices`), one mail for each. */
export const noticeQuotas = Effect.gen(function* () {
  const usage = yield* UsageStore
  const mails = yield* MailStore
  const now = yield* Clock.currentTimeMillis
  const reached = yield* usage.dueNotices(now, Limits.statementRows)
  if (reached.length === 0) return
  yield* mails.queue(
    reached.map((account) => ({
      cause: account.cause,
      accountId: account.accountId,
      recipient: account.email,
      ...quotaMail(account)
    })),
    now
  )
})

const noticeIncidents = Effect.gen(function* () {
  const { retentionDeliveriesMs } = yield* Settings
  const nowMs = yield* Clock.currentTimeMillis
  yield* reportIncidents(nowMs, nowMs - retentionDeliveriesMs)
})

const noticeHalfWay = Effect.gen(function* () {
  const { disableAfterFailures } = yield* Settings
  yield* reportHalfWay(disableAfterFailures, yield* Clock.currentTimeMillis)
})

const noticeDisabled = Effect.flatMap(Clock.currentTimeMillis, reportDisabled)

const dropOld = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  const mails = yield* (yield* MailStore).drop(now - healthLimits.mailsKeptMs)
  const notices = yield* (yield* NoticeStore).drop(now - healthLimits.noticesKeptMs)
  if (mails + notices > 0) yield* Effect.logInfo(`retention dropped ${mails} mails and ${notices} notices`)
})

/** Never ends. */
export const notify = Effect.raceAllFirst([
  sendMails,
  sendNotices,
  noticeQuotas.pipe(repeatEvery("queueing mails about quotas", Limits.quotaNoticesMs)),
  noticeIncidents.pipe(repeatEvery("notifying accounts of incidents", healthLimits.incidentNoticesMs)),
  noticeHalfWay.pipe(repeatEvery("queueing mails about webhooks half-way to disabling", Limits.sweepMs)),
  noticeDisabled.pipe(repeatEvery("queueing mails about disabled webhooks", healthLimits.incidentNoticesMs)),
  dropOld.pipe(deleteEvery("retention of mails and notices", Limits.maintenanceMs))
])
