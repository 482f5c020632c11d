/**
 * Checks every detected event against its published schemas before it is serialised. An event that does not match
 * becomes an alert; the ids of all other events stay as they are. Ids, ledger index and time are not checked: they
 * come from the ledger, not from a detector.
 */
import { createRequire } from "node:module"
import type { ValidateFunction } from "ajv"
import type addFormatsModule from "ajv-formats"
import { type EventType, eventTypes } from "../event/EventType.ts"
import { publishedSchemas, schemaId } from "../event/JsonSchemas.ts"
import type { DetectedEvent, Detection, DetectionAlert } from "../event/LedgerEvent.ts"

const require = createRequire(import.meta.url)

/** Loading Ajv takes about 40 ms and compiling more than 100 ms, so this waits for the first detected event. */
const compileAll = (): ReadonlyMap<string, ValidateFunction> => {
  const { Ajv2020 } = require("ajv/dist/2020.js") as typeof import("ajv/dist/2020.js")
  const addFormats = require("ajv-formats") as typeof addFormatsModule
  // The tests check the schemas themselves, in strict mode.
  const ajv = addFormats.default(new Ajv2020({ validateSchema: false }))
  for (const { document } of publishedSchemas()) ajv.addSchema(document)
  const schemaOf = (type: EventType) => ({
    type: "object",
    required: ["payload", "accounts"],
    properties: {
      payload: { $ref: schemaId(`payload:${type}`) },
      accounts: { $ref: `${schemaId("record:event")}#/properties/accounts` }
    }
  })
  return new Map(eventTypes.map((type) => [type, ajv.compile(schemaOf(type))]))
}

let compiled: ReadonlyMap<string, ValidateFunction> | undefined

/** Returns what is wrong with the event; undefined if it matches. */
const violationOf = (event: DetectedEvent): string | undefined => {
  compiled ??= compileAll()
  const validate = compiled.get(event.event_type)
  if (validate === undefined) return "the event type is not published"
  if (validate(event)) return undefined
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`).join("; ")
}

const HASH_PART = 2

const alertOf = ({ event_id, event_type }: DetectedEvent, violation: string): DetectionAlert => ({
  code: "schema_violation",
  tx_hash: event_id.split(":")[HASH_PART]!,
  event_type,
  reason: `The event ${event_id} does not match its published schema: ${violation}.`
})

/** Replaces each event that does not match by an alert. */
export const withoutViolations = (detection: Detection): Detection => {
  const events: Array<DetectedEvent> = []
  const alerts: Array<DetectionAlert> = [...detection.alerts]
  for (const event of detection.events) {
    const violation = violationOf(event)
    if (violation === undefined) events.push(event)
    else alerts.push(alertOf(event, violation))
  }
  return { events, alerts }
}
