/** Webhooks: registered, changed, previewed. */
import { command, makeFeature } from "../Feature.ts"
import { pause, remove, resume, show } from "./command/ChangeWebhook.ts"
import { create } from "./command/CreateWebhook.ts"
import { preview } from "./command/Preview.ts"
import { secrets } from "./command/Secrets.ts"
import { list, webhook } from "./command/WebhookCommand.ts"

export const feature = makeFeature({
  name: "webhooks",
  commands: [
    command(100, webhook),
    command(10, list, "webhook"),
    command(20, create, "webhook"),
    command(30, show, "webhook"),
    command(40, pause, "webhook"),
    command(50, resume, "webhook"),
    command(70, remove, "webhook"),
    command(80, preview, "webhook"),
    command(180, secrets)
  ],
  service: () => import("./service.ts")
})
