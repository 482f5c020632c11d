/**
 * Headers for other programs that read the topics on the cluster: the attributes of CloudEvents, on the records of
 * events. They are made here, from the value, so that the embedded log, which no other program reads, does not store
 * them, and so that events that are moved from there get them too. The service itself does not see them.
 */
import { cloudEventRecordHeaders, KAFKA_ATTRIBUTE } from "../../event/CloudEvent.ts"
import { parseLedgerEvent } from "../../event/LedgerEvent.ts"
import type { NewRecord } from "../Log.ts"
import { schemaOf } from "../Topics.ts"

const EVENT_SCHEMA = "schemas/records/event.schema.json"

export const foreignHeaders = ({ topic, value }: NewRecord): Readonly<Record<string, string>> | undefined => {
  if (schemaOf(topic) !== EVENT_SCHEMA) return undefined
  const event = parseLedgerEvent(value)
  return event && cloudEventRecordHeaders(event)
}

export const isForeign = (name: string): boolean => name.startsWith(KAFKA_ATTRIBUTE)
