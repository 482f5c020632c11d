/** What a filter may compare a field with: checks against what the field may hold, and sentences that say so. Pure. */
import { parseIsoTime } from "../IsoTime.ts"
import { addressProblem } from "../WebhookRules.ts"
import { parseDecimal } from "./Decimal.ts"
import type { FieldForm, TextForm } from "./Fields.ts"
import { type Comparison, filterBounds, type Scalar } from "./PayloadFilter.ts"

/** Comparisons that ask which of two values is the larger. */
export const ordering: ReadonlySet<Comparison> = new Set(["$gt", "$gte", "$lt", "$lte"])

const holdsNumbers = (form: FieldForm): boolean => form.numbers || form.texts === "number"

const isOfForm = (text: string, { name, pattern, values }: TextForm): boolean =>
  values !== undefined
    ? values.includes(text)
    : // A pattern cannot tell whether an address's checksum is right.
      name === "Address"
      ? addressProblem(text) === undefined
      : (pattern?.test(text) ?? true)

/** Whether a field of this form can equal the value. */
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

const NUMBER = 'a number: an integer, or any decimal number as a text, as "17310000"'
const TIME = 'an ISO 8601 date-time with an offset, as "2026-11-21T09:30:00Z"'

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

/** What is wrong with comparing a field of these forms with the value; undefined when nothing is. */
export const operandProblem = (
  forms: ReadonlyArray<FieldForm>,
  comparison: Comparison,
  value: unknown
): string | undefined => {
  if (value === null)
    return 'must not be null: no field is ever null. {"$exists": false} finds events without it'
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")
    return "must be a text, a number, true or false"
  if (typeof value === "number" && !Number.isSafeInteger(value))
    return `must be written as a text: JSON numbers are exact for integers up to ${Number.MAX_SAFE_INTEGER} only`
  if (typeof value === "string" && value.length > filterBounds.textLength)
    return `must have at most ${filterBounds.textLength} characters`
  if (forms.every(({ booleans, numbers, texts }) => !booleans && !numbers && texts === "none"))
    return "cannot be compared: it holds an object. Name one of its fields, as amount.value"
  if (!ordering.has(comparison))
    return forms.some((form) => canEqual(form, value)) ? undefined : `must be ${accepted(forms)}`
  if (forms.some((form) => canBeOrdered(form, value))) return undefined
  const orderable = forms.filter((form) => holdsNumbers(form) || form.texts === "time")
  return orderable.length === 0
    ? "compares numbers and times only, and the field holds neither"
    : `must be ${accepted(orderable.map((form) => ({ ...form, booleans: false, textForms: [] })))}`
}
