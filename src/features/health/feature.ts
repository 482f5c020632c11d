/** How webhooks are: incidents, notices, mails. */

import { command, makeFeature } from "../Feature.ts"
import { mail } from "./notify/MailCommand.ts"

export const feature = makeFeature({
  name: "health",
  commands: [command(230, mail)],
  service: () => import("./service.ts")
})
