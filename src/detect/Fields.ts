/**
 * Reading fields of transactions and ledger entries. A field that is absent or not of its type reads as undefined;
 * where an event cannot be without it, `need` dies naming it, and the fence in Detect.ts turns that into an alert.
 */
import { isHash } from "../domain/Hash.ts"
import { isoTime, type Json, type JsonObject } from "../domain/Ledger.ts"
import { isJsonObject } from "../domain/NormaliseLedger.ts"

export const noFields: JsonObject = {}

export const need = <A>(value: A | undefined, name: string): A => {
  if (value === undefined) throw new Error(`${name} is missing or malformed`)
  return value
}

export const textOf = (fields: JsonObject, name: string): string | undefined => {
  const value = fields[name]
  return typeof value === "string" ? value : undefined
}

export const needText = (fields: JsonObject, name: string): string => need(textOf(fields, name), name)

export const integerOf = (fields: JsonObject, name: string): number | undefined => {
  const value = fields[name]
  return typeof value === "number" && Number.isSafeInteger(value) ? value : undefined
}

export const objectOf = (fields: JsonObject, name: string): JsonObject | undefined => {
  const value = fields[name]
  return isJsonObject(value) ? value : undefined
}

export const listOf = (fields: JsonObject, name: string): ReadonlyArray<Json> | undefined => {
  const value = fields[name]
  // Array.isArray does not narrow a readonly array type.
  return Array.isArray(value) ? (value as ReadonlyArray<Json>) : undefined
}

/** 256 bits as upper-case hex, whatever case the source wrote (events.md 2). */
export const hashOf = (fields: JsonObject, name: string): string | undefined => {
  const value = fields[name]
  return typeof value === "string" && isHash(value) ? value.toUpperCase() : undefined
}

/** The largest value of the ledger's 32-bit fields. */
const UINT32_MAX = 0xff_ff_ff_ff

export const timeOf = (fields: JsonObject, name: string): string | undefined => {
  const seconds = integerOf(fields, name)
  return seconds !== undefined && seconds >= 0 && seconds <= UINT32_MAX ? isoTime(seconds) : undefined
}

/** Missing flags are no flags; unsigned, since the highest bit is in use (events.md 1.2). */
export const flagsOf = (fields: JsonObject): number => {
  const value = fields["Flags"]
  return typeof value === "number" ? value >>> 0 : 0
}

export const hasFlag = (flags: number, bit: number): boolean => (flags & bit) !== 0

/** Absent optional fields are omitted, never null (events.md 1.4, D3); the order of the keys stays. */
export const withoutAbsent = (fields: { readonly [name: string]: Json | undefined }): JsonObject => {
  const present: Record<string, Json> = {}
  for (const name in fields) {
    const value = fields[name]
    if (value !== undefined) present[name] = value
  }
  return present
}
