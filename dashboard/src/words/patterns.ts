/**
 * Which event types a webhook asks for: single types, families (`nft.*`) or all (`*`). A family and `*` also cover
 * types that a later version of the service adds. Pure.
 */
import { type EventType, eventTypes, type Family, families } from "./eventTypes.ts"

export type Patterns = ReadonlyArray<string>

export const familyOf = (type: EventType): string => `${type.slice(0, type.indexOf("."))}.*`

export const asksFor = (patterns: Patterns, type: EventType): boolean =>
  patterns.includes("*") || patterns.includes(familyOf(type)) || patterns.includes(type)

/** `all`: the family itself is asked for. `some`: at least one of its types is. */
export const familyState = (patterns: Patterns, { pattern, types }: Family): "all" | "some" | "none" =>
  patterns.includes("*") || patterns.includes(pattern)
    ? "all"
    : types.some((type) => patterns.includes(type))
      ? "some"
      : "none"

const without = (patterns: Patterns, { pattern, types }: Family): Patterns =>
  patterns.filter((one) => one !== pattern && !types.some((type) => type === one))

/** `*` as the families that it covers. */
const spread = (patterns: Patterns): Patterns =>
  patterns.includes("*") ? families.map(({ pattern }) => pattern) : patterns

export const toggleAll = (patterns: Patterns): Patterns => (patterns.includes("*") ? [] : ["*"])

export const toggleFamily = (patterns: Patterns, family: Family): Patterns => {
  const others = without(spread(patterns), family)
  return familyState(patterns, family) === "all" ? others : [...others, family.pattern]
}

/** If the last type of a family is added, the family is asked for instead of its types. */
export const toggleType = (patterns: Patterns, type: EventType): Patterns => {
  const family = families.find(({ types }) => types.includes(type))!
  const others = without(spread(patterns), family)
  const had = asksFor(patterns, type)
  const types = family.types.filter((one) => (one === type ? !had : asksFor(patterns, one)))
  return types.length === family.types.length ? [...others, family.pattern] : [...others, ...types]
}

export interface Found {
  readonly family: Family
  /** Those of its types that match. */
  readonly shown: ReadonlyArray<EventType>
}

/** The families and types whose names contain the text. A family whose name matches is shown whole. */
export const search = (text: string): ReadonlyArray<Found> => {
  const wanted = text.trim().toLowerCase().replaceAll(" ", "_")
  return families.flatMap((family) => {
    const shown = family.pattern.startsWith(wanted)
      ? family.types
      : family.types.filter((type) => type.includes(wanted))
    return shown.length === 0 ? [] : [{ family, shown }]
  })
}

/** How many of today's types the patterns cover. */
export const covered = (patterns: Patterns): number =>
  eventTypes.filter((type) => asksFor(patterns, type)).length
