/**
 * Sends the mails that are due, one after the other. Several processes may do this: each mail is leased to one process
 * at a time, and marked as sent when the mail server has accepted it. If the process dies between the two, the mail is
 * sent again with the same Message-ID. A failed mail is retried after the delays of `mailRetryDelaysMs`, then given up.
 */
import { Clock, Effect, Fiber } from "effect"
import { Limits } from "../config/Limits.ts"
import { Metrics } from "../observability/Metrics.ts"
import { retryUntilSuccess } from "../observability/RetryUntilSuccess.ts"
import { type LeasedMail, MailStore } from "../storage/accounts/MailStore.ts"
import { WorkNotices } from "../storage/outbox/WorkNotices.ts"
import { Mailer, type MailOutcome } from "./Mailer.ts"
import { MailError } from "./Smtp.ts"

/** Undefined after the last attempt. */
export const retryDelayMs = (attempt: number): number | undefined => Limits.mailRetryDelaysMs[attempt - 1]

const timedOut = new MailError({
  message: `no answer within ${Limits.mailSendMs / 1_000} s`,
  refused: false
})

/** Sends the mail that has been due longest. False: no mail is due. */
export const sendNext = Effect.gen(function* () {
  const mails = yield* MailStore
  const mailer = yield* Mailer

  const sent = Effect.fnUntraced(function* (mail: LeasedMail, outcome: MailOutcome) {
    yield* Metrics.mails.add({ outcome }, 1)
    yield* mails.sent(mail, yield* Clock.currentTimeMillis).pipe(retryUntilSuccess("marking a mail as sent"))
  })

  const failed = Effect.fnUntraced(function* (mail: LeasedMail, { message, refused }: MailError) {
    const delayMs = refused ? undefined : retryDelayMs(mail.attempt)
    const nextAttemptAt = delayMs === undefined ? null : (yield* Clock.currentTimeMillis) + delayMs
    const what = `mail to account ${mail.accountId} (${mail.subject})`
    if (delayMs === undefined) yield* Effect.logError(`${what} failed and is given up: ${message}`)
    else yield* Effect.logWarning(`${what} failed; retrying in ${delayMs / 60_000} min: ${message}`)
    yield* Metrics.mails.add({ outcome: delayMs === undefined ? "given up" : "retrying" }, 1)
    yield* mails.failed(mail, message, nextAttemptAt).pipe(retryUntilSuccess("marking a mail as failed"))
  })

  const mail = yield* mails.lease(yield* Clock.currentTimeMillis, Limits.mailLeaseMs)
  if (mail === undefined) return false
  const sending = mailer.send(mail).pipe(
    Effect.timeoutOrElse({ duration: Limits.mailSendMs, orElse: () => Effect.fail(timedOut) }),
    Effect.matchEffect({
      onSuccess: (outcome) => sent(mail, outcome),
      onFailure: (error) => failed(mail, error)
    })
  )
  // A stop waits for the mail being sent. If it were cut off after the server accepted it, it would be sent again.
  yield* Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDetach(restore(sending)), (fiber) =>
      restore(Fiber.join(fiber)).pipe(Effect.onInterrupt(() => Fiber.await(fiber)))
    )
  )
  return true
})

/** Never ends. */
export const sendMails = Effect.flatMap(WorkNotices, ({ next }) =>
  Effect.forever(
    Effect.flatMap(sendNext.pipe(retryUntilSuccess("reading due mails")), (more) =>
      more ? Effect.void : next("mails")
    )
  )
)
