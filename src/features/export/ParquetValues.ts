/**
 * Converts events to the values of the Parquet columns. Nothing is lost: amounts stay exact texts, and the DECIMAL
 * beside a text is null where it would not be exact. A field that the schema does not know is an error, so that a newer
 * service's events are not cut. Pure.
 */
import type { EventType } from "../../spine/event/EventType.ts"
import type { Json, JsonObject } from "../../spine/event/Ledger.ts"
import { isJsonObject } from "../../spine/event/NormaliseLedger.ts"
import {
  type Column,
  type Decimal,
  decimalOf,
  type Fields,
  payloadColumns,
  recordColumns
} from "./ParquetColumns.ts"

/** A value as the Parquet writer takes it: 64-bit integers and unscaled decimals as bigint, times in Unix milliseconds. */
export type ParquetValue =
  | Json
  | bigint
  | undefined
  | ReadonlyArray<ParquetValue>
  | { readonly [name: string]: ParquetValue }

type Struct = Readonly<Record<string, ParquetValue>>

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** The number as a whole number of the smallest units of the DECIMAL; undefined where it is not exactly one. */
export const unscaled = (text: string, { precision, scale }: Decimal): bigint | undefined => {
  const [, sign, whole, fraction = "", exponent = "0"] = NUMBER.exec(text) ?? []
  if (whole === undefined) return undefined
  const digits = `${whole}${fraction}`.replace(/^0+/, "")
  if (digits === "") return 0n
  const significant = digits.replace(/0+$/, "")
  const zeros = digits.length - significant.length + scale - fraction.length + Number(exponent)
  if (zeros < 0 || significant.length + zeros > precision) return undefined
  return BigInt(`${sign}${significant}${"0".repeat(zeros)}`)
}

/** Throws an error that names the field if the value does not fit the column. */
export const convert = (column: Column, value: Json | undefined, path: string): ParquetValue => {
  if (value === undefined || value === null) return undefined
  const wrong = () =>
    new Error(`${path} is ${JSON.stringify(value)}, which this version's schema of the type does not allow`)
  switch (column.kind) {
    case "json":
      return value
    case "integer":
      if (!Number.isSafeInteger(value)) throw wrong()
      return BigInt(value as number)
    case "boolean":
      if (typeof value !== "boolean") throw wrong()
      return value
    case "text":
      if (typeof value !== "string") throw wrong()
      return value
    case "decimal":
      return typeof value === "string" ? unscaled(value, column) : undefined
    case "time": {
      const time = typeof value === "string" ? Date.parse(value) : Number.NaN
      if (Number.isNaN(time)) throw wrong()
      return BigInt(time)
    }
    case "list":
      if (!Array.isArray(value)) throw wrong()
      return value.map((one, i) => convert(column.element, one, `${path}[${i}]`))
    case "struct": {
      if (typeof value === "string" && column.holds === "amount")
        return convertFields(column.fields, { drops: value }, path)
      if (!isJsonObject(value)) throw wrong()
      return convertFields(
        column.fields,
        column.holds === "balance change" ? balanceChange(value) : value,
        path
      )
    }
  }
}

/** `asset` and `change` of a record as one amount. */
const balanceChange = ({ asset, change, ...rest }: JsonObject): JsonObject =>
  asset === "XRP"
    ? { ...rest, change: change! }
    : { ...rest, change: { ...(isJsonObject(asset) ? asset : {}), value: change! } }

const convertFields = (fields: Fields, values: JsonObject, path: string): Struct => {
  const struct: Record<string, ParquetValue> = {}
  for (const [name, value] of Object.entries(values)) {
    const at = path === "" ? name : `${path}.${name}`
    const field = fields[name]
    if (field === undefined)
      throw new Error(`${at} is a field that this version's schema of the type does not have`)
    struct[name] = convert(field, value, at)
    const beside = fields[decimalOf(name)]
    if (beside !== undefined) struct[decimalOf(name)] = convert(beside, value, at)
  }
  return struct
}

/** Returns a function that converts the records of events of the type to rows, with the columns that they have. */
export const rowsOf = (type: EventType): ((event: JsonObject) => Struct) => {
  const ofPayload = payloadColumns(type)
  return ({ event_type: _type, network: _network, payload, ...record }) => ({
    ...convertFields(recordColumns, record, ""),
    // The caller has checked that the value is an event, so its payload is an object.
    ...convertFields(ofPayload, payload as JsonObject, "payload")
  })
}
