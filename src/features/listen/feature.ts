/** `ledgerhook listen`: a receiver on this machine that verifies and shows requests. */
import { command, makeFeature } from "../Feature.ts"
import { listen } from "./Listen.ts"

export const feature = makeFeature({
  name: "listen",
  commands: [command(240, listen)]
})
