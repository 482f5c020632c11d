/** The flag `--payload-filter`, which takes a payload filter as JSON. */
import { Effect } from "effect"
import type { EventType } from "../spine/event/EventType.ts"
import { filterProblems, filterSentence } from "../spine/filter/Parse.ts"
import type { PayloadFilter } from "../spine/filter/PayloadFilter.ts"
import { wrongUsage } from "./Failure.ts"
import { optionalText } from "./Flags.ts"
import { parseJson } from "./JsonText.ts"

export const payloadFilterFlag = (description: string) =>
  optionalText("payload-filter", "JSON", `${description}, such as '{"amount": {"$gte": "1000000"}}'`)

/** Undefined without the flag. `types`: the event types that the filter is for. */
export const payloadFilterOf = Effect.fnUntraced(function* (
  given: string | undefined,
  types: ReadonlyArray<EventType>
) {
  if (given === undefined) return undefined
  const parsed = parseJson(given)
  if (!("value" in parsed)) return yield* wrongUsage(`--payload-filter: ${parsed.message}`)
  const [problem] = filterProblems(parsed.value, types)
  if (problem !== undefined) {
    return yield* wrongUsage(`--payload-filter: ${filterSentence("payload_filter", problem)}`)
  }
  // `filterProblems` accepts only objects.
  return parsed.value as PayloadFilter
})
