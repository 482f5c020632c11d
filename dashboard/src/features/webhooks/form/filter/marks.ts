/** Which fields made an event match, to mark them. It compares numbers as floating point, so it decides nothing else. Pure. */
import type { Condition, Group, Item, Scalar } from "./tree.ts"
import { isGroup } from "./tree.ts"

export interface Mark {
  readonly field: string
  readonly value: Scalar
}

const valuesAt = (value: unknown, path: ReadonlyArray<string>): ReadonlyArray<unknown> => {
  if (Array.isArray(value)) return value.flatMap((one) => valuesAt(one, path))
  const [key, ...rest] = path
  if (key === undefined) return [value]
  return typeof value === "object" && value !== null && key in value
    ? valuesAt((value as Readonly<Record<string, unknown>>)[key], rest)
    : []
}

const isTime = (value: Scalar): boolean => typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value)

/** Below 0 if `a` is smaller; NaN if they have no order. */
const order = (a: Scalar, b: Scalar): number =>
  isTime(a) && isTime(b) ? Date.parse(String(a)) - Date.parse(String(b)) : Number(a) - Number(b)

const same = (a: Scalar, b: Scalar): boolean =>
  a === b || (typeof a !== "boolean" && typeof b !== "boolean" && order(a, b) === 0)

const isScalar = (value: unknown): value is Scalar =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"

const passes = ({ operator, value }: Condition, found: Scalar): boolean => {
  const wanted = (Array.isArray(value) ? value : [value]) as ReadonlyArray<Scalar>
  const [first] = wanted
  switch (operator) {
    case "$exists":
      return true
    case "$eq":
    case "$in":
      return wanted.some((one) => same(one, found))
    case "$ne":
    case "$nin":
      return !wanted.some((one) => same(one, found))
    case "$gte":
      return order(found, first!) >= 0
    case "$gt":
      return order(found, first!) > 0
    case "$lte":
      return order(found, first!) <= 0
    case "$lt":
      return order(found, first!) < 0
    case "$missing":
      return false
  }
}

const conditionsOf = (item: Item): ReadonlyArray<Condition> =>
  isGroup(item) ? (item.of === "none" ? [] : item.items.flatMap(conditionsOf)) : [item]

/** The fields of the payload that meet a condition, each once. */
export const marksIn = (root: Group, payload: unknown): ReadonlyArray<Mark> => {
  const marks = new Map<string, Scalar>()
  for (const condition of conditionsOf(root)) {
    const found = valuesAt(payload, condition.field.split(".")).filter(isScalar)
    const value = found.find((one) =>
      condition.value !== undefined || condition.operator === "$exists" ? passes(condition, one) : false
    )
    if (value !== undefined && !marks.has(condition.field)) marks.set(condition.field, value)
  }
  return Array.from(marks, ([field, value]) => ({ field, value }))
}
