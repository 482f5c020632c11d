/** `doctor` checks the mail server: whether it answers, accepts the user, and accepts mails from MAIL_FROM. */
import { Effect } from "effect"
import type { MailServer } from "../../health/notify/Settings.ts"
import { smtpHost } from "../../health/notify/Smtp.ts"
import { Fault, finding } from "./Finding.ts"

export const mailCheck = (server: MailServer) =>
  finding(
    `mail ${smtpHost(server.smtpUrl)}`,
    "Start that mail server, or correct SMTP_URL.",
    Effect.gen(function* () {
      const { senderRefusal } = yield* Effect.promise(() => import("../../health/notify/SenderCheck.ts"))
      const refusal = yield* senderRefusal(server)
      if (refusal === undefined)
        return `reachable, and accepts mails from ${server.mailFrom}; no mail was sent`
      return yield* new Fault({
        detail: `MAIL_FROM: the server refuses ${server.mailFrom}: ${refusal}`,
        fix: "Set MAIL_FROM to an address from which the server allows this user to send."
      })
    })
  )
