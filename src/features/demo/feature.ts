/** `ledgerhook demo`: the whole service on a simulated ledger, in a temporary folder. */
import { command, makeFeature } from "../Feature.ts"
import { demo } from "./Demo.ts"

export const feature = makeFeature({
  name: "demo",
  commands: [command(20, demo)]
})
