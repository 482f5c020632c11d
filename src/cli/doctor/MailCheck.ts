/** What `doctor` says of the mail server: whether it answers, takes the user, and takes mails from the sender. */
import { Effect } from "effect"
import { senderRefusal } from "../../notify/SenderCheck.ts"
import { smtpHost } from "../../notify/Smtp.ts"
import { Fault, finding } from "./Finding.ts"

export const mailCheck = (smtpUrl: string, mailFrom: string) =>
  finding(
    `mail ${smtpHost(smtpUrl)}`,
    "Start that mail server, or correct SMTP_URL.",
    Effect.gen(function* () {
      const refusal = yield* senderRefusal({ smtpUrl, mailFrom })
      if (refusal === undefined) return `reachable, and takes mails from ${mailFrom}; none was sent`
      return yield* new Fault({
        detail: `MAIL_FROM: ${mailFrom} is refused: ${refusal}`,
        mend: "Set MAIL_FROM to an address from which that server lets this user send."
      })
    })
  )
