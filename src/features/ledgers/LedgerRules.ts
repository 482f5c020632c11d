/** Rules of requests for ledgers that depend on the key, the settings, or several parameters. Pure. */
import { faultAt, seenFault, watchedFault } from "../../http/CommonRules.ts"
import type { RuleContext } from "../../http/RequestRules.ts"
import { defaultNetwork, type Network, networksOf } from "../../spine/event/Network.ts"

interface Coverage {
  readonly by?: string
  readonly days?: string
  readonly network?: Network
}

export const coverageRules = (
  { by, days, network }: Coverage,
  context: Pick<RuleContext, "environment" | "wrong">
) => {
  const isByHour = by === "hour" || context.wrong.has("by")
  const needsHours = (name: string, given: string | undefined) =>
    isByHour || given === undefined ? undefined : faultAt("query", name, "needs by=hour")
  return [needsHours("days", days), needsHours("network", network) ?? seenFault(network, context, "query")]
}

export const activityRules = (
  { network }: Pick<Coverage, "network">,
  context: Pick<RuleContext, "environment" | "settings">
) => {
  const all = [defaultNetwork[context.environment], ...networksOf(context.environment)] as const
  return [watchedFault(network === undefined ? all : [network], context, "query")]
}
