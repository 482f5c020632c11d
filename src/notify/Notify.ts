/**
 * What accounts are told by mail: that their quota is used, found here, and what others have queued (the recorder: a
 * webhook was disabled). Any number of processes may run it; each mail is sent once per cause.
 */
import { Clock, Effect } from "effect"
import { Limits } from "../config/Limits.ts"
import { quotaMail } from "../domain/Mails.ts"
import { repeatEvery } from "../observability/RetryUntilSuccess.ts"
import { MailStore } from "../storage/accounts/MailStore.ts"
import { UsageStore } from "../storage/accounts/UsageStore.ts"
import { sendMails } from "./MailSender.ts"

/** Queues the mails of the accounts that have reached a part of their quota. */
export const noticeQuotas = Effect.gen(function* () {
  const usage = yield* UsageStore
  const mails = yield* MailStore
  const now = yield* Clock.currentTimeMillis
  const reached = yield* usage.untold(now, Limits.quotaNoticesBatch)
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

const dropOld = Effect.gen(function* () {
  const mails = yield* MailStore
  const dropped = yield* mails.drop((yield* Clock.currentTimeMillis) - Limits.mailsKeptMs)
  if (dropped > 0) yield* Effect.logInfo(`retention dropped ${dropped} mails`)
})

/** Never ends by itself. */
export const notify = Effect.raceAllFirst([
  sendMails,
  noticeQuotas.pipe(repeatEvery("looking at quotas", Limits.quotaNoticesMs)),
  dropOld.pipe(repeatEvery("retention of mails", Limits.maintenanceMs))
])
