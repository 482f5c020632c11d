/** Accounts, their API keys and sessions. */
import { command, makeFeature } from "../Feature.ts"
import { account } from "./command/Account.ts"
import { key } from "./command/Key.ts"
import { portal } from "./command/Portal.ts"
import { adminEmail, adminKey } from "./Settings.ts"

export const feature = makeFeature({
  name: "accounts",
  commands: [command(70, account), command(80, key), command(90, portal)],
  settings: [adminKey, adminEmail],
  service: () => import("./service.ts")
})
