/** How webhooks are: incidents, notices, mails. */
import { command, makeFeature } from "../Feature.ts"
import { mail } from "./notify/MailCommand.ts"
import { MailMetrics } from "./notify/Metrics.ts"
import { mailFrom, smtpUrl } from "./notify/Settings.ts"

export const feature = makeFeature({
  name: "health",
  commands: [command(230, mail)],
  settings: [smtpUrl, mailFrom],
  metrics: Object.values(MailMetrics),
  service: () => import("./service.ts")
})
