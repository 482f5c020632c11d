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

/** Zero or more values. Without the default, --help would mark the flag as required. */
export const several = <A>(flag: Flag.Flag<A>): Flag.Flag<ReadonlyArray<A>> =>
  Flag.atLeast(flag, 0).pipe(Flag.withDefault<ReadonlyArray<A>>([]))

export const withDefault =
  <A>(value: A, description: string, shown = String(value)) =>
  (flag: Flag.Flag<A>): Flag.Flag<A> =>
    flag.pipe(Flag.withDescription(`${description} (default: ${shown})`), Flag.withDefault(value))
