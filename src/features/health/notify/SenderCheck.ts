/**
 * Checks whether the mail server accepts MAIL_FROM as sender, without sending a mail: connect, log in, MAIL FROM, RSET.
 * It cannot detect a server that refuses the sender only after it knows the recipient.
 */
import { domainToASCII } from "node:url"
import { Effect } from "effect"
import SMTPConnection from "nodemailer/lib/smtp-connection"
import type { MailServer } from "./Settings.ts"
import { type MailError, mailError, serverText, transportOptions } from "./Smtp.ts"

/** nodemailer can send custom commands only as a custom login method, which needs a name. */
const SENDER = "SENDER"

/** `Name <a@b.example>` → `a@b.example`, with the domain in ASCII (punycode). */
const addressOf = (mailFrom: string): string => {
  const address = /<([^<>]+)>$/.exec(mailFrom)?.[1] ?? mailFrom
  const at = address.lastIndexOf("@")
  const domain = address.slice(at + 1)
  return `${address.slice(0, at)}@${domainToASCII(domain) || domain}`
}

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text)

/** The server's answer if it refuses the sender; undefined if it accepts it. Fails if the check could not be made. */
export const senderRefusal = ({
  smtpUrl,
  mailFrom
}: MailServer): Effect.Effect<string | undefined, MailError> =>
  Effect.callback((resume) => {
    const options = transportOptions(smtpUrl)
    const sender = addressOf(mailFrom)
    let refusal: string | undefined
    const connection = new SMTPConnection({
      ...options,
      customAuth: {
        [SENDER]: async ({ extensions, sendCommand }) => {
          const parameter = !isAscii(sender) && extensions.includes("SMTPUTF8") ? " SMTPUTF8" : ""
          const { response, status } = await sendCommand(`MAIL FROM:<${sender}>${parameter}`)
          if (status < 200 || status >= 300) refusal = serverText(response)
          await sendCommand("RSET")
        }
      }
    })
    const end = (error: Error | null) => {
      // Before the connection is closed: closing emits another error.
      resume(error === null ? Effect.succeed(refusal) : Effect.fail(mailError(error)))
      if (error === null) connection.quit()
      else connection.close()
    }
    const askForSender = () => connection.login({ method: SENDER }, end)
    connection.once("error", end)
    connection.once("end", () => end(new Error("Connection closed")))
    connection.connect((error) => {
      if (error !== undefined) end(error)
      else if (options.auth === undefined) askForSender()
      else connection.login(options.auth, (refused) => (refused === null ? askForSender() : end(refused)))
    })
    return Effect.sync(() => connection.close())
  })
