/** Rules of a new or changed webhook that depend on the settings, the key, or several fields. Pure. */
import { watchedFault } from "../../http/CommonRules.ts"
import { type Fault, faultOf, pointerOf } from "../../http/Errors.ts"
import type { RuleContext } from "../../http/RequestRules.ts"
import { endpointProblem } from "../../spine/domain/EndpointUrl.ts"
import { type SigningScheme, STANDARD_SECRET_FORM, standardKey } from "../../spine/domain/Signing.ts"
import { expandPatterns } from "../../spine/event/EventPatterns.ts"
import { defaultNetwork, type Network } from "../../spine/event/Network.ts"
import type { PayloadFilter } from "../../spine/filter/PayloadFilter.ts"
import { filterFaultsOf } from "./FilterFaults.ts"
import { webhookBounds } from "./Limits.ts"

export const FILTER_FIELD = ["payload_filter"]

/** `signing` is undefined where a request does not set it. */
export const canSign = (signing: ReadonlyArray<SigningScheme> | undefined, secret: string): boolean =>
  signing === undefined || !signing.includes("standard") || standardKey(secret) !== undefined

const urlFault = (url: string | undefined, settings: RuleContext["settings"]): Fault | undefined => {
  const problem = url === undefined ? undefined : endpointProblem(url, settings)
  return problem === undefined ? undefined : faultOf("url", problem)
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
  ...(given.event_types === undefined
    ? []
    : filterFaultsOf(given.payload_filter, expandPatterns(given.event_types), FILTER_FIELD)),
  given.secret === undefined || canSign(given.signing, given.secret)
    ? undefined
    : faultOf("secret", `must be ${STANDARD_SECRET_FORM} if signing contains standard`)
]

export const newWebhookRules = (
  given: Fields & { readonly network?: Network },
  context: RuleContext
): ReadonlyArray<Fault | undefined> => {
  const [url, ...others] = webhookRules(given, context)
  return [url, watchedFault([given.network ?? defaultNetwork[context.environment]], context, []), ...others]
}

/** Of a preview. Filters that it does not have are those of the webhook. */
export const previewRules = (given: Pick<Fields, "event_types" | "payload_filter">) =>
  given.event_types === undefined
    ? []
    : filterFaultsOf(given.payload_filter, expandPatterns(given.event_types), FILTER_FIELD)

const MOST = webhookBounds.changedAccountFilters

interface AccountFilterChange {
  readonly add?: ReadonlyArray<string>
  readonly remove?: ReadonlyArray<string>
}

export const accountFilterRules = (
  { add = [], remove = [] }: AccountFilterChange,
  { wrong }: Pick<RuleContext, "wrong">
): ReadonlyArray<Fault | undefined> => {
  const given = add.length + remove.length
  if (given === 0)
    return wrong.size > 0 ? [] : [{ param: "", message: "Give addresses in add, in remove or in both." }]
  const removed = new Set(remove)
  return [
    given > MOST
      ? {
          param: pointerOf([add.length > 0 ? "add" : "remove"]),
          message: `add and remove must contain at most ${MOST} addresses in all.`
        }
      : undefined,
    ...add.map((address, i) =>
      removed.has(address)
        ? {
            param: pointerOf(["add", i]),
            message: `${address} is in add and in remove; give it in one of them.`
          }
        : undefined
    )
  ]
}
