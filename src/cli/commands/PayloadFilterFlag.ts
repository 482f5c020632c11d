/** The flag `--payload-filter`, which takes a payload filter as JSON. */
import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import type { EventType } from "../../domain/EventType.ts"
import { filterProblem, filterSentence } from "../../domain/filter/Parse.ts"
import type { PayloadFilter } from "../../domain/filter/PayloadFilter.ts"
import { wrongUsage } from "../terminal/Failure.ts"
import { parseJson } from "../terminal/JsonText.ts"

export const payloadFilterFlag = (description: string) =>
  Flag.String("payload-filter").pipe(
    Flag.withMetavar("JSON"),
    Flag.withDescription(`${description}, such as '{"amount": {"$gte": "1000000"}}'`),
    Flag.optional
  )

/** Undefined without the flag. `types`: the event types that the filter is for. */
export const payloadFilterOf = Effect.fnUntraced(function* (
  given: Option.Option<string>,
  types: ReadonlyArray<EventType>
) {
  if (Option.isNone(given)) return undefined
  const parsed = parseJson(given.value)
  if (!("value" in parsed)) return yield* wrongUsage(`--payload-filter: ${parsed.message}`)
  const problem = filterProblem(parsed.value, types)
  if (problem !== undefined) {
    return yield* wrongUsage(`--payload-filter: ${filterSentence("payload_filter", problem)}`)
  }
  // `filterProblem` accepts only objects.
  return parsed.value as PayloadFilter
})
