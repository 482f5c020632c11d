/** Which ledgers the service has taken: as ranges by network, and hour by hour. */
import { useQuery } from "@tanstack/react-query"
import { call } from "./call.ts"
import {
  getLedgerCoverage,
  type LedgerCoverage,
  type LedgerCoverageByHour,
  type NetworkCoverage
} from "./ledgerhook.ts"
import { autoRefresh } from "./refresh.ts"

export const useCoverage = () =>
  useQuery({
    queryKey: ["coverage"],
    // Without `by` the answer is ranges.
    queryFn: async () => (await call(getLedgerCoverage())) as LedgerCoverage,
    refetchInterval: autoRefresh
  })

const MINUTE_MS = 60_000

/** Hours change slowly, and are many. */
export const useCoverageByHour = (network: NetworkCoverage["network"]) =>
  useQuery({
    queryKey: ["coverage", "hours", network],
    queryFn: async () => (await call(getLedgerCoverage({ by: "hour", network }))) as LedgerCoverageByHour,
    refetchInterval: MINUTE_MS
  })
