/** Flags and arguments that take event types. A mistyped one is refused with the name that is nearest. */
import { Effect, Option } from "effect"
import { Flag, Param, Primitive } from "effect/cli"
import { isEventPattern } from "../spine/event/EventPatterns.ts"
import { eventTypes, isEventType } from "../spine/event/EventType.ts"
import { nearest } from "../spine/words/Nearest.ts"
import { several } from "./Flags.ts"

/** The nearest type, if one is near. */
const meant = (text: string): string => {
  const type = nearest(text, eventTypes)
  return type === undefined ? "" : `; the nearest one is ${type}`
}

/** What a flag accepts that takes a type or a family of types. */
export const patternAccepted = (text: string): string =>
  `an event type (payment.xrp) or a family (nft.*)${meant(text)}; schemas/README.md lists them`

/** One type. Shells complete it. */
const one = Object.assign(Primitive.Choice(eventTypes.map((type) => [type, type] as const)), {
  parse: (text: string) =>
    isEventType(text)
      ? Effect.succeed(text)
      : Effect.fail(`an event type${meant(text)}; schemas/README.md lists them`)
})

export const typeArgument = Param.makeSingle({
  kind: Param.argumentKind,
  name: "type",
  primitiveType: one,
  description: Option.some("The event's type, as payment.xrp")
})

/** Types and families as they are written: several flags, or separated by commas. */
export const patternsFlag = (description: string) =>
  Flag.String("type").pipe(
    Flag.withMetavar("TYPE"),
    Flag.withDescription(description),
    Flag.map((text) => text.split(",").map((pattern) => pattern.trim())),
    Flag.filter(
      (patterns) => patterns.every(isEventPattern),
      (patterns) => patternAccepted(patterns.find((pattern) => !isEventPattern(pattern))!)
    ),
    several,
    Flag.map((given) => given.flat())
  )
