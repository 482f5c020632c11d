/** Flags whose errors say what is accepted and whose --help shows the default. */
import { Option } from "effect"
import { Flag } from "effect/cli"

/** `accepts` describes the number for the error message: "a port from 0 to 65535". */
export const wholeNumber = (name: string, minimum: number, maximum: number, accepts: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("N"),
    Flag.filterMap(
      (text) => {
        const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
        return number >= minimum && number <= maximum ? Option.some(number) : Option.none()
      },
      () => accepts
    )
  )

/** Undefined if the flag is not given. */
export const optional = <A>(flag: Flag.Flag<A>): Flag.Flag<A | undefined> =>
  Flag.map(Flag.optional(flag), Option.getOrUndefined)

/** Zero or more values. Without the default, --help would mark the flag as required. */
export const several = <A>(flag: Flag.Flag<A>): Flag.Flag<ReadonlyArray<A>> =>
  Flag.atLeast(flag, 0).pipe(Flag.withDefault<ReadonlyArray<A>>([]))

export const withDefault =
  <A>(value: A, description: string, shown = String(value)) =>
  (flag: Flag.Flag<A>): Flag.Flag<A> =>
    flag.pipe(Flag.withDescription(`${description} (default: ${shown})`), Flag.withDefault(value))

/** Off unless it is given. */
export const switchFlag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

export const optionalText = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), optional)

/** One line, without control or invisible characters. */
export const lineFlag = (name: string, description: string, length: number) =>
  Flag.String(name).pipe(
    Flag.withDescription(description),
    Flag.map((text) => text.trim()),
    Flag.filter(
      (text) => text !== "" && [...text].length <= length && !/\p{C}|\p{Zl}|\p{Zp}/u.test(text),
      () => `1 to ${length} characters on one line`
    )
  )
