/** Webhooks: registered, changed, tested, previewed. */
import { command, makeFeature } from "../Feature.ts"
import { secrets } from "./command/Secrets.ts"
import { trigger } from "./command/TestEvent.ts"
import { webhook } from "./command/WebhookCommand.ts"

export const feature = makeFeature({
  name: "webhooks",
  commands: [command(100, webhook), command(130, trigger), command(180, secrets)],
  service: () => import("./service.ts")
})
