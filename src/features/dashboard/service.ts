/** What a running service gets from the feature. */
import { makeService } from "../Feature.ts"
import { dashboardPages } from "./Dashboard.ts"

export const service = makeService({ pages: [dashboardPages] })
