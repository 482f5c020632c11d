/** The event types of the service, with an example payload of each. They change only with the service. */
import { useQuery } from "@tanstack/react-query"
import { call } from "./call.ts"
import { listEventTypes } from "./ledgerhook.ts"

/** An example payload as indented JSON; undefined until it is known. */
export const useExample = (type: string, enabled = true): string | undefined => {
  const types = useQuery({
    queryKey: ["event types"],
    queryFn: () => call(listEventTypes()),
    enabled,
    staleTime: Number.POSITIVE_INFINITY
  })
  const found = types.data?.data.find(({ event_type }) => event_type === type)
  return found && JSON.stringify(found.example, null, 2)
}
