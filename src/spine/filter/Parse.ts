/**
 * Checks a payload filter: its form, its size, and that each field and value is possible in at least one of the event
 * types. A hostile filter costs no more than the largest one that is accepted. Pure.
 */
import { Array as Arr, Result } from "effect"
import { type EventType, eventTypes } from "../event/EventType.ts"
import { isJsonObject } from "../event/NormaliseLedger.ts"
import { NAME_LENGTH, nearest, type Problem, sentenceOf } from "../words/Nearest.ts"
import { printable } from "../words/Printable.ts"
import { fieldsOf, formsOfField } from "./FilterFields.ts"
import { operandProblem } from "./Operands.ts"
import { type Comparison, comparisons, type Filter, filterBounds, type Scalar } from "./PayloadFilter.ts"

/** The place that is wrong, and the rest of a sentence that starts with it. */
export interface FilterProblem extends Problem {
  readonly path: ReadonlyArray<string | number>
}

type Checked<A> = Result.Result<A, FilterProblems>
export type FilterProblems = Arr.NonEmptyReadonlyArray<FilterProblem>

/** Parsing stops after so many problems: more do not help, and finding them takes time. */
const PROBLEMS_MAX = 20

const refuse = (
  path: FilterProblem["path"],
  problem: string,
  suggestion?: string
): Result.Result<never, FilterProblems> =>
  Result.fail([
    {
      path: path.map((key) => (typeof key === "number" ? key : printable(key, NAME_LENGTH))),
      problem,
      suggestion
    }
  ])

const TOO_LONG = refuse([], `must have at most ${filterBounds.jsonLength} characters as JSON`)

const isComparison = (name: string): name is Comparison => comparisons.some((one) => one === name)

const typesWith = (field: string): ReadonlyArray<EventType> =>
  eventTypes.filter((type) => fieldsOf(type).has(field))

const unknownField = (path: FilterProblem["path"], field: string, types: ReadonlyArray<EventType>) => {
  const others = typesWith(field)
  if (others.length > 0) {
    return refuse(path, `is not a field of the event types asked for; these have it: ${others.join(", ")}`)
  }
  const known = new Set(types.flatMap((type) => [...fieldsOf(type).keys()]))
  return refuse(path, "is not a field of these events", nearest(field, known))
}

const makeParser = (types: ReadonlyArray<EventType>) => {
  let conditions = 0
  let characters = 0

  const comparisonOf = (
    path: FilterProblem["path"],
    field: string,
    comparison: Comparison,
    given: unknown
  ): Checked<Filter> => {
    if (++conditions > filterBounds.conditions)
      return refuse([], `must contain at most ${filterBounds.conditions} comparisons`)
    const condition = (operands: ReadonlyArray<unknown>): Filter => ({
      is: "condition",
      field,
      comparison,
      // Each operand is checked before.
      operands: operands as ReadonlyArray<Scalar>
    })
    if (comparison === "$exists")
      return typeof given === "boolean"
        ? Result.succeed(condition([given]))
        : refuse(path, "must be true or false")
    const forms = formsOfField(field, types)
    const isList = comparison === "$in" || comparison === "$nin"
    if (isList && (!Array.isArray(given) || given.length === 0 || given.length > filterBounds.values))
      return refuse(path, `must be a list of 1 to ${filterBounds.values} values`)
    const operands: ReadonlyArray<unknown> = isList && Array.isArray(given) ? given : [given]
    for (const [i, operand] of operands.entries()) {
      characters += typeof operand === "string" ? operand.length : 1
      if (characters > filterBounds.jsonLength) return TOO_LONG
      const problem = operandProblem(forms, comparison, operand)
      if (problem !== undefined) {
        const known = forms.flatMap(({ textForms }) => textForms.flatMap(({ values = [] }) => values))
        return refuse(
          isList ? [...path, i] : path,
          problem,
          typeof operand === "string" ? nearest(operand, known) : undefined
        )
      }
    }
    return Result.succeed(condition(operands))
  }

  const fieldOf = (path: FilterProblem["path"], field: string, given: unknown): Checked<Filter> => {
    if (formsOfField(field, types).length === 0) return unknownField(path, field, types)
    if (Array.isArray(given)) return refuse(path, "must not be a list; $in compares with several values")
    if (!isJsonObject(given)) return comparisonOf(path, field, "$eq", given)
    const entries = Object.entries(given)
    if (entries.length === 0) return refuse(path, "must contain a comparison, as $gte")
    return all(entries, ([name, operand]) =>
      isComparison(name)
        ? comparisonOf([...path, name], field, name, operand)
        : refuse(
            [...path, name],
            name === "$not"
              ? 'must stand before the field: {"$not": {"destination_tag": 7}}'
              : `is not an operator; accepted: ${comparisons.join(", ")}. To name a field of an object, write amount.value`,
            nearest(name, comparisons)
          )
    )
  }

  const listOf = (
    path: FilterProblem["path"],
    given: unknown,
    depth: number
  ): Checked<ReadonlyArray<Filter>> => {
    if (!Array.isArray(given) || given.length === 0)
      return refuse(path, "must be a list of at least one filter")
    return each(given, (one, i) => filterOf([...path, i], one, depth + 1))
  }

  const filterOf = (path: FilterProblem["path"], given: unknown, depth: number): Checked<Filter> => {
    if (depth > filterBounds.depth)
      return refuse([], `must have at most ${filterBounds.depth} of $and, $or and $not within one another`)
    if (!isJsonObject(given)) return refuse(path, "must be an object of conditions")
    const entries = Object.entries(given)
    if (entries.length === 0) return refuse(path, "must contain at least one condition; null is no filter")
    return all(entries, ([name, inner]) => {
      const at = [...path, name]
      switch (name) {
        case "$and":
          return Result.map(listOf(at, inner, depth), (of): Filter => ({ is: "all", of }))
        case "$or":
          return Result.map(listOf(at, inner, depth), (of): Filter => ({ is: "any", of }))
        case "$not":
          return Result.map(filterOf(at, inner, depth + 1), (of): Filter => ({ is: "not", of }))
        default:
          return name.startsWith("$")
            ? refuse(
                at,
                "must be $and, $or, $not or the name of a field",
                nearest(name, ["$and", "$or", "$not"])
              )
            : fieldOf(at, name, inner)
      }
    })
  }

  return (given: unknown) => filterOf([], given, 0)
}

/** Parses in order. A problem of the whole filter, such as its size, is the last one. */
const each = <A>(
  values: ReadonlyArray<A>,
  parse: (value: A, i: number) => Checked<Filter>
): Checked<ReadonlyArray<Filter>> => {
  const parsed: Array<Filter> = []
  const problems: Array<FilterProblem> = []
  for (const [i, value] of values.entries()) {
    const one = parse(value, i)
    if (Result.isSuccess(one)) parsed.push(one.success)
    else problems.push(...one.failure)
    if (problems.length >= PROBLEMS_MAX || problems.at(-1)?.path.length === 0) break
  }
  return Arr.isArrayNonEmpty(problems) ? Result.fail(problems) : Result.succeed(parsed)
}

const all = <A>(values: ReadonlyArray<A>, parse: (value: A) => Checked<Filter>): Checked<Filter> =>
  Result.map(each(values, parse), (of): Filter => (of.length === 1 ? of[0]! : { is: "all", of }))

/** `types`: the event types that the filter is for. */
export const parseFilter = (given: unknown, types: ReadonlyArray<EventType>): Checked<Filter> =>
  Result.flatMap(makeParser(types)(given), (filter) =>
    // Checked last: only now is it certain that the filter is not too deep for JSON.stringify.
    JSON.stringify(given).length > filterBounds.jsonLength ? TOO_LONG : Result.succeed(filter)
  )

/** A sentence such as `payload_filter.$or[0].amount must be …`. `name`: the field that has the filter. */
export const filterSentence = (name: string, { path, ...problem }: FilterProblem): string => {
  const place = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("")
  return sentenceOf(`${name}${place}`, problem)
}

/** Returns what is wrong with the filter; empty if it is valid. */
export const filterProblems = (
  given: unknown,
  types: ReadonlyArray<EventType>
): ReadonlyArray<FilterProblem> =>
  Result.match(parseFilter(given, types), { onSuccess: () => [], onFailure: (problems) => problems })
