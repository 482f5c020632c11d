/** The events of the last 24 hours of one type over time. */
import { useQuery } from "@tanstack/react-query"
import { useMay } from "../../../api/account.ts"
import { call } from "../../../api/call.ts"
import { type EventType, previewFilters } from "../../../api/ledgerhook.ts"

/** A count of a day changes slowly. */
const STALE_MS = 60_000

/** Its `parts` are those of the newest events of the type: of a frequent type, of less than 24 hours. */
export const useCourse = (type: EventType) =>
  useQuery({
    queryKey: ["events", "course", type],
    queryFn: () => call(previewFilters({ event_types: [type] })),
    enabled: useMay("events:read"),
    staleTime: STALE_MS
  }).data
