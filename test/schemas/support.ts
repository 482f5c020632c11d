/** Reads the schemas from the files and compiles them with the users' validator in its strict mode. */
import { globSync, readFileSync } from "node:fs"
import type { ValidateFunction } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { Result, Schema } from "effect"
import type { EventType } from "../../src/spine/event/EventType.ts"
import type { JsonObject } from "../../src/spine/event/Ledger.ts"
import { payloads } from "../../src/spine/event/Payloads.ts"

/** Paths below `schemas/`. */
export const schemaPaths: ReadonlyArray<string> = globSync("**/*.schema.json", { cwd: "schemas" }).sort()

export const readSchema = (path: string): JsonObject => JSON.parse(readFileSync(`schemas/${path}`, "utf8"))

// Two libraries of one package, published as CommonJS.
const ajv = addFormats.default(new Ajv2020({ strict: true, allErrors: true }))
const compiled = new Map<string, ValidateFunction>()

export const validator = (path: string): ValidateFunction => {
  const validate = compiled.get(path) ?? ajv.compile(readSchema(path))
  compiled.set(path, validate)
  return validate
}

/** The errors by place; empty if the value is valid. */
export const complaints = (path: string, value: unknown): ReadonlyArray<string> => {
  const validate = validator(path)
  if (validate(value)) return []
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

export const payloadPath = (eventType: string): string => `payloads/${eventType}.schema.json`
export const ENVELOPE = "envelope.schema.json"
export const BATCH = "batch.schema.json"
export const EVENT_RECORD = "records/event.schema.json"
export const LEDGER_RECORD = "records/ledger.schema.json"

export const WEBHOOK_ID = "wh_01KAJ0Q4M8000000G3T5W7Y9ZB"

/** Whether the schema in the code accepts the value. The published schema must agree. */
export const codeAccepts = (type: EventType, payload: JsonObject): boolean =>
  Result.isSuccess(
    Schema.decodeUnknownResult<Schema.Top & { readonly DecodingServices: never }>(payloads[type])(payload, {
      onExcessProperty: "error"
    })
  )
