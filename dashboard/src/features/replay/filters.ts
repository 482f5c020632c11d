/** The filters of the list of jobs, and what a new replay is made of, as they stand in the address. Pure. */
import { oneOf, text } from "../../words/search.ts"

export interface JobFilters {
  readonly mode?: "replay" | "retry" | undefined
  readonly webhook_id?: string | undefined
}

export const jobFilters = (search: Record<string, unknown>): JobFilters => ({
  mode: oneOf(["replay", "retry"] as const)(search["mode"]),
  webhook_id: text(search["webhook_id"])
})

interface NewReplaySearch {
  readonly webhook_id?: string | undefined
  /** ISO 8601. */
  readonly since?: string | undefined
  readonly until?: string | undefined
}

export const newReplaySearch = (search: Record<string, unknown>): NewReplaySearch => ({
  webhook_id: text(search["webhook_id"]),
  since: text(search["since"]),
  until: text(search["until"])
})
