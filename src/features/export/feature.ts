/** `ledgerhook events export`: events as files, in a folder or a bucket. */
import { command, makeFeature } from "../Feature.ts"
import { exportEvents } from "./Export.ts"

export const feature = makeFeature({
  name: "export",
  commands: [command(20, exportEvents, "events")]
})
