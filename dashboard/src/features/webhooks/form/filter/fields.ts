/**
 * The fields of payloads that a filter can name, from the schemas of the event types: what each field has, which
 * operators suit it, and how its values are typed and stored. Pure.
 */
import type { EventType } from "../../../../words/eventTypes.ts"
import { fromLocalInput, localInput } from "../../../../words/localInput.ts"
import type { Operator, Scalar } from "./tree.ts"

/** `mixed`: values of several kinds. */
export type Kind = "drops" | "number" | "integer" | "time" | "address" | "text" | "boolean" | "mixed"

export interface Field {
  readonly path: string
  readonly kind: Kind
  /** The chosen types that have it. */
  readonly types: ReadonlyArray<EventType>
  /** All values that a text can have, if the schema lists them. */
  readonly values: ReadonlyArray<string> | undefined
}

type Json = Readonly<Record<string, unknown>>

export interface Described {
  readonly event_type: EventType
  /** Its JSON Schema, complete in itself. */
  readonly schema: object
}

interface Found {
  readonly kinds: Set<Kind>
  readonly types: Set<EventType>
  readonly values: Set<string>
}

const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** By the title of their schemas. */
const numbers: ReadonlySet<unknown> = new Set(["TokenValue", "ComputedValue", "MptValue"])

const kindOfText = ({ title, format }: Json): Kind =>
  title === "Drops"
    ? "drops"
    : numbers.has(title)
      ? "number"
      : format === "date-time"
        ? "time"
        : title === "Address"
          ? "address"
          : "text"

/** Fields that a webhook's `include` adds. Filters do not see them. */
const included: ReadonlySet<string> = new Set(["memos", "memos_truncated", "balance_changes"])

/** The fields of these types by their paths. A path leads through lists too: `changes.setting`. */
export const fieldsOf = (types: ReadonlyArray<Described>): ReadonlyMap<string, Field> => {
  const found = new Map<string, Found>()
  for (const { event_type, schema } of types) {
    const definitions = "$defs" in schema ? schema.$defs : undefined
    const add = (path: string, kind: Kind, values: ReadonlyArray<string> = []) => {
      const field = found.get(path) ?? { kinds: new Set(), types: new Set(), values: new Set() }
      found.set(path, field)
      field.kinds.add(kind)
      field.types.add(event_type)
      for (const value of values) field.values.add(value)
    }
    const walk = (path: string, part: unknown): void => {
      if (!isJson(part)) return
      const name = String(part["$ref"] ?? "").replace("#/$defs/", "")
      if (name !== "" && isJson(definitions)) walk(path, definitions[name])
      for (const one of listOf(part["anyOf"])) walk(path, one)
      const { type, properties } = part
      if (type === "string")
        add(
          path,
          kindOfText(part),
          listOf(part["enum"]).filter((one) => typeof one === "string")
        )
      else if (type === "integer" || type === "boolean") add(path, type)
      else if (type === "array") walk(path, part["items"])
      else if (isJson(properties))
        for (const [key, inner] of Object.entries(properties))
          if (path !== "" || !included.has(key)) walk(path === "" ? key : `${path}.${key}`, inner)
    }
    walk("", schema)
  }
  return new Map(
    Array.from(found, ([path, { kinds, types: having, values }]) => {
      const [kind] = kinds
      const field: Field = {
        path,
        kind: kinds.size === 1 ? kind! : "mixed",
        types: [...having],
        values: kinds.size === 1 && values.size > 0 ? [...values] : undefined
      }
      return [path, field] as const
    })
  )
}

const equal = ["$eq", "$ne"] as const
const ordered = ["$gte", "$gt", "$lte", "$lt"] as const
const among = ["$in", "$nin"] as const

/** The operators of a kind. Every field can also exist or not. */
export const operatorsOf = (kind: Kind): ReadonlyArray<Operator> => [
  ...(kind === "boolean"
    ? (["$eq"] as const)
    : kind === "time"
      ? (["$lt", "$gt", "$gte", "$lte"] as const)
      : kind === "text" || kind === "address"
        ? [...equal, ...among]
        : [...equal, ...ordered, ...among]),
  "$exists",
  "$missing"
]

const names: Readonly<Record<Operator, string>> = {
  $eq: "is",
  $ne: "is not",
  $gte: "is at least",
  $gt: "is more than",
  $lte: "is at most",
  $lt: "is less than",
  $in: "is one of",
  $nin: "is none of",
  $exists: "exists",
  $missing: "does not exist"
}

export const operatorName = (operator: Operator, kind: Kind): string =>
  kind === "time" && operator === "$lt"
    ? "is before"
    : kind === "time" && operator === "$gt"
      ? "is after"
      : names[operator]

export const kindName = (kind: Kind): string =>
  kind === "drops" ? "XRP" : kind === "integer" ? "number" : kind === "boolean" ? "true or false" : kind

const DROPS_DIGITS = 6

/** "1000.5" XRP as drops; undefined if it is no such amount. */
const dropsOf = (text: string): string | undefined => {
  const [, whole = "", fraction = ""] = /^(\d+)(?:\.(\d{1,6}))?$/.exec(text) ?? []
  return whole === "" ? undefined : BigInt(whole + fraction.padEnd(DROPS_DIGITS, "0")).toString()
}

const xrpOf = (drops: string): string => {
  const digits = drops.padStart(DROPS_DIGITS + 1, "0")
  const fraction = digits.slice(-DROPS_DIGITS).replace(/0+$/, "")
  return `${digits.slice(0, -DROPS_DIGITS)}${fraction === "" ? "" : `.${fraction}`}`
}

const integerOf = (text: string): number | undefined =>
  /^-?\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined

/** A decimal number as the API takes it: exact, so as text. */
const decimalOf = (text: string): string | undefined =>
  /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text) ? text : undefined

/** Spaces between groups of digits. */
const withoutSpaces = (text: string): string => text.replace(/\s/g, "")

/** What is typed as what the filter stores; undefined if it cannot be a value of this kind. */
export const typedValue = (kind: Kind, typed: string): Scalar | undefined => {
  const text = typed.trim()
  switch (kind) {
    case "drops":
      return dropsOf(withoutSpaces(text))
    case "integer":
      return integerOf(withoutSpaces(text))
    case "number":
      return decimalOf(withoutSpaces(text))
    case "time":
      return fromLocalInput(text)?.replace(/\.000Z$/, "Z")
    case "boolean":
      return text === "true" ? true : text === "false" ? false : undefined
    case "mixed":
      return text === "true" || text === "false" ? text === "true" : (integerOf(text) ?? (text || undefined))
    default:
      return text === "" ? undefined : text
  }
}

/** A stored value as it is typed. */
export const textOf = (kind: Kind, value: Scalar): string =>
  kind === "drops" && /^\d+$/.test(String(value))
    ? xrpOf(String(value))
    : kind === "time"
      ? localInput(String(value))
      : String(value)

/** What the field takes, for a value that it does not. */
export const wanted: Readonly<Record<Kind, string>> = {
  drops: "Give an amount of XRP, with at most 6 decimals.",
  integer: "Give a whole number.",
  number: "Give a number, such as 1000.5.",
  time: "Give a date and a time.",
  boolean: "Choose true or false.",
  address: "Give an address.",
  text: "Give a text.",
  mixed: "Give a value."
}
