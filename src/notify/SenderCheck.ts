/**
 * Whether a mail server takes mails from MAIL_FROM, found without sending one: connect, log in, MAIL FROM, RSET. A server
 * that judges the sender only when it knows a recipient is found out by the first real mail.
 */
import { domainToASCII } from "node:url"
import { Effect } from "effect"
import SMTPConnection from "nodemailer/lib/smtp-connection"
import { type MailError, mailError, serverText, transportOptions } from "./Smtp.ts"

/** nodemailer sends commands of one's own as a way to log in, which needs a name. */
const SENDER = "SENDER"

/** `Name <a@b.example>` → `a@b.example`, with a host name as SMTP takes it. */
const addressOf = (mailFrom: string): string => {
  const address = /<([^<>]+)>$/.exec(mailFrom)?.[1] ?? mailFrom
  const at = address.lastIndexOf("@")
  const domain = address.slice(at + 1)
  return `${address.slice(0, at)}@${domainToASCII(domain) || domain}`
}

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text)

/** The server's words when it refuses the sender; undefined when it takes it. Fails when it was not asked. */
export const senderRefusal = ({
  smtpUrl,
  mailFrom
}: {
  readonly smtpUrl: string
  readonly mailFrom: string
}): Effect.Effect<string | undefined, MailError> =>
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
      // First, since closing ends the connection with an error of its own.
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
