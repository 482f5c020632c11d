/**
 * Compiles a checked filter to a predicate. It is compiled for an event type when the first event of that type comes,
 * because the type's schema says which fields there are, and whether a text is a number, a time or plain text. If the
 * event lacks a field, a comparison with it is false; `$ne`, `$nin` and `$not` of it are true. Pure, and never throws
 * for any payload.
 */
import { Result } from "effect"
import { eventTypes } from "../event/EventType.ts"
import type { Json, JsonObject } from "../event/Ledger.ts"
import { isJsonObject } from "../event/NormaliseLedger.ts"
import { parseIsoTime } from "../words/IsoTime.ts"
import { compareDecimals, type Decimal, decimalKey, parseDecimal } from "./Decimal.ts"
import { type FieldForm, fieldsOf } from "./FilterFields.ts"
import { filterSentence, parseFilter } from "./Parse.ts"
import type { Comparison, Filter, PayloadFilter, Scalar } from "./PayloadFilter.ts"

type Test<A> = (value: A) => boolean

/** The parts of an event that a filter can see. */
export interface FilteredEvent {
  readonly event_type: string
  readonly payload: JsonObject
}

export type EventFilter = Test<FilteredEvent>

const never = () => false

/**
 * Whether the value at the path passes. If it is a list, one element that passes is enough. Lists in lists are
 * ignored.
 */
const someAt = (
  value: Json | undefined,
  path: ReadonlyArray<string>,
  at: number,
  test: Test<Json>
): boolean => {
  if (Array.isArray(value)) return value.some((one) => !Array.isArray(one) && someAt(one, path, at, test))
  if (at === path.length) return value !== undefined && test(value)
  return isJsonObject(value) && someAt(value[path[at]!], path, at + 1, test)
}

/** The value as a number; undefined if the field has no numbers of this kind. */
const numberOf = (form: FieldForm, value: Json): Decimal | undefined =>
  typeof value === "number" && form.numbers
    ? parseDecimal(String(value))
    : typeof value === "string" && form.texts === "number"
      ? parseDecimal(value)
      : undefined

const operandNumber = (operand: Scalar): Decimal | undefined =>
  typeof operand === "boolean" ? undefined : parseDecimal(String(operand))

const operandTime = (operand: Scalar): number | undefined =>
  typeof operand === "string" ? parseIsoTime(operand) : undefined

const present = <A>(values: ReadonlyArray<A | undefined>): ReadonlyArray<A> =>
  values.filter((value) => value !== undefined)

const equalsOne = (form: FieldForm, operands: ReadonlyArray<Scalar>): Test<Json> => {
  const plain = new Set<Json>(operands)
  const numbers = new Set(present(operands.map(operandNumber)).map(decimalKey))
  const times = new Set(present(operands.map(operandTime)))
  return (value) => {
    if (typeof value === "boolean") return plain.has(value)
    const number = numberOf(form, value)
    if (number !== undefined) return numbers.has(decimalKey(number))
    if (typeof value !== "string") return false
    if (form.texts !== "time") return plain.has(value)
    const time = parseIsoTime(value)
    return time !== undefined && times.has(time)
  }
}

const orders: Readonly<Partial<Record<Comparison, Test<number>>>> = {
  $gt: (order) => order > 0,
  $gte: (order) => order >= 0,
  $lt: (order) => order < 0,
  $lte: (order) => order <= 0
}

const ordered = (form: FieldForm, operand: Scalar, wanted: Test<number>): Test<Json> => {
  if (form.texts === "time") {
    const limit = operandTime(operand)
    return (value) => {
      const time = typeof value === "string" ? parseIsoTime(value) : undefined
      return limit !== undefined && time !== undefined && wanted(time - limit)
    }
  }
  const limit = operandNumber(operand)
  return (value) => {
    const number = numberOf(form, value)
    return limit !== undefined && number !== undefined && wanted(compareDecimals(number, limit))
  }
}

const inverse: Readonly<Partial<Record<Comparison, Comparison>>> = { $ne: "$eq", $nin: "$in" }

const compileCondition = (
  field: string,
  comparison: Comparison,
  operands: ReadonlyArray<Scalar>,
  form: FieldForm | undefined
): Test<JsonObject> => {
  const positive = inverse[comparison]
  if (positive !== undefined) {
    const test = compileCondition(field, positive, operands, form)
    return (payload) => !test(payload)
  }
  const path = field.split(".")
  const [operand] = operands
  if (comparison === "$exists")
    return (payload) => (form !== undefined && someAt(payload, path, 0, () => true)) === operand
  if (form === undefined || operand === undefined) return never
  const order = orders[comparison]
  const test = order === undefined ? equalsOne(form, operands) : ordered(form, operand, order)
  return (payload) => someAt(payload, path, 0, test)
}

const compile = (filter: Filter, fields: ReadonlyMap<string, FieldForm>): Test<JsonObject> => {
  switch (filter.is) {
    case "all": {
      const tests = filter.of.map((one) => compile(one, fields))
      return (payload) => tests.every((test) => test(payload))
    }
    case "any": {
      const tests = filter.of.map((one) => compile(one, fields))
      return (payload) => tests.some((test) => test(payload))
    }
    case "not": {
      const test = compile(filter.of, fields)
      return (payload) => !test(payload)
    }
    case "condition":
      return compileCondition(filter.field, filter.comparison, filter.operands, fields.get(filter.field))
  }
}

export const compileFilter = (filter: Filter): EventFilter => {
  const byType = new Map<string, Test<JsonObject>>()
  return ({ event_type: type, payload }) => {
    let test = byType.get(type)
    if (test === undefined) {
      test = compile(filter, fieldsOf(type))
      byType.set(type, test)
    }
    return test(payload)
  }
}

/** Compiles a filter that was checked before it was stored. Throws if the check fails now: another version wrote it. */
export const compileStored = (filter: PayloadFilter): EventFilter =>
  Result.match(parseFilter(filter, eventTypes), {
    onSuccess: compileFilter,
    onFailure: ([problem]) => {
      throw new Error(`a stored filter is not known here: ${filterSentence("payload_filter", problem)}`)
    }
  })
