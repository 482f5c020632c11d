/**
 * Sends the mails and notices that are due. Several processes may do this: each message is leased to one process at a
 * time, and marked as sent when its receiver has accepted it. If the process dies between the two, it is sent again with
 * the same id. A failed one is retried after the delays of `mailRetryDelaysMs`, then given up.
 */

import { Clock, Effect, Fiber } from "effect"
import { retryUntilSuccess } from "../../../spine/observe/RetryUntilSuccess.ts"
import { WorkNotices } from "../../../spine/store/outbox/WorkNotices.ts"
import { roughly, seconds } from "../../../spine/words/Words.ts"
import { healthLimits } from "../Limits.ts"
import { Mailer } from "./Mailer.ts"
import { MailStore } from "./MailStore.ts"
import type { Leased, MessageQueue } from "./MessageQueue.ts"
import { MailMetrics } from "./Metrics.ts"
import { NoticeStore } from "./NoticeStore.ts"
import { TEST_NOTICE } from "./Notices.ts"
import { MailError } from "./Smtp.ts"
import { NoticeError, UrlSender } from "./UrlSender.ts"

/** Notices that one process sends at a time: a slow receiver must not delay all others. */
const NOTICES_AT_ONCE = 4

/** Undefined after the last attempt. */
export const retryDelayMs = (attempt: number): number | undefined =>
  healthLimits.mailRetryDelaysMs[attempt - 1]

interface Failure {
  readonly message: string
  /** Do not retry. */
  readonly refused: boolean
}

interface Channel<Message extends Leased, Outcome, E extends Failure> {
  readonly queue: Pick<MessageQueue<Message>, "lease" | "sent" | "failed">
  readonly send: (message: Message) => Effect.Effect<Outcome, E>
  readonly timedOut: (message: Message) => E
  /** What the log calls it. */
  readonly nameOf: (message: Message) => string
  readonly log: (text: string, isFinal: boolean) => Effect.Effect<void>
  readonly ended: (outcome: Outcome | "retrying" | "given up") => Effect.Effect<void>
}

/** Sends the message that has been due longest. False: none is due. */
const sendOne = Effect.fnUntraced(function* <Message extends Leased, Outcome, E extends Failure>({
  ended,
  log,
  nameOf,
  queue,
  send,
  timedOut
}: Channel<Message, Outcome, E>) {
  const sent = Effect.fnUntraced(function* (message: Message, outcome: Outcome) {
    yield* ended(outcome)
    yield* queue
      .sent(message, yield* Clock.currentTimeMillis)
      .pipe(retryUntilSuccess("marking a message as sent"))
  })

  const failed = Effect.fnUntraced(function* (message: Message, { message: why, refused }: Failure) {
    const delayMs = refused ? undefined : retryDelayMs(message.attempt)
    const nextAttemptAt = delayMs === undefined ? null : (yield* Clock.currentTimeMillis) + delayMs
    const next = delayMs === undefined ? " and is given up" : `; retrying in ${roughly(delayMs)}`
    yield* log(`${nameOf(message)} failed${next}: ${why}`, delayMs === undefined)
    yield* ended(delayMs === undefined ? "given up" : "retrying")
    yield* queue.failed(message, why, nextAttemptAt).pipe(retryUntilSuccess("marking a message as failed"))
  })

  const message = yield* queue.lease(yield* Clock.currentTimeMillis, healthLimits.mailLeaseMs)
  if (message === undefined) return false
  const sending = send(message).pipe(
    Effect.timeoutOrElse({ duration: healthLimits.mailSendMs, orElse: () => Effect.fail(timedOut(message)) }),
    Effect.matchEffect({
      onSuccess: (outcome) => sent(message, outcome),
      onFailure: (error) => failed(message, error)
    })
  )
  // A stop waits for the message being sent. If it were cut off after it was accepted, it would be sent again.
  yield* Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDetach(restore(sending)), (fiber) =>
      restore(Fiber.join(fiber)).pipe(Effect.onInterrupt(() => Fiber.await(fiber)))
    )
  )
  return true
})

const TIMED_OUT = `no answer within ${seconds(healthLimits.mailSendMs)}`

/** Sends the mail that has been due longest. False: no mail is due. */
export const sendNext = Effect.gen(function* () {
  const queue = yield* MailStore
  const { send } = yield* Mailer
  return yield* sendOne({
    queue,
    send,
    timedOut: () => new MailError({ message: TIMED_OUT, refused: false }),
    nameOf: ({ accountId, subject }) => `mail to account ${accountId} (${subject})`,
    // The subject has a customer's host, so the text is no part of what repeats.
    log: (text, isFinal) =>
      isFinal
        ? Effect.logError("a mail is given up", text)
        : Effect.logWarning("a mail could not be sent", text),
    ended: (outcome) => MailMetrics.mails.add({ outcome }, 1)
  })
})

/** The same for notices. A customer's URL that fails is no fault of the service: it is neither counted nor a warning. */
export const sendNextNotice = Effect.gen(function* () {
  const queue = yield* NoticeStore
  const { send } = yield* UrlSender
  return yield* sendOne({
    queue,
    send,
    timedOut: ({ type }) => new NoticeError({ message: TIMED_OUT, refused: type === TEST_NOTICE }),
    nameOf: ({ accountId, type }) => `notice to the URL of account ${accountId} (${type})`,
    log: (text) => Effect.logInfo(text),
    ended: () => Effect.void
  })
})

const sending = <E, R>(work: "mails" | "notices", send: Effect.Effect<boolean, E, R>) =>
  Effect.flatMap(WorkNotices, ({ next }) =>
    Effect.forever(
      Effect.flatMap(send.pipe(retryUntilSuccess(`reading due ${work}`)), (more) =>
        more ? Effect.void : next(work)
      )
    )
  )

/** Never ends. */
export const sendMails = sending("mails", sendNext)

/** Never ends. Several at a time, because a URL may take seconds to answer. */
export const sendNotices = Effect.all(
  Array.from({ length: NOTICES_AT_ONCE }, () => sending("notices", sendNextNotice)),
  { concurrency: "unbounded", discard: true }
)
