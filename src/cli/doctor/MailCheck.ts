/** What `doctor` says of the mail server: whether it answers, takes the user, and takes mails from the sender. */
import { Effect } from "effect"
import type { SettingsShape } from "../../config/Config.ts"
import { senderRefusal } from "../../notify/SenderCheck.ts"
import { smtpHost } from "../../notify/Smtp.ts"
import type { Fault } from "./Finding.ts"

export const mailCheckName = (smtpUrl: string): string => `mail ${smtpHost(smtpUrl)}`

export const START_MAIL_SERVER = "Start that mail server, or correct SMTP_URL."

export const mailCheck = (
  server: Pick<SettingsShape, "mailFrom"> & { readonly smtpUrl: string }
): Effect.Effect<string, Fault> =>
  senderRefusal(server).pipe(
    Effect.mapError(({ message }) => ({ detail: message, mend: START_MAIL_SERVER })),
    Effect.flatMap((refusal) =>
      refusal === undefined
        ? Effect.succeed(`reachable, and takes mails from ${server.mailFrom}; none was sent`)
        : Effect.fail({
            detail: `MAIL_FROM: ${server.mailFrom} is refused: ${refusal}`,
            mend: "Set MAIL_FROM to an address from which that server lets this user send."
          })
    )
  )
