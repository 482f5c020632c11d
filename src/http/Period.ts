/** `since` and `until` of a request, in milliseconds. */
import { Effect } from "effect"
import { pointerOf, ValidationError } from "./Errors.ts"

interface Period {
  readonly since?: number | undefined
  readonly until?: number | undefined
}

/** Fails if the period ends before it begins. It is in the query, or in the object of the body at the path `of`. */
export const checkPeriod = ({ since, until }: Period, of: "query" | ReadonlyArray<string>) => {
  if (since === undefined || until === undefined || since < until) return Effect.void
  const place = of === "query" ? [] : of
  const [first, second] = ["since", "until"].map((name) => [...place, name].join("."))
  return Effect.fail(
    ValidationError.because(`${first} must be before ${second}.`, {
      param: of === "query" ? "since" : pointerOf([...of, "since"])
    })
  )
}
