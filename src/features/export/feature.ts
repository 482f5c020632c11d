/** `ledgerhook events export`: events as files, in a folder or a bucket. */
import { command, makeFeature } from "../Feature.ts"
import { exportEvents } from "./Export.ts"
import { s3Checksums } from "./Settings.ts"

export const feature = makeFeature({
  name: "export",
  settings: [s3Checksums],
  commands: [command(20, exportEvents, "events")]
})
