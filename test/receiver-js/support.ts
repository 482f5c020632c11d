/** Requests for the receiver package, signed as the service signs them. */
import { readFileSync } from "node:fs"
import { signature } from "../../src/deliver/Signer.ts"

export const SECRET = "whsec_dGhlIHdob2xlIHN0cmluZyBpcyB0aGUga2V5IQ=="
const DELIVERY_ID = "dlv_01KAJ0Q4M8000000G3T5W7Y9ZB"

/** An envelope as the schema's example has it. */
export const exampleEvent = JSON.parse(readFileSync("schemas/envelope.schema.json", "utf8")).examples[0]

export const eventBody = (change: object = {}): string => JSON.stringify({ ...exampleEvent, ...change })

export const signed = (body: string, secret = SECRET) => ({
  headers: {
    "Content-Type": "application/json",
    "X-Service-Signature": signature(secret, body),
    "X-Service-Delivery-Id": DELIVERY_ID
  },
  body: Buffer.from(body)
})
