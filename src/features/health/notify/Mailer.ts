/**
 * Sends one mail through the server of `SMTP_URL`. If that is not set, or the account has no mail address, it writes
 * the mail to the program's log. Every attempt for a mail has the same content and Message-ID, so a duplicate can be
 * recognised.
 */
import { createHash } from "node:crypto"
import { Context, Effect, Layer } from "effect"
import { Settings } from "../../../spine/config/Config.ts"
import type { LeasedMail } from "./MailStore.ts"
import { mailServerOf } from "./Settings.ts"
import { type MailError, mailError, transportTo } from "./Smtp.ts"

const domainOf = (address: string): string => /@([^>\s]+)/.exec(address)?.[1] ?? "localhost"

/** Depends only on the cause and the sender's domain. */
export const messageId = (cause: string, mailFrom: string): string =>
  `<${createHash("sha256").update(cause).digest("hex").slice(0, 32)}@${domainOf(mailFrom)}>`

/** `sent`: a mail server accepted it. `logged`: it was only written to the log. */
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
      const server = mailServerOf(yield* Settings)
      if (server === undefined) return Mailer.of({ send: (mail) => toLog("SMTP_URL is not set", mail) })
      const transport = yield* transportTo(server.smtpUrl)

      return Mailer.of({
        send: (mail) =>
          mail.recipient === null
            ? toLog("the account has no mail address", mail)
            : Effect.tryPromise({
                try: (signal) =>
                  transport.sendMail({
                    from: server.mailFrom,
                    // The address is an object, so that nodemailer does not parse it as a list.
                    to: { name: "", address: mail.recipient ?? "" },
                    subject: mail.subject,
                    text: mail.body,
                    messageId: messageId(mail.cause, server.mailFrom),
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
