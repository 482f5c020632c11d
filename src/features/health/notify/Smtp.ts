/**
 * SMTP with nodemailer: the options for the server of `SMTP_URL`, and its errors. STARTTLS is used if the server offers
 * it, and required if a password is sent. For a server on this machine (loopback) STARTTLS is off, since local servers
 * rarely have a valid certificate.
 */

import { Effect, Schema } from "effect"
import { Limits } from "../../../spine/config/Limits.ts"
import { isLocalName, literalAddress } from "../../../spine/domain/AddressGuard.ts"
import { plainMessage } from "../../../spine/domain/ConnectionFailure.ts"
import { printable } from "../../../spine/words/Printable.ts"
import { healthLimits } from "../Limits.ts"

export class MailError extends Schema.TaggedError<MailError>()("MailError", {
  message: Schema.String,
  /** The server refused the recipient for good: do not retry. */
  refused: Schema.Boolean
}) {}

const SMTPS_PORT = 465
const SUBMISSION_PORT = 587

const isLoopback = (hostname: string): boolean => {
  const address = literalAddress(hostname)
  return address === undefined ? isLocalName(hostname) : address === "::1" || address.startsWith("127.")
}

/** Host and port, without user and password. */
export const smtpHost = (smtpUrl: string): string => new URL(smtpUrl).host

/** `smtpUrl` has been validated by config/Definitions.ts. */
export const transportOptions = (smtpUrl: string) => {
  const { protocol, hostname, port, username, password } = new URL(smtpUrl)
  const secure = protocol === "smtps:"
  const auth =
    username === "" ? undefined : { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
  const local = isLoopback(hostname)
  return {
    host: literalAddress(hostname) ?? hostname,
    port: port === "" ? (secure ? SMTPS_PORT : SUBMISSION_PORT) : Number(port),
    secure,
    auth,
    requireTLS: !secure && !local && auth !== undefined,
    ignoreTLS: !secure && local,
    connectionTimeout: healthLimits.mailSendMs,
    greetingTimeout: healthLimits.mailSendMs,
    socketTimeout: healthLimits.mailSendMs,
    disableFileAccess: true,
    disableUrlAccess: true
  }
}

/** Loads nodemailer, which takes 4 MB, only where there is a mail server. */
export const transportTo = (smtpUrl: string) =>
  Effect.map(
    Effect.promise(() => import("nodemailer")),
    ({ createTransport }) => createTransport(transportOptions(smtpUrl))
  )

/** The errors that nodemailer throws. */
interface SmtpFailure {
  readonly message: string
  /** The command that the server refused. */
  readonly command?: string
  readonly responseCode?: number
}

/** A server's answer as one printable line. */
export const serverText = (text: string): string =>
  printable(text.trim().replaceAll(/\s+/g, " "), Limits.errorLength)

export const mailError = (thrown: unknown): MailError => {
  // The errors that nodemailer throws have these fields.
  const {
    message,
    command,
    responseCode = 0
  } = (thrown instanceof Error ? thrown : { message: String(thrown) }) as SmtpFailure
  return new MailError({
    message: serverText(plainMessage(message)),
    refused: command === "RCPT TO" && responseCode >= 500
  })
}
