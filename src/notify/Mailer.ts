/**
 * Sends one mail: by the server of `SMTP_URL`, or, where that is not set or the account has no address, to the log. A
 * mail is the same at every try, down to its Message-ID: one that a crash sent twice can be recognised as one.
 */
import { createHash } from "node:crypto"
import { Context, Effect, Layer } from "effect"
import { Settings } from "../config/Config.ts"
import type { LeasedMail } from "../storage/accounts/MailStore.ts"
import { type MailError, mailError, transportTo } from "./Smtp.ts"

const domainOf = (address: string): string => /@([^>\s]+)/.exec(address)?.[1] ?? "localhost"

/** The same for the same cause, wherever and whenever it is sent. */
export const messageId = (cause: string, mailFrom: string): string =>
  `<${createHash("sha256").update(cause).digest("hex").slice(0, 32)}@${domainOf(mailFrom)}>`

/** Where a mail went: to a mail server, or to the log only. */
export type MailOutcome = "sent" | "logged"

const toLog = (
  reason: string,
  { accountId, recipient, subject, body }: LeasedMail
): Effect.Effect<MailOutcome> =>
  Effect.logInfo(`mail to account ${accountId} (${reason}): ${subject}`).pipe(
    Effect.annotateLogs({ recipient, body }),
    Effect.as("logged")
  )

export class Mailer extends Context.Service<
  Mailer,
  { readonly send: (mail: LeasedMail) => Effect.Effect<MailOutcome, MailError> }
>()("ledgerhook/notify/Mailer") {
  static readonly layer = Layer.effect(
    Mailer,
    Effect.gen(function* () {
      const { smtpUrl, mailFrom } = yield* Settings
      if (smtpUrl === undefined) return Mailer.of({ send: (mail) => toLog("SMTP_URL is not set", mail) })
      const transport = transportTo(smtpUrl)

      return Mailer.of({
        send: (mail) =>
          mail.recipient === null
            ? toLog("it has no address", mail)
            : Effect.tryPromise({
                try: (signal) =>
                  transport.sendMail({
                    from: mailFrom,
                    // As an object: the address is one, whatever characters it holds.
                    to: { name: "", address: mail.recipient ?? "" },
                    subject: mail.subject,
                    text: mail.body,
                    messageId: messageId(mail.cause, mailFrom),
                    date: mail.createdAt,
                    headers: { "Auto-Submitted": "auto-generated" },
                    signal
                  }),
                catch: mailError
              }).pipe(Effect.as("sent" as const))
      })
    })
  )
}
