/** What a running service gets from the feature. */
import { makeService } from "../Feature.ts"
import { forgetProcesses } from "./ProcessRows.ts"
import { report } from "./report/WriteReport.ts"
import { System } from "./SystemContract.ts"
import { systemLayer } from "./SystemHandlers.ts"

export const service = makeService({
  api: { groups: [System], handlers: systemLayer },
  upkeep: [forgetProcesses, report]
})
