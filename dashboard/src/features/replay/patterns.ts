/** Event types as people name them: whole families by their pattern. Pure. */
import { families } from "../../words/eventTypes.ts"

/** `["dex.offer_created", … all of them]` as `["dex.*"]`; undefined as `["everything"]`. */
export const patternsOf = (types: ReadonlyArray<string> | undefined): ReadonlyArray<string> => {
  if (types === undefined) return ["everything"]
  const whole = families.filter((family) => family.types.every((type) => types.includes(type)))
  const named = new Set<string>(whole.flatMap((family) => family.types))
  return [...whole.map(({ pattern }) => pattern), ...types.filter((type) => !named.has(type))]
}
