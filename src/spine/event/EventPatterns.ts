/** Patterns of event types: `*`, a family as `dex.*`, or one type. Pure. */
import { type EventType, eventTypes, expandPattern } from "./EventType.ts"

/** Every type that matches a pattern, in the order of `eventTypes`. A body has room for a pattern 200,000 times. */
export const expandPatterns = (patterns: ReadonlyArray<string>): ReadonlyArray<EventType> => {
  const wanted = new Set([...new Set(patterns)].flatMap(expandPattern))
  return eventTypes.filter((type) => wanted.has(type))
}

const families = new Set(eventTypes.map((type) => `${type.split(".", 1)[0]}.*`))

/** Everything, the families and the types. */
export const eventPatterns: ReadonlyArray<string> = ["*", ...families, ...eventTypes]

const allPatterns = new Set(eventPatterns)

export const isEventPattern = (pattern: string): boolean => allPatterns.has(pattern)

/** The patterns of webhooks that get an event which `pattern` matches: of its types, of their families, `*`. */
export const patternsMeeting = (pattern: string): ReadonlyArray<string> => [
  ...new Set(expandPattern(pattern).flatMap((type) => [type, `${type.split(".", 1)[0]}.*`, "*"]))
]
