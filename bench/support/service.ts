/** The service as a layer, for programs that run it for a benchmark. `environment`: its settings as JSON. */

import { Layer } from "effect"
import { service } from "../../src/app/Roles.ts"
import * as Logging from "../../src/spine/observe/Logging.ts"
import { terminalLimits } from "../../src/terminal/Limits.ts"
import { settingsLayer } from "./store.ts"

export const serviceLayer = (environment: string) =>
  service("ledgerhook bench").pipe(
    Layer.provideMerge(settingsLayer(JSON.parse(environment))),
    Layer.provide(
      Logging.layer({
        level: "warn",
        format: "pretty",
        colour: false,
        repeats: terminalLimits.repeatedMessages
      })
    )
  )
