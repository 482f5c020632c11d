/** The filters of the list of jobs, as they stand in the address. Pure. */
import { oneOf, text } from "../../app/search.ts"

export interface JobFilters {
  readonly mode?: "replay" | "retry" | undefined
  readonly webhook_id?: string | undefined
}

export const jobFilters = (search: Record<string, unknown>): JobFilters => ({
  mode: oneOf(["replay", "retry"] as const)(search["mode"]),
  webhook_id: text(search["webhook_id"])
})
