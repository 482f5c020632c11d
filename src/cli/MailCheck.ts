/** What `doctor` says of the mail server: whether it answers and takes the user, and whether it will take the sender. */
import { Effect } from "effect"
import type { SettingsShape } from "../config/Config.ts"
import { mailError, smtpHost, transportTo } from "../notify/Smtp.ts"
import type { Fault } from "./Checks.ts"

export const mailCheckName = (smtpUrl: string): string => `mail ${smtpHost(smtpUrl)}`

export const START_MAIL_SERVER = "Start that mail server, or correct SMTP_URL."

export const mailCheck = ({
  smtpUrl,
  mailFrom
}: Pick<SettingsShape, "mailFrom"> & { readonly smtpUrl: string }): Effect.Effect<string, Fault> =>
  Effect.gen(function* () {
    const transport = transportTo(smtpUrl)
    yield* Effect.tryPromise({
      try: () => transport.verify(),
      catch: (thrown) => ({ detail: mailError(thrown).message, mend: START_MAIL_SERVER })
    })
    return `reachable; mails come from ${mailFrom}`
  })
