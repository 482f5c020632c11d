/** `ledgerhook capacity`: what a machine needs for a load. */
import { command, makeFeature } from "../Feature.ts"
import { capacity } from "./Capacity.ts"

export const feature = makeFeature({
  name: "capacity",
  commands: [command(220, capacity)]
})
