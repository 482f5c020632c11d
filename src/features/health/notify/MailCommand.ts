/** `ledgerhook mail test`: sends one mail by the server of SMTP_URL and says what the server answered. */
import { Clock, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { Settings } from "../../../spine/config/Config.ts"
import { isEmail } from "../../../spine/domain/Email.ts"
import { failed, wrongUsage } from "../../../terminal/Failure.ts"
import { about } from "../../../terminal/Help.ts"
import { settings } from "../../../terminal/Invocation.ts"
import { print } from "../../../terminal/Output.ts"
import { Mailer } from "./Mailer.ts"
import { trialMail } from "./Mails.ts"
import { mailServerOf } from "./Settings.ts"
import { smtpHost } from "./Smtp.ts"

const test = Command.make(
  "test",
  {
    to: Flag.String("to").pipe(
      Flag.withMetavar("ADDRESS"),
      Flag.withDescription("Address to send the mail to"),
      Flag.filter(isEmail, () => "an email address, such as ops@example.com")
    )
  },
  Effect.fnUntraced(
    function* ({ to }) {
      const server = mailServerOf(yield* Settings)
      if (server === undefined) {
        return yield* wrongUsage(
          "SMTP_URL is not set, so mails are only written to the log; set it to a mail server."
        )
      }
      const host = smtpHost(server.smtpUrl)
      const nowMs = yield* Clock.currentTimeMillis
      const mailer = yield* Mailer
      const mail = {
        id: 0,
        attempt: 1,
        cause: `trial/${nowMs}`,
        accountId: "",
        recipient: to,
        createdAt: new Date(nowMs),
        ...trialMail(nowMs)
      }
      yield* mailer
        .send(mail)
        .pipe(
          Effect.catch(({ message }) =>
            Effect.fail(failed(`SMTP_URL: ${host} did not take the mail: ${message}`))
          )
        )
      yield* print(`${host} took a mail from ${server.mailFrom} to ${to}. Check that it arrives.`)
    },
    Effect.provide(Mailer.layer),
    Effect.provide(settings)
  )
).pipe(
  about(
    "Send a trial mail",
    "Send one mail by the server of SMTP_URL, from MAIL_FROM, and print what the server answered. Use it to check that mails about quotas and failing webhooks will arrive.",
    { "ledgerhook mail test --to ops@example.com": "Send a mail to this address" }
  )
)

export const mail = Command.make("mail").pipe(
  Command.withDescription("Try the mail server"),
  Command.withSubcommands([test])
)
