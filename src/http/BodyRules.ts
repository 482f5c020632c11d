/**
 * Rules of a request's body that its schema cannot know: they depend on the settings, the key, the time, or several
 * fields. A handler checks them after the schema. If the schema finds faults, the fields without one are checked here too,
 * so that one answer lists everything (RequestFaults.ts).
 */
import { Array as Arr, Clock, Context, Effect } from "effect"
import type { Settings } from "../spine/config/Config.ts"
import type { Identity } from "../spine/domain/ApiKey.ts"
import { Caller } from "./ContractParts.ts"
import { type Fault, ValidationError } from "./Errors.ts"

/** What rules depend on beside the body. */
export interface RuleContext {
  readonly settings: Settings["Service"]
  readonly environment: Identity["environment"]
  readonly nowMs: number
}

type Rules<Body> = (given: Partial<Body>, context: RuleContext) => ReadonlyArray<Fault | undefined>

/** Annotation of an endpoint: the rules of its body. Fields that the request lacks, or that are wrong, are left out. */
export class BodyRules extends Context.Service<BodyRules, Rules<Readonly<Record<string, unknown>>>>()(
  "ledgerhook/api/BodyRules"
) {}

/** The annotation. `Body` is the type of the endpoint's payload. */
export const bodyRules = <Body>(rules: Rules<Body>): BodyRules["Service"] =>
  // The schema has found no fault in the fields that they get.
  rules as BodyRules["Service"]

const contextOf = (settings: Settings["Service"]) =>
  Effect.map(
    Effect.all([Caller, Clock.currentTimeMillis]),
    ([{ environment }, nowMs]): RuleContext => ({ settings, environment, nowMs })
  )

/** What the rules find in these fields. */
export const ruleFaults = <Body>(rules: Rules<Body>, given: Partial<Body>, settings: Settings["Service"]) =>
  Effect.map(contextOf(settings), (context) => rules(given, context).filter((fault) => fault !== undefined))

/** Fails with all faults that the rules, or `others`, find. */
export const checkRules = Effect.fnUntraced(function* <Body>(
  rules: Rules<Body>,
  given: Body,
  settings: Settings["Service"],
  ...others: ReadonlyArray<Fault | undefined>
) {
  const found = [...(yield* ruleFaults(rules, given, settings)), ...others.filter((one) => one !== undefined)]
  if (Arr.isReadonlyArrayNonEmpty(found)) return yield* ValidationError.of(found)
})
