/** Rules of a new or changed webhook that depend on the settings, the key, or several fields. Pure. */
import type { RuleContext } from "../../http/BodyRules.ts"
import { type Fault, faultOf, pointerOf } from "../../http/Errors.ts"
import { unwatched, watchedNetworks } from "../../spine/config/Config.ts"
import { endpointProblem } from "../../spine/domain/EndpointUrl.ts"
import { type SigningScheme, STANDARD_SECRET_FORM, standardKey } from "../../spine/domain/Signing.ts"
import { expandPatterns } from "../../spine/event/EventPatterns.ts"
import { defaultNetwork, environmentOf, type Network } from "../../spine/event/Network.ts"
import { filterProblems } from "../../spine/filter/Parse.ts"
import type { PayloadFilter } from "../../spine/filter/PayloadFilter.ts"
import { filterFaults } from "./FilterFaults.ts"

export const FILTER_FIELD = ["payload_filter"]

/** `signing` is undefined where a request does not set it. */
export const canSign = (signing: ReadonlyArray<SigningScheme> | undefined, secret: string): boolean =>
  signing === undefined || !signing.includes("standard") || standardKey(secret) !== undefined

const urlFault = (url: string | undefined, settings: RuleContext["settings"]): Fault | undefined => {
  const problem = url === undefined ? undefined : endpointProblem(url, settings)
  return problem === undefined ? undefined : faultOf("url", problem)
}

const networkFault = (network: Network, { environment, settings }: RuleContext): Fault | undefined => {
  if (environmentOf(network) !== environment) {
    const accepted = environment === "live" ? "mainnet" : "testnet or devnet"
    return faultOf("network", `must be ${accepted} with a ${environment} key`)
  }
  return watchedNetworks(settings).includes(network)
    ? undefined
    : { param: pointerOf(["network"]), message: unwatched(network) }
}

interface Fields {
  readonly url?: string
  readonly event_types?: ReadonlyArray<string>
  readonly payload_filter?: PayloadFilter | null
  readonly signing?: ReadonlyArray<SigningScheme>
  readonly secret?: string
}

/** Of the fields that a new webhook and a change have. A stored webhook's other fields are checked where it is changed. */
export const webhookRules = (given: Fields, { settings }: Pick<RuleContext, "settings">) => [
  urlFault(given.url, settings),
  ...(given.payload_filter == null || given.event_types === undefined
    ? []
    : filterFaults(filterProblems(given.payload_filter, expandPatterns(given.event_types)), FILTER_FIELD)),
  given.secret === undefined || canSign(given.signing, given.secret)
    ? undefined
    : faultOf("secret", `must be ${STANDARD_SECRET_FORM} if signing contains standard`)
]

export const newWebhookRules = (
  given: Fields & { readonly network?: Network },
  context: RuleContext
): ReadonlyArray<Fault | undefined> => {
  const [url, ...others] = webhookRules(given, context)
  return [url, networkFault(given.network ?? defaultNetwork[context.environment], context), ...others]
}
