/** Rules that several requests have: of their period, and of the network that they name. Pure. */
import { unwatched, watchedNetworks } from "../spine/config/Config.ts"
import { environmentOf, type Network, networksOf } from "../spine/event/Network.ts"
import { parseIsoTime } from "../spine/words/IsoTime.ts"
import { type Fault, pointerOf } from "./Errors.ts"
import type { RuleContext } from "./RequestRules.ts"

/** `query`, or the path of the object of the body that has the field. */
type Place = "query" | ReadonlyArray<string>

export const faultAt = (of: Place, field: string, problem: string): Fault => ({
  param: of === "query" ? field : pointerOf([...of, field]),
  message: `${[...(of === "query" ? [] : of), field].join(".")} ${problem}.`
})

interface Period {
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** A period must not end before it begins. */
export const periodFault = ({ since, until }: Period, of: Place): Fault | undefined => {
  const [from, before] = [since, until].map((text) => (text === undefined ? undefined : parseIsoTime(text)))
  if (from === undefined || before === undefined || from < before) return undefined
  return faultAt(of, "since", `must be before ${[...(of === "query" ? [] : of), "until"].join(".")}`)
}

export const periodRules = (given: Period) => [periodFault(given, "query")]

/** A key must see the network. */
export const seenFault = (
  network: Network | undefined,
  { environment }: Pick<RuleContext, "environment">,
  of: Place
): Fault | undefined =>
  network === undefined || environmentOf(network) === environment
    ? undefined
    : faultAt(of, "network", `must be ${networksOf(environment).join(" or ")} with a ${environment} key`)

/** The key must see each of the networks, and the service must watch one of them. */
export const watchedFault = (
  networks: readonly [Network, ...ReadonlyArray<Network>],
  context: Pick<RuleContext, "environment" | "settings">,
  of: Place
): Fault | undefined =>
  networks.map((network) => seenFault(network, context, of)).find((fault) => fault !== undefined) ??
  (networks.some((network) => watchedNetworks(context.settings).includes(network))
    ? undefined
    : { param: faultAt(of, "network", "").param, message: unwatched(networks[0]) })

interface Networked {
  readonly network?: Network
}

export const networkRules = ({ network }: Networked, context: Pick<RuleContext, "environment">) => [
  seenFault(network, context, "query")
]
