/** The settings of the first account. */
import type { FeatureSetting } from "../../spine/config/Definitions.ts"
import { KEY_FORM } from "../../spine/domain/ApiKey.ts"
import { isEmail } from "../../spine/domain/Email.ts"

export const adminKey: FeatureSetting<string> = {
  name: "ADMIN_KEY",
  default: "",
  accepts: "`svc_live_` and at least 32 letters or digits",
  meaning: "the first account's admin API key; unset: the first start generates one and prints it once",
  secret: true,
  parse: (value) => (value.startsWith("svc_live_") && KEY_FORM.test(value) ? value : undefined)
}

export const adminEmail: FeatureSetting<string> = {
  name: "ADMIN_EMAIL",
  default: "",
  accepts: "an email address",
  meaning: "the first account's address for mails, set at the start while the account has none; unset: none",
  parse: (value) => (isEmail(value) ? value : undefined)
}
