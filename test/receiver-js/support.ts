/** Requests for the receiver package, signed as the service signs them. */
import { readFileSync } from "node:fs"
import { signature, signedBatch } from "../../src/spine/deliver/send/Signer.ts"
import type { Compression } from "../../src/spine/domain/Compression.ts"
import { batchItem } from "../../src/spine/event/Batch.ts"
import type { RequestFormat } from "../../src/spine/event/RequestFormat.ts"

export const SECRET = "whsec_dGhlIHdob2xlIHN0cmluZyBpcyB0aGUga2V5IQ=="
const DELIVERY_ID = "dlv_01KAJ0Q4M8000000G3T5W7Y9ZB"

/** An envelope as the schema's example has it. */
export const exampleEvent = JSON.parse(readFileSync("schemas/envelope.schema.json", "utf8")).examples[0]

/** The same event as the service has it, and where it stands. */
export const exampleRecord = { ...exampleEvent, position: 7 }
export const SEQUENCE = "0094084608.000007"

export const eventBody = (change: object = {}): string => JSON.stringify({ ...exampleEvent, ...change })

export const signed = (body: string, secret = SECRET) => ({
  headers: {
    "Content-Type": "application/json",
    "X-Service-Signature": signature(secret, body),
    "X-Service-Delivery-Id": DELIVERY_ID
  },
  body: Buffer.from(body)
})

/** Three events of one transaction, as the package gives them. */
export const batchEvents = [
  { ...exampleEvent, sequence: "0094084608.000000" },
  { ...exampleEvent, event_id: `${exampleEvent.event_id}:1`, sequence: "0094084608.000001" },
  { ...exampleEvent, event_id: `${exampleEvent.event_id}:2`, sequence: "0094084608.000002" }
] as const

/** A request with these three events, as the service makes it. Their deliveries are dlv_0, dlv_1 and dlv_2. */
export const batchOf = (options: {
  readonly format: RequestFormat
  readonly compression?: Compression | undefined
}) => {
  const { body, headers } = signedBatch({
    url: new URL("https://receiver.example/hooks"),
    headers: {},
    secrets: [SECRET],
    signing: ["service", "standard"],
    webhookId: exampleEvent.webhook_id,
    nowMs: Date.now(),
    batchId: "bat_1",
    items: batchEvents.map((event, position) =>
      batchItem(options.format, { ...event, position }, exampleEvent.webhook_id, `dlv_${position}`)
    ),
    ...options
  })
  return { headers, body: Buffer.from(body) }
}
