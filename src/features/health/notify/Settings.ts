/** The settings of mails. */
import type { SettingsShape } from "../../../spine/config/Config.ts"
import type { FeatureSetting } from "../../../spine/config/Definitions.ts"
import { urlWithUserOf } from "../../../spine/config/Values.ts"

const ADDRESS = /^[^\s<>@,;:"]+@[^\s<>@,;:"]+$/

/** A mail address without a name. */
const isMailAddress = (value: string): boolean => ADDRESS.test(value)

/** `a@b.example` or `Name <a@b.example>`. */
const mailbox = (value: string) => {
  const bare = /^[^\s<>@,;:"][^<>@,;:"\r\n]* <([^<>]+)>$/.exec(value)?.[1] ?? value
  return isMailAddress(bare) ? value : undefined
}

export const smtpUrl: FeatureSetting<string> = {
  name: "SMTP_URL",
  default: "",
  accepts: "an smtp:// or smtps:// URL; a user and password in it are percent-encoded",
  meaning: "mail server; unset: mails are not sent but written to the program's log messages",
  secret: true,
  parse: urlWithUserOf("smtp:", "smtps:")
}

export const mailFrom: FeatureSetting<string> = {
  name: "MAIL_FROM",
  default: "",
  accepts: "an address, such as `a@b.example` or `Name <a@b.example>`",
  meaning:
    "sender of mails; unset: the user of `SMTP_URL` if it is an address, otherwise `ledgerhook@localhost`",
  parse: mailbox
}

const senderOf = (url: string): string => {
  const user = decodeURIComponent(new URL(url).username)
  return isMailAddress(user) ? user : "ledgerhook@localhost"
}

export interface MailServer {
  readonly smtpUrl: string
  /** `a@b.example` or `Name <a@b.example>`. */
  readonly mailFrom: string
}

/** Undefined: no mail server is set. */
export const mailServerOf = (settings: SettingsShape): MailServer | undefined => {
  const url = settings.of(smtpUrl)
  return url === undefined ? undefined : { smtpUrl: url, mailFrom: settings.of(mailFrom) ?? senderOf(url) }
}
