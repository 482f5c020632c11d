/** The event types of the service, with an example payload of each. They change only with the service. */
import { useQuery } from "@tanstack/react-query"
import { call } from "./call.ts"
import { listEventTypes } from "./ledgerhook.ts"

export const useEventTypesQuery = () =>
  useQuery({
    queryKey: ["event types"],
    queryFn: () => call(listEventTypes()),
    staleTime: Number.POSITIVE_INFINITY
  })

interface Example {
  /** A payload as indented JSON; undefined until it is known. */
  readonly example: string | undefined
  readonly isPending: boolean
}

/** Undefined until they are known. */
export const useEventTypes = () => useEventTypesQuery().data?.data

export const useExample = (type: string): Example => {
  const types = useEventTypesQuery()
  const found = types.data?.data.find(({ event_type }) => event_type === type)
  return { example: found && JSON.stringify(found.example, null, 2), isPending: types.isPending }
}
