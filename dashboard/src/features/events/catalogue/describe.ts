/** What the page of an event type says, made from its JSON Schema and its description. Pure. */
import type { DescribedEventType } from "../../../api/ledgerhook.ts"
import { count } from "../../../words/format.ts"
import { amountOf } from "../amounts.ts"
import { hexText, rateText } from "../fields.ts"

type Schema = Readonly<Record<string, unknown>>
type Payload = Readonly<Record<string, unknown>>

export interface Field {
  readonly name: string
  readonly isOptional: boolean
  /** "address", "0 to 50 000", "list of memos" */
  readonly kind: string
  readonly description: string
}

/** By the name of the schema that a field refers to. */
const kinds: Readonly<Record<string, string>> = {
  Hash: "hash",
  Address: "address",
  Drops: "drops",
  Amount: "drops, or token amount",
  ComputedAmount: "drops, or token amount",
  IssuedAmount: "token amount",
  TokenValue: "decimal number",
  Currency: "currency code",
  Hex: "hex",
  Time: "time",
  TransactionType: "transaction type",
  Memo: "memos",
  BalanceChange: "changes of a balance",
  SettingChange: "changed settings",
  TrustLineChange: "changed settings"
}

/** More values are counted, not listed. */
const VALUES_LISTED = 3

const kindOf = (field: Schema): string => {
  const { $ref, enum: values, items, maximum, minimum, type } = field
  if (typeof $ref === "string") {
    const name = $ref.replace("#/$defs/", "")
    return kinds[name] ?? name
  }
  if (Array.isArray(values))
    return values.length > VALUES_LISTED ? `one of ${values.length} values` : values.join(", ")
  if (type === "array") return `list of ${kindOf(items as Schema)}`
  if (type === "boolean") return "true or false"
  if (type === "integer" && typeof minimum === "number" && typeof maximum === "number")
    return `${count(minimum)} to ${count(maximum)}`
  return typeof type === "string" ? type : "JSON"
}

export const fieldsOf = ({ schema }: Pick<DescribedEventType, "schema">): ReadonlyArray<Field> => {
  const { properties, required } = schema as {
    readonly properties: Readonly<Record<string, Schema>>
    readonly required: ReadonlyArray<string>
  }
  return Object.entries(properties).map(([name, field]) => ({
    name,
    isOptional: !required.includes(name),
    kind: kindOf(field),
    description: typeof field["description"] === "string" ? field["description"] : ""
  }))
}

/** The optional fields that every type has: they say nothing about one of them. */
export const commonFields = (
  types: ReadonlyArray<Pick<DescribedEventType, "schema">>
): ReadonlySet<string> => {
  const [first = [], ...others] = types.map((type) =>
    fieldsOf(type).flatMap(({ isOptional, name }) => (isOptional ? [name] : []))
  )
  return new Set(first.filter((name) => others.every((names) => names.includes(name))))
}

export interface Variant {
  readonly label: string
  readonly payload: Payload
}

/** A payload is called by the first field that the others lack. */
export const variantsOf = ({
  example,
  schema
}: Pick<DescribedEventType, "schema" | "example">): ReadonlyArray<Variant> => {
  const { examples = [example] } = schema as { readonly examples?: ReadonlyArray<Payload> }
  return (examples as ReadonlyArray<Payload>).map((payload, at) => {
    const own = Object.keys(payload).find((name) =>
      examples.every((other) => other === payload || !(name in other))
    )
    return { label: own === undefined ? `Example ${at + 1}` : `With ${own.replaceAll("_", " ")}`, payload }
  })
}

/** What values of an example mean: "9 XRP" for drops. */
export const notesOf = (payload: Payload): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(payload).flatMap(([field, value]) => {
      const note =
        typeof value === "string"
          ? (amountOf(field, value)?.text ?? hexText(field, value))
          : typeof value === "number" && value > 0
            ? rateText(field, value)
            : undefined
      return note === undefined ? [] : [[field, note]]
    })
  )

/** A part of a text; `type` is the event type that it names. */
export interface TextPart {
  readonly text: string
  readonly type?: string
}

interface Description {
  /** When such an event occurs. */
  readonly when: string
  /** What it says of events: which others follow, what causes none. Empty: nothing. */
  readonly causes: ReadonlyArray<TextPart>
}

export const describe = (description: string, types: ReadonlyArray<string>): Description => {
  const [first = "", ...rest] = description.split(/(?<=\.) (?=[A-Z])/)
  const isCause = (sentence: string) =>
    /\bevents?\b/.test(sentence) || types.some((type) => sentence.includes(type))
  const causes = rest.filter(isCause).join(" ")
  const names = new RegExp(`(${types.map((type) => type.replaceAll(".", "\\.")).join("|")})`)
  return {
    when: [first, ...rest.filter((sentence) => !isCause(sentence))].join(" "),
    causes:
      causes === ""
        ? []
        : causes
            .split(names)
            .flatMap((text) => (text === "" ? [] : [types.includes(text) ? { text, type: text } : { text }]))
  }
}

interface Found {
  readonly type: string
  /** The field that was found, if the type's name was not. */
  readonly field?: string
}

/** The types whose name or one of whose fields contains the text. Fields that all types have are not searched. */
export const search = (
  types: ReadonlyArray<Pick<DescribedEventType, "event_type" | "schema">>,
  text: string
): ReadonlyArray<Found> => {
  const wanted = text.trim().toLowerCase().replaceAll(" ", "_")
  const common = commonFields(types)
  return types.flatMap((one) => {
    if (one.event_type.includes(wanted)) return [{ type: one.event_type }]
    const field = fieldsOf(one).find(({ name }) => name.includes(wanted) && !common.has(name))
    return field === undefined ? [] : [{ type: one.event_type, field: field.name }]
  })
}
