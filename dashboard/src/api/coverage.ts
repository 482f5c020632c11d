/** Which ledgers the service has taken, by network. */
import { useQuery } from "@tanstack/react-query"
import { call } from "./call.ts"
import { getLedgerCoverage } from "./ledgerhook.ts"
import { autoRefresh } from "./refresh.ts"

export const useCoverage = () =>
  useQuery({
    queryKey: ["coverage"],
    queryFn: () => call(getLedgerCoverage()),
    refetchInterval: autoRefresh
  })
