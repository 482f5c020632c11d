/** Checks that a filter compares a field with a value that the field can have, and says what is accepted. Pure. */

import { addressProblem } from "../event/AccountId.ts"
import { parseIsoTime } from "../words/IsoTime.ts"
import { parseDecimal } from "./Decimal.ts"
import type { FieldForm, TextForm } from "./FilterFields.ts"
import { type Comparison, filterBounds, type Scalar } from "./PayloadFilter.ts"

/** Operators that compare sizes. */
export const ordering: ReadonlySet<Comparison> = new Set(["$gt", "$gte", "$lt", "$lte"])

const holdsNumbers = (form: FieldForm): boolean => form.numbers || form.texts === "number"

const isOfForm = (text: string, { name, pattern, values }: TextForm): boolean =>
  values !== undefined
    ? values.includes(text)
    : // A pattern cannot check an address's checksum.
      name === "Address"
      ? addressProblem(text) === undefined
      : (pattern?.test(text) ?? true)

/** Whether a field of this form can be equal to the value. */
const canEqual = (form: FieldForm, value: Scalar): boolean => {
  if (typeof value === "boolean") return form.booleans
  if (typeof value === "number") return holdsNumbers(form)
  if (holdsNumbers(form) && parseDecimal(value) !== undefined) return true
  if (form.texts === "time") return parseIsoTime(value) !== undefined
  return form.texts === "text" && form.textForms.some((one) => isOfForm(value, one))
}

const canBeOrdered = (form: FieldForm, value: Scalar): boolean =>
  form.texts === "time" ? typeof value === "string" && canEqual(form, value) : isNumber(form, value)

const isNumber = (form: FieldForm, value: Scalar): boolean =>
  holdsNumbers(form) &&
  (typeof value === "number" || (typeof value === "string" && parseDecimal(value) !== undefined))

const textAccepted = ({ name, example, values }: TextForm): ReadonlyArray<string> =>
  values?.map((value) => `"${value}"`) ?? [
    `a text of the form ${name ?? "that the schema says"}${example === undefined ? "" : `, as "${example}"`}`
  ]

const NUMBER = 'a number: an integer, or a decimal number as text, such as "17310000"'
const TIME = 'an ISO 8601 date-time with an offset, such as "2026-11-21T09:30:00Z"'

const accepted = (forms: ReadonlyArray<FieldForm>): string => {
  const texts = forms.flatMap(({ textForms }) => textForms.flatMap(textAccepted))
  const all = [
    ...(forms.some(({ booleans }) => booleans) ? ["true or false"] : []),
    ...(forms.some(holdsNumbers) ? [NUMBER] : []),
    ...(forms.some((form) => form.texts === "time") ? [TIME] : []),
    ...new Set(texts)
  ]
  return all.join(" or ")
}

/** Returns what is wrong with the value for a field of these forms; undefined if the field can have it. */
export const operandProblem = (
  forms: ReadonlyArray<FieldForm>,
  comparison: Comparison,
  value: unknown
): string | undefined => {
  if (value === null) return 'must not be null; {"$exists": false} finds events without the field'
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")
    return "must be a text, a number, true or false"
  if (typeof value === "number" && !Number.isSafeInteger(value))
    return `must be written as a text, because a JSON number is exact only for integers up to ${Number.MAX_SAFE_INTEGER}`
  if (typeof value === "string" && value.length > filterBounds.textLength)
    return `must have at most ${filterBounds.textLength} characters`
  if (forms.every(({ booleans, numbers, texts }) => !booleans && !numbers && texts === "none"))
    return "is an object and cannot be compared; name one of its fields, such as amount.value"
  if (!ordering.has(comparison))
    return forms.some((form) => canEqual(form, value)) ? undefined : `must be ${accepted(forms)}`
  if (forms.some((form) => canBeOrdered(form, value))) return undefined
  const orderable = forms.filter((form) => holdsNumbers(form) || form.texts === "time")
  return orderable.length === 0
    ? "compares only numbers and times, and this field has neither"
    : `must be ${accepted(orderable.map((form) => ({ ...form, booleans: false, textForms: [] })))}`
}
