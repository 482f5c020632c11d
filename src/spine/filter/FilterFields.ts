/**
 * The fields of each event type's payload by their dotted paths, and which values each field can have. They are read
 * from the published schemas, so a filter can name exactly the fields that events have. A path continues into lists:
 * `changes.setting` is the field `setting` of each element. Pure. The first use takes about 30 ms.
 */
import type { EventType } from "../event/EventType.ts"
import { recordedPayloads } from "../event/JsonSchemas.ts"
import type { Json, JsonObject } from "../event/Ledger.ts"
import { isJsonObject } from "../event/NormaliseLedger.ts"

/** A text that is compared letter by letter. */
export interface TextForm {
  /** Its name in the schemas, such as Address or Hash. */
  readonly name: string | undefined
  readonly example: string | undefined
  readonly pattern: RegExp | undefined
  /** All texts that are possible, if the schema lists them. */
  readonly values: ReadonlyArray<string> | undefined
}

/** The values that a field can have. Within one event type all texts of a field are of one kind. */
export interface FieldForm {
  readonly numbers: boolean
  readonly booleans: boolean
  readonly objects: boolean
  /** Numbers and times are compared by value, other texts letter by letter. */
  readonly texts: "none" | "number" | "time" | "text"
  /** Set for texts of the kind `text`. */
  readonly textForms: ReadonlyArray<TextForm>
}

const NOTHING: FieldForm = { numbers: false, booleans: false, objects: false, texts: "none", textForms: [] }

/** Schemas whose texts are decimal numbers. */
const decimals: ReadonlySet<Json | undefined> = new Set(["Drops", "TokenValue", "ComputedValue", "MptValue"])

const textOf = (value: Json | undefined): string | undefined =>
  typeof value === "string" ? value : undefined

const listOf = (value: Json | undefined): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])

const stringForm = (schema: JsonObject): Pick<FieldForm, "texts" | "textForms"> => {
  if (decimals.has(schema["title"])) return { texts: "number", textForms: [] }
  if (schema["format"] === "date-time") return { texts: "time", textForms: [] }
  const pattern = textOf(schema["pattern"])
  const values = listOf(schema["enum"]).filter((value) => typeof value === "string")
  const form: TextForm = {
    name: textOf(schema["title"]),
    example: textOf(listOf(schema["examples"])[0]),
    pattern: pattern === undefined ? undefined : new RegExp(pattern, "u"),
    values: values.length === 0 ? undefined : values
  }
  return { texts: "text", textForms: [form] }
}

const merged = (a: FieldForm, b: Partial<FieldForm>): FieldForm => {
  const texts = b.texts ?? a.texts
  if (a.texts !== "none" && a.texts !== texts)
    throw new Error(`a field of a payload holds texts of two kinds: ${a.texts} and ${texts}`)
  return {
    numbers: a.numbers || b.numbers === true,
    booleans: a.booleans || b.booleans === true,
    objects: a.objects || b.objects === true,
    texts,
    textForms: [...a.textForms, ...(b.textForms ?? [])]
  }
}

const formsOf = (document: JsonObject): ReadonlyMap<string, FieldForm> => {
  const found = new Map<string, FieldForm>()
  const add = (path: string, form: Partial<FieldForm>) => {
    if (path !== "") found.set(path, merged(found.get(path) ?? NOTHING, form))
  }
  const definitions = document["$defs"]
  const walk = (path: string, schema: Json | undefined): void => {
    if (!isJsonObject(schema)) return
    const name = textOf(schema["$ref"])?.replace("#/$defs/", "")
    if (name !== undefined && isJsonObject(definitions)) walk(path, definitions[name])
    for (const one of listOf(schema["anyOf"])) walk(path, one)
    switch (schema["type"]) {
      case "string":
        add(path, stringForm(schema))
        break
      case "integer":
        add(path, { numbers: true })
        break
      case "boolean":
        add(path, { booleans: true })
        break
      case "array":
        walk(path, schema["items"])
        break
      case "object": {
        add(path, { objects: true })
        const { properties } = schema
        for (const [key, inner] of Object.entries(isJsonObject(properties) ? properties : {}))
          walk(path === "" ? key : `${path}.${key}`, inner)
      }
    }
  }
  walk("", document)
  return found
}

let catalogue: ReadonlyMap<string, ReadonlyMap<string, FieldForm>> | undefined

/** The fields by path. A type that this version does not know has no fields. */
export const fieldsOf = (type: string): ReadonlyMap<string, FieldForm> => {
  catalogue ??= new Map(Array.from(recordedPayloads(), ([name, document]) => [name, formsOf(document)]))
  return catalogue.get(type) ?? new Map()
}

/** The form of the field in each of the types that have it. */
export const formsOfField = (field: string, types: ReadonlyArray<EventType>): ReadonlyArray<FieldForm> =>
  types.flatMap((type) => {
    const form = fieldsOf(type).get(field)
    return form === undefined ? [] : [form]
  })
