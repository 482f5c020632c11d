/** The filters of the list of incidents, as they stand in the address. Pure. */
import { text } from "../../../words/search.ts"

export interface IncidentFilters {
  readonly webhook_id?: string | undefined
  /** ISO 8601, of the beginning. */
  readonly since?: string | undefined
  readonly until?: string | undefined
}

export const incidentFilters = (search: Record<string, unknown>): IncidentFilters => ({
  webhook_id: text(search["webhook_id"]),
  since: text(search["since"]),
  until: text(search["until"])
})
