/** The event types of the service, with an example payload of each. They change only with the service. */
import { useQuery } from "@tanstack/react-query"
import { useMay } from "../../api/account.ts"
import { call } from "../../api/call.ts"
import { countEvents, listEventTypes } from "../../api/ledgerhook.ts"

/** A count of a day changes slowly. */
const COUNTS_STALE_MS = 60_000

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

/**
 * The events of the last 24 hours by type, by default of the network that the key sees first. Undefined until they are
 * known, or if the key may not see events.
 */
export const useEventCounts = (network?: "mainnet" | "testnet" | "devnet") =>
  useQuery({
    queryKey: ["events", "counts", network],
    queryFn: () => call(countEvents(network === undefined ? {} : { network })),
    enabled: useMay("events:read"),
    staleTime: COUNTS_STALE_MS
  }).data

/** Undefined until they are known. */
export const useEventTypes = () => useEventTypesQuery().data?.data

export const useExample = (type: string): Example => {
  const types = useEventTypesQuery()
  const found = types.data?.data.find(({ event_type }) => event_type === type)
  return { example: found && JSON.stringify(found.example, null, 2), isPending: types.isPending }
}
