/**
 * A payload filter as the rows and groups that the builder shows, from its JSON and back. JSON that only text can show is
 * refused with the reason. Pure. The service checks fields and values; docs/payload-filters.md describes the language.
 */

export type Scalar = string | number | boolean

/** `$missing` is `{"$exists": false}`. */
export type Operator =
  | "$eq"
  | "$ne"
  | "$gte"
  | "$gt"
  | "$lte"
  | "$lt"
  | "$in"
  | "$nin"
  | "$exists"
  | "$missing"

export interface Condition {
  readonly id: number
  /** A path such as `amount.value`; empty: not chosen yet. */
  readonly field: string
  readonly operator: Operator
  /** As the JSON has it. Undefined: not given yet, or not readable. The operators of existence have none. */
  readonly value: Scalar | ReadonlyArray<Scalar> | undefined
}

export interface Group {
  readonly id: number
  readonly of: "all" | "one" | "none"
  readonly items: ReadonlyArray<Item>
}

export type Item = Condition | Group

/** Ids of rows and groups by their places in the filter, which are JSON pointers as the API's faults have them. */
export type Places = ReadonlyMap<string, number>

let last = 0
const newId = () => ++last

export const newGroup = (of: Group["of"], items: ReadonlyArray<Item> = []): Group => ({
  id: newId(),
  of,
  items
})
export const newCondition = (field = ""): Condition => ({
  id: newId(),
  field,
  operator: "$eq",
  value: undefined
})

export const isGroup = (item: Item): item is Group => "items" in item

export const takesList = (operator: Operator): boolean => operator === "$in" || operator === "$nin"
export const takesNone = (operator: Operator): boolean => operator === "$exists" || operator === "$missing"

const isComplete = ({ field, operator, value }: Condition): boolean =>
  field !== "" && (takesNone(operator) || (Array.isArray(value) ? value.length > 0 : value !== undefined))

const conditionsOf = (item: Item): ReadonlyArray<Condition> =>
  isGroup(item) ? item.items.flatMap(conditionsOf) : [item]

/** Rows that lack a field or a value. They are not part of the filter. */
export const unfinished = (root: Group): ReadonlyArray<Condition> =>
  conditionsOf(root).filter((condition) => !isComplete(condition))

/** Changes the item with this id; undefined removes it. */
export const changed = (root: Group, id: number, change: (item: Item) => Item | undefined): Group => ({
  ...root,
  items: root.items.flatMap((item) => {
    const next = item.id === id ? change(item) : isGroup(item) ? changed(item, id, change) : item
    return next === undefined ? [] : [next]
  })
})

export const pointerOf = (path: ReadonlyArray<string | number>): string =>
  path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")

type Path = ReadonlyArray<string | number>

const written = ({ operator, value }: Condition): readonly [string, unknown] =>
  takesNone(operator) ? ["$exists", operator === "$exists"] : [operator, value]

const keys = { all: "$and", one: "$or", none: "$not" } as const

/** The filter of the rows and groups; null if no row is complete. */
export const filterOf = (root: Group): { readonly filter: object | null; readonly places: Places } => {
  const places = new Map<string, number>()

  const listOf = (items: ReadonlyArray<Item>, path: Path) =>
    items.map((item, at) => objectOf([item], [...path, at]))

  const groupOf = ({ of, items }: Group, path: Path): unknown => {
    const used = items.filter(isUsed)
    if (of !== "none") return listOf(used, path)
    return used.length === 1 ? objectOf(used, path) : { $or: listOf(used, [...path, "$or"]) }
  }

  /** All of the items. Those whose key is taken stand in a list of their own. */
  const objectOf = (items: ReadonlyArray<Item>, path: Path): object => {
    const made = new Map<string, unknown>()
    const rest: Array<Item> = []
    for (const item of items.filter(isUsed)) {
      if (isGroup(item)) {
        const key = keys[item.of]
        if (made.has(key)) rest.push(item)
        else {
          places.set(pointerOf([...path, key]), item.id)
          made.set(key, groupOf(item, [...path, key]))
        }
        continue
      }
      const [operator, value] = written(item)
      const others = made.get(item.field) as Readonly<Record<string, unknown>> | undefined
      if (others !== undefined && operator in others) rest.push(item)
      else {
        places.set(pointerOf([...path, item.field, operator]), item.id)
        made.set(item.field, { ...others, [operator]: value })
      }
    }
    if (rest.length > 0) {
      const first = (made.get("$and") as ReadonlyArray<object> | undefined) ?? []
      const more = rest.map((item, at) => objectOf([item], [...path, "$and", first.length + at]))
      made.set("$and", [...first, ...more])
    }
    return Object.fromEntries(made)
  }

  const used = isUsed(root)
  const filter = used ? objectOf(root.of === "all" ? root.items : [root], []) : null
  return { filter, places }
}

const isUsed = (item: Item): boolean => conditionsOf(item).some(isComplete)

/** Why the builder cannot show a filter. */
class Unshown extends Error {}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isScalar = (value: unknown): value is Scalar =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"

const operators: ReadonlySet<string> = new Set(["$eq", "$ne", "$gte", "$gt", "$lte", "$lt", "$in", "$nin"])

const readCondition = (field: string, operator: string, given: unknown): Condition => {
  const made = (of: Operator, value: Condition["value"]): Condition => ({
    id: newId(),
    field,
    operator: of,
    value
  })
  if (operator === "$exists" && typeof given === "boolean")
    return made(given ? "$exists" : "$missing", undefined)
  if (!operators.has(operator)) throw new Unshown(`it has no operator ${operator}`)
  const known = operator as Operator
  if (takesList(known) ? Array.isArray(given) && given.every(isScalar) : isScalar(given))
    return made(known, given as Condition["value"])
  throw new Unshown(`${field} ${operator} has a value that it cannot show`)
}

export type ReadFilter =
  | { readonly root: Group; readonly places: Places }
  /** The end of a sentence: what the builder lacks. */
  | { readonly because: string }

/** The rows and groups of a filter; null is a filter without any. */
export const treeOf = (filter: object | null): ReadFilter => {
  const places = new Map<string, number>()
  const place = <One extends Item>(item: One, path: Path): One => {
    places.set(pointerOf(path), item.id)
    return item
  }

  const oneOf = (items: ReadonlyArray<Item>): Item =>
    items.length === 1 ? items[0]! : newGroup("all", items)

  const listOf = (given: unknown, path: Path): ReadonlyArray<Item> => {
    if (!Array.isArray(given)) throw new Unshown(`${path.at(-1)} needs a list`)
    return given.map((one, at) => oneOf(itemsOf(one, [...path, at])))
  }

  const entryOf = (key: string, given: unknown, path: Path): ReadonlyArray<Item> => {
    if (key === "$and") return [place(newGroup("all", listOf(given, path)), path)]
    if (key === "$or") return [place(newGroup("one", listOf(given, path)), path)]
    if (key === "$not") {
      const inner = itemsOf(given, path)
      const [only] = inner
      const isOr = inner.length === 1 && only !== undefined && isGroup(only) && only.of === "one"
      return [place(newGroup("none", isOr ? only.items : [oneOf(inner)]), path)]
    }
    if (key.startsWith("$")) throw new Unshown(`it has no operator ${key}`)
    if (isScalar(given)) return [place(readCondition(key, "$eq", given), path)]
    if (!isObject(given)) throw new Unshown(`${key} has a value that it cannot show`)
    const conditions = Object.entries(given).map(([operator, value]) =>
      place(readCondition(key, operator, value), [...path, operator])
    )
    if (conditions.length === 0) throw new Unshown(`${key} has no operator`)
    return conditions
  }

  const itemsOf = (given: unknown, path: Path): ReadonlyArray<Item> => {
    if (!isObject(given)) throw new Unshown("a condition must be an object")
    return Object.entries(given).flatMap(([key, value]) => entryOf(key, value, [...path, key]))
  }

  try {
    const items = filter === null ? [] : itemsOf(filter, [])
    const [only] = items
    const isRoot = items.length === 1 && only !== undefined && isGroup(only) && only.of !== "none"
    return { root: isRoot ? only : newGroup("all", items), places }
  } catch (thrown) {
    if (thrown instanceof Unshown) return { because: thrown.message }
    throw thrown
  }
}

/** The row or group at which the API found a fault. `pointer`: within the filter. */
export const itemAt = (places: Places, pointer: string): number | undefined => {
  let found: readonly [string, number] | undefined
  for (const [place, id] of places) {
    const isHere = place === pointer || pointer.startsWith(`${place}/`) || place.startsWith(`${pointer}/`)
    if (isHere && (found === undefined || place.length > found[0].length)) found = [place, id]
  }
  return found?.[1]
}

/** Characters of a line: as many as stand beside the builder. */
const LINE = 40

const onOneLine = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(", ")}]`
  if (!isObject(value)) return JSON.stringify(value)
  const parts = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${onOneLine(one)}`)
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`
}

/** JSON with short parts on one line. `used`: characters before it on its line. */
export const filterText = (value: unknown, indent = "", used = LINE): string => {
  const line = onOneLine(value)
  const isList = Array.isArray(value)
  if (line === "{}" || line === "[]" || used + line.length <= LINE || !(isList || isObject(value)))
    return line
  const inner = `${indent}  `
  const parts = isList
    ? value.map((one) => inner + filterText(one, inner, inner.length))
    : Object.entries(value).map(([key, one]) => {
        const start = `${inner}${JSON.stringify(key)}: `
        return start + filterText(one, inner, start.length)
      })
  const [open, close] = isList ? "[]" : "{}"
  return `${open}\n${parts.join(",\n")}\n${indent}${close}`
}
