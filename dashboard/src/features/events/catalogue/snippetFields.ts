/** The fields of an event type as the programs have them, by the kinds that languages know. Pure. */
import type { DescribedEventType } from "../../../api/ledgerhook.ts"

type Schema = Readonly<Record<string, unknown>>
/** `json`: one of several shapes, such as drops in a string or a token with its issuer. */
export type Kind = "string" | "int" | "long" | "boolean" | "list" | "json"

export interface TypedField {
  readonly name: string
  readonly isOptional: boolean
  readonly kind: Kind
}

/** The largest number of a 32-bit integer. */
const INT_MAX = 2_147_483_647

const kindOf = (field: Schema, definitions: Readonly<Record<string, Schema>>): Kind => {
  const { $ref, enum: values, maximum, type } = field
  if (typeof $ref === "string") return kindOf(definitions[$ref.replace("#/$defs/", "")] ?? {}, definitions)
  if (type === "integer") return typeof maximum === "number" && maximum <= INT_MAX ? "int" : "long"
  if (type === "array") return "list"
  if (type === "string" || type === "boolean") return type
  return Array.isArray(values) && typeof values[0] === "string" ? "string" : "json"
}

export const typedFields = (
  { schema }: Pick<DescribedEventType, "schema">,
  /** Fields that the programs leave out. */
  common: ReadonlySet<string>
): ReadonlyArray<TypedField> => {
  const { $defs, properties, required } = schema as {
    readonly $defs: Readonly<Record<string, Schema>>
    readonly properties: Readonly<Record<string, Schema>>
    readonly required: ReadonlyArray<string>
  }
  return Object.entries(properties)
    .filter(([name]) => !common.has(name))
    .map(([name, field]) => ({ name, isOptional: !required.includes(name), kind: kindOf(field, $defs) }))
}

export interface Wanted {
  readonly type: string
  readonly fields: ReadonlyArray<TypedField>
  /** The fields that the program prints. */
  readonly shown: ReadonlyArray<string>
}

/** Fields that a program prints, besides the event's id. */
const SHOWN = 3

export const shownFields = (fields: ReadonlyArray<TypedField>): ReadonlyArray<string> =>
  fields
    .filter(
      ({ isOptional, kind, name }) => !isOptional && name !== "tx_hash" && /^(string|int|long)$/.test(kind)
    )
    .slice(0, SHOWN)
    .map(({ name }) => name)

export const STORE = "Store it under the event's id: a repeated request then changes nothing."

/** nftoken_id as NftokenId, with `from` the first word that is changed. */
export const camel = (name: string, from: 0 | 1): string =>
  name
    .split(/[._]/)
    .map((word, at) => (at < from ? word : `${word.charAt(0).toUpperCase()}${word.slice(1)}`))
    .join("")
