/** Rules of requests for events that depend on the key, the settings, or several fields. Pure. */
import { faultAt, periodFault, seenFault, watchedFault } from "../../http/CommonRules.ts"
import type { RuleContext } from "../../http/RequestRules.ts"
import { expandPatterns } from "../../spine/event/EventPatterns.ts"
import { defaultNetwork, type Network } from "../../spine/event/Network.ts"
import type { PayloadFilter } from "../../spine/filter/PayloadFilter.ts"
import { filterFaultsOf } from "../webhooks/FilterFaults.ts"

interface Listed {
  readonly network?: Network
  readonly since?: string
  readonly until?: string
  readonly ledger_index_min?: string
  readonly ledger_index_max?: string
}

export const eventListRules = (given: Listed, context: Pick<RuleContext, "environment">) => {
  const { ledger_index_max: max, ledger_index_min: min } = given
  return [
    seenFault(given.network, context, "query"),
    periodFault(given, "query"),
    min !== undefined && max !== undefined && Number(min) > Number(max)
      ? faultAt("query", "ledger_index_min", "must not be above ledger_index_max")
      : undefined
  ]
}

export const eventStreamRules = (
  { network }: Pick<Listed, "network">,
  context: Pick<RuleContext, "environment" | "settings">
) => [watchedFault([network ?? defaultNetwork[context.environment]], context, "query")]

interface Previewed {
  readonly network?: Network
  readonly event_types?: ReadonlyArray<string>
  readonly payload_filter?: PayloadFilter | null
}

export const dayPreviewRules = (given: Previewed, context: Pick<RuleContext, "environment">) => [
  seenFault(given.network, context, []),
  ...(given.event_types === undefined
    ? []
    : filterFaultsOf(given.payload_filter, expandPatterns(given.event_types), ["payload_filter"]))
]
