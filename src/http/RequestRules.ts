/**
 * Rules of a request that the schema of its body or its query cannot know: they depend on the settings, the key, the
 * time, or several fields. A handler checks them after the schema. If the schema finds faults, the fields without one are
 * checked here too, so that one answer lists everything (RequestFaults.ts).
 */
import { Array as Arr, Clock, Context, Effect } from "effect"
import type { Settings } from "../spine/config/Config.ts"
import type { Identity } from "../spine/domain/ApiKey.ts"
import { Caller } from "./ContractParts.ts"
import { type Fault, ValidationError } from "./Errors.ts"

/** What rules depend on beside the fields. */
export interface RuleContext {
  readonly settings: Settings["Service"]
  readonly environment: Identity["environment"]
  readonly nowMs: number
  /**
   * Fields that the request has, but that rules do not get, because the schema has found faults in them. Those of a part
   * are named as in `filters/since`.
   */
  readonly wrong: ReadonlySet<string>
}

type Rules<Fields> = (given: Partial<Fields>, context: RuleContext) => ReadonlyArray<Fault | undefined>

/** Annotation of an endpoint: the rules of its body or its query. Fields that the request lacks, or that are wrong, are left out. */
export class RequestRules extends Context.Service<
  RequestRules,
  {
    readonly of: "Payload" | "Query"
    readonly rules: Rules<Readonly<Record<string, unknown>>>
    /** Objects of the body of which only the fields that are wrong are left out. */
    readonly parts: ReadonlyArray<string>
  }
>()("ledgerhook/api/RequestRules") {}

const rulesOf =
  (of: RequestRules["Service"]["of"]) =>
  <Fields>(
    rules: Rules<Fields>,
    parts: ReadonlyArray<keyof Fields & string> = []
  ): RequestRules["Service"] => ({
    of,
    // The schema has found no fault in the fields that they get.
    rules: rules as RequestRules["Service"]["rules"],
    parts
  })

/** The annotations. `Fields` is the type of the endpoint's payload or query. */
export const bodyRules = rulesOf("Payload")
export const queryRules = rulesOf("Query")

/** What the rules find in these fields. */
export const ruleFaults = <Fields>(
  rules: Rules<Fields>,
  given: Partial<Fields>,
  settings: Settings["Service"],
  wrong: ReadonlySet<string> = new Set()
) =>
  Effect.map(Effect.all([Caller, Clock.currentTimeMillis]), ([{ environment }, nowMs]) =>
    rules(given, { settings, environment, nowMs, wrong }).filter((fault) => fault !== undefined)
  )

/** Fails with all faults that the rules, or `others`, find. */
export const checkRules = Effect.fnUntraced(function* <Fields>(
  rules: Rules<Fields>,
  given: Partial<Fields>,
  settings: Settings["Service"],
  ...others: ReadonlyArray<Fault | undefined>
) {
  const found = [...(yield* ruleFaults(rules, given, settings)), ...others.filter((one) => one !== undefined)]
  if (Arr.isReadonlyArrayNonEmpty(found)) return yield* ValidationError.of(found)
})
